/** The API's answer about the agents of a task. */

/** `GET /api/behaviour?timeline=…&task=…`: how the agents of a task behave together, as `hindcast audit --collective`. */
export interface Behaviour {
  /** Number of agents. */
  readonly agents: number
  /** Pairs of which one heard the other, most messages first. */
  readonly pairs: ReadonlyArray<BehaviourPair>
  /** Number of further pairs. */
  readonly morePairs: number
  /** The actions of the task, most frequent first. */
  readonly actions: ReadonlyArray<string>
  /** Number of further actions. */
  readonly moreActions: number
  readonly periods: ReadonlyArray<BehaviourPeriod>
}

export interface BehaviourPair {
  readonly speaker: string
  readonly hearer: string
  /** Number of messages. */
  readonly times: number
  /** Commands of the hearer after it heard the speaker, and how many were another action than its command before. */
  readonly heard: { readonly commands: number; readonly changed: number }
  /** The same after it heard nobody. */
  readonly silent: { readonly commands: number; readonly changed: number }
  /** The share of changes after hearing minus that in silence; null where either has no commands. */
  readonly difference: number | null
}

/** A part of the task, with about as many commands as every other. */
export interface BehaviourPeriod {
  readonly from: number
  readonly to: number
  readonly commands: number
  /** How many of the commands were each of `actions`, in their order. */
  readonly counts: ReadonlyArray<number>
  /** The sum of the world's rewards for all agents; null if the world gave none in the whole task. */
  readonly reward: number | null
}
