/** Passes streaming answers from agents to channels in the same process. Nothing of it is in the log. */

import type { AgentDelta } from "../Turns.ts"

/** A piece of an answer. */
export type Piece = Pick<AgentDelta, "index" | "kind" | "text">

/** Keeps the pieces of answers in progress, for channels that connect in the middle of one. */
export interface Deltas {
  /** Takes a piece: the option `onDelta` of `Agent.fromModel`. */
  readonly onDelta: (delta: AgentDelta) => void
  /** The pieces so far of the answer to a request, by the id of its `ModelCalled` event. */
  readonly piecesOf: (request: string) => ReadonlyArray<Piece>
  /** Calls a function after each piece of any answer. Returns how to stop that. */
  readonly listen: (listener: () => void) => () => void
}

const MOST_ANSWERS = 256

/** Makes a hub. Give its `onDelta` to agents, and the hub to channels. It keeps the 256 answers that began last. */
export const make = (): Deltas => {
  const answers = new Map<string, Array<Piece>>()
  const listeners = new Set<() => void>()

  const begin = (request: string) => {
    const [oldest] = answers.size >= MOST_ANSWERS ? answers.keys() : []
    if (oldest !== undefined) answers.delete(oldest)
    const pieces: Array<Piece> = []
    answers.set(request, pieces)
    return pieces
  }

  return {
    onDelta: ({ request, index, kind, text }) => {
      const pieces = answers.get(request) ?? begin(request)
      pieces.push({ index, kind, text })
      for (const listener of listeners) listener()
    },
    piecesOf: (request) => answers.get(request) ?? [],
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
