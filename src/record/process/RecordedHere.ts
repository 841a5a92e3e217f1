/**
 * Counts of the calls that this process has recorded so far, for every copy of this package in it. A process that replays has one too, and
 * records nothing.
 */

export interface RecordedHere {
  models: number
  /** Tools whose runs the AI SDK published. */
  tools: number
  /** The version of the AI SDK that published anything. */
  sdk?: string | undefined
  /** Whether the program came to its own end, so that its task is closed. */
  isEnded: boolean
}

const KEY = Symbol.for("hindcast/recorded-here")

/** Undefined if this process is neither recorded nor replayed. */
export const current = (): RecordedHere | undefined => Reflect.get(globalThis, KEY)

export const begin = (): RecordedHere => {
  const begun: RecordedHere = { models: 0, tools: 0, isEnded: false }
  Reflect.set(globalThis, KEY, begun)
  return begun
}
