/**
 * Passes streaming answers of agents, and the progress of their tools, to channels in the same process. The log records
 * neither piece by piece.
 */

import type { ProgressReport } from "../../kernel/acting/policies/Progress.ts"
import type { AgentDelta } from "../Turns.ts"

/** A piece of an answer. */
export type Piece = Pick<AgentDelta, "index" | "kind" | "text">

/** Keeps the pieces of answers, and the progress of calls, for channels that connect in the middle of one. */
export interface Deltas {
  /** Takes a piece: the option `onDelta` of `Agent.fromModel`. */
  readonly onDelta: (delta: AgentDelta) => void
  /** The pieces so far of the answer to a request, by the id of its `ModelCalled` event. */
  readonly piecesOf: (request: string) => ReadonlyArray<Piece>
  /** Calls a function after each piece of any answer. Returns how to stop that. */
  readonly listen: (listener: () => void) => () => void
  /** Takes a report of a call in progress: the option `onProgress` of `Hindcast.layer`. */
  readonly onProgress: (progress: ProgressReport) => void
  /** The newest report of a command, and the number of its reports so far. */
  readonly progressOf: (commandId: string) => CountedReport | undefined
}

/** The newest report of a command. */
export interface CountedReport {
  readonly report: number | string
  /** The number of reports so far, from 1. */
  readonly number: number
}

const MOST_KEPT = 256

/**
 * Makes a hub. Give its `onDelta` to agents, its `onProgress` to the kernel, and the hub to channels. It keeps the 256
 * answers that began last, and the newest report of 256 commands.
 */
export const make = (): Deltas => {
  const answers = new Map<string, Array<Piece>>()
  const reports = new Map<string, CountedReport>()
  const listeners = new Set<() => void>()

  const makeRoom = (kept: Map<string, unknown>) => {
    const [oldest] = kept.size >= MOST_KEPT ? kept.keys() : []
    if (oldest !== undefined) kept.delete(oldest)
  }

  const begin = (request: string) => {
    makeRoom(answers)
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
    onProgress: ({ commandId, report }) => {
      const before = reports.get(commandId)
      if (before === undefined) makeRoom(reports)
      reports.set(commandId, { report, number: (before?.number ?? 0) + 1 })
      for (const listener of listeners) listener()
    },
    progressOf: (commandId) => reports.get(commandId),
    piecesOf: (request) => answers.get(request) ?? [],
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
