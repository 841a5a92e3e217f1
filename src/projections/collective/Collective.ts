/**
 * How the agents of a task behave together: who speaks to whom, whether a hearer acts differently after it heard
 * somebody, and rewards and cooperation over time. Pure.
 */
import type { Event } from "../../events/vocabulary/Event.ts"
import { type CoreName, is } from "../../events/vocabulary/Vocabulary.ts"
import * as Sum from "../../values/Sum.ts"
import { actionOf, speakerOf } from "../audit/AgentAudits.ts"
import { scoreSetOf } from "../state/WorldReturn.ts"
import { type ActionCounts, cooperativeIn } from "./Cooperation.ts"

/** Messages that one agent received from another. */
export interface Speech {
  readonly speaker: string
  readonly hearer: string
  readonly times: number
}

/** Commands of a hearer, and how many of them were other actions than its command before. */
export interface Changes {
  readonly commands: number
  readonly changed: number
}

/** Whether a hearer changes its action more often after it heard the speaker than after it heard nobody. */
export interface Influence {
  readonly speaker: string
  readonly hearer: string
  /** Commands before which it heard the speaker, since its command before. */
  readonly heard: Changes
  /** Commands before which it heard nobody. */
  readonly silent: Changes
  /** The share of changes after hearing minus that in silence, from -1 to 1; null where either has no commands. */
  readonly difference: number | null
}

/** A part of the task, with about as many commands as every other. */
export interface Period {
  readonly from: number
  readonly to: number
  readonly commands: number
  /** How many of the commands were each action. */
  readonly actions: ActionCounts
  /** Commands that count as cooperation; null if nobody said which do. */
  readonly cooperative: number | null
  /** The sum of the world's rewards for all agents; null if the world gave none in the whole task. */
  readonly reward: number | null
  /** The rewards of each agent that got any. */
  readonly rewards: { readonly [agent: string]: number }
}

/** The behaviour of a task's agents together. */
export interface Collective {
  readonly taskId: string
  readonly agents: ReadonlyArray<string>
  readonly speech: ReadonlyArray<Speech>
  readonly influence: ReadonlyArray<Influence>
  /** The actions that count as cooperation; null if nobody said which do. */
  readonly cooperative: ReadonlyArray<string> | null
  readonly periods: ReadonlyArray<Period>
  /** The actions of the task, such as `prisoners-dilemma/step 0`. */
  readonly actions: ReadonlyArray<string>
}

/** The types of events that it folds. */
export const TYPES: ReadonlyArray<CoreName> = [
  ...(["AgentJoined", "InputReceived", "ActuatorCommanded", "RewardGiven", "PunishmentGiven"] as const),
]

/** Maximum number of periods. */
export const PERIODS = 8

interface Command {
  readonly position: number
  readonly agent: string
  readonly action: string
}

interface Reward {
  readonly position: number
  readonly agent: string
  readonly amount: number
}

/**
 * Folds the events of a task with several agents, in order. Commands of a scenario are nobody's. Speech that a world
 * shows in its observations is none of these messages.
 *
 * @param cooperative the actions that count as cooperation; null if nobody says
 */
export const of = (
  taskId: string,
  events: Iterable<Event>,
  cooperative: ReadonlyArray<string> | null = null,
): Collective => {
  const agents = new Set<string>()
  const commands: Array<Command> = []
  const rewards: Array<Reward> = []
  const speech = new Map<string, Map<string, number>>()
  const hearers = new Map<string, Hearer>()
  const hearerOf = (agent: string): Hearer => {
    agents.add(agent)
    const known = hearers.get(agent) ?? new Hearer()
    hearers.set(agent, known)
    return known
  }
  const reward = (event: Event, agent: string | undefined, scoreSetId: string, amount: number) => {
    if (agent === undefined || scoreSetId !== scoreSetOf(taskId)) return
    agents.add(agent)
    rewards.push({ position: event.position, agent, amount })
  }
  for (const event of events) {
    if (is(event, "AgentJoined")) agents.add(event.payload.agentId)
    else if (is(event, "InputReceived")) {
      const { agentId, source } = event.payload
      const speaker = speakerOf(source)
      if (agentId === undefined || speaker === undefined) continue
      hearerOf(agentId).hear(speaker)
      const heard = speech.get(speaker) ?? new Map<string, number>()
      speech.set(speaker, heard.set(agentId, (heard.get(agentId) ?? 0) + 1))
    } else if (is(event, "ActuatorCommanded")) {
      const { agentId, actuator, args, source } = event.payload
      if (agentId === undefined || source === "scenario") continue
      const action = actionOf(actuator, args)
      hearerOf(agentId).act(action)
      commands.push({ position: event.position, agent: agentId, action })
    } else if (is(event, "RewardGiven")) {
      reward(event, event.payload.agentId, event.payload.scoreSetId, event.payload.amount)
    } else if (is(event, "PunishmentGiven")) {
      reward(event, event.payload.agentId, event.payload.scoreSetId, 0 - event.payload.amount)
    }
  }
  const byName = (a: { speaker: string; hearer: string }, b: typeof a) =>
    compared(a.speaker, b.speaker) || compared(a.hearer, b.hearer)
  return {
    taskId,
    agents: [...agents].sort(compared),
    speech: [...speech]
      .flatMap(([speaker, heard]) => [...heard].map(([hearer, times]) => ({ speaker, hearer, times })))
      .sort(byName),
    influence: [...hearers].flatMap(([hearer, one]) => one.influences(hearer)).sort(byName),
    cooperative,
    periods: periodsOf(commands, rewards, cooperative),
    actions: [...new Set(commands.map(({ action }) => action))].sort(compared),
  }
}

const compared = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Messages that one agent heard between its commands, and whether it then did something else. */
class Hearer {
  #last: string | undefined
  #heard = new Set<string>()
  readonly #silent = { commands: 0, changed: 0 }
  readonly #after = new Map<string, { commands: number; changed: number }>()

  hear(speaker: string): void {
    this.#heard.add(speaker)
  }

  act(action: string): void {
    // The first command has none before it.
    if (this.#last !== undefined) {
      const counted = [...this.#heard].map((speaker) => this.#of(speaker))
      for (const counts of counted.length === 0 ? [this.#silent] : counted) {
        counts.commands += 1
        if (action !== this.#last) counts.changed += 1
      }
    } else for (const speaker of this.#heard) this.#of(speaker)
    this.#last = action
    this.#heard = new Set()
  }

  influences(hearer: string): ReadonlyArray<Influence> {
    for (const speaker of this.#heard) this.#of(speaker)
    const silent = { ...this.#silent }
    return [...this.#after].map(([speaker, heard]) => {
      const isKnown = heard.commands > 0 && silent.commands > 0
      const difference = isKnown ? heard.changed / heard.commands - silent.changed / silent.commands : null
      return { speaker, hearer, heard, silent, difference }
    })
  }

  #of(speaker: string) {
    const known = this.#after.get(speaker) ?? { commands: 0, changed: 0 }
    this.#after.set(speaker, known)
    return known
  }
}

const periodsOf = (
  commands: ReadonlyArray<Command>,
  rewards: ReadonlyArray<Reward>,
  cooperative: ReadonlyArray<string> | null,
): ReadonlyArray<Period> => {
  const parts = Math.min(PERIODS, commands.length)
  const bounds = Array.from({ length: parts + 1 }, (_, part) => Math.floor((part * commands.length) / parts))
  return Array.from({ length: parts }, (_, part) => {
    const own = commands.slice(bounds[part], bounds[part + 1])
    const from = own[0]?.position ?? 0
    const next = commands[bounds[part + 1] ?? commands.length]?.position ?? Number.POSITIVE_INFINITY
    const given = rewards.filter(({ position }) => (part === 0 || position >= from) && position < next)
    const actions = countsOf(own)
    const names = [...new Set(given.map(({ agent }) => agent))].sort(compared)
    return {
      from,
      to: own.at(-1)?.position ?? from,
      commands: own.length,
      actions,
      cooperative: cooperativeIn(actions, cooperative),
      reward: rewards.length === 0 ? null : Sum.of(given.map(({ amount }) => amount)),
      rewards: Object.fromEntries(
        names.map((name) => [name, Sum.of(given.flatMap(({ agent, amount }) => (agent === name ? [amount] : [])))]),
      ),
    }
  })
}

const countsOf = (commands: ReadonlyArray<Command>): ActionCounts => {
  const counts = new Map<string, number>()
  for (const { action } of commands) counts.set(action, (counts.get(action) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a], [b]) => compared(a, b)))
}
