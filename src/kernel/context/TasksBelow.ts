/** Tells a task's agent what the tasks use that a program started below it, and records what it learned. */

import { Effect } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { Recorder } from "../../events/log/Recorder.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { UseBelow } from "../../events/vocabulary/Tasks.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"

/** When `Task.below` returns. Default: at once. */
export interface BelowOptions {
  /** The use that the caller knows: if nothing has changed, waits until one of the open tasks has ended. */
  readonly after?: UseBelow | undefined
  /** How long it waits, in milliseconds. Default: no limit. */
  readonly withinMs?: number
}

/** Reads what the tasks use that a program started below a task; undefined without any. */
export type ReadBelow = (options?: BelowOptions) => Effect.Effect<UseBelow | undefined, LogError>

/** @param past the events of a continued task */
export const make = (
  read: ReadBelow,
  record: Recorder["record"],
  openedBy: string,
  past: ReadonlyArray<Event> = [],
): ((options?: BelowOptions) => Effect.Effect<UseBelow | undefined, AppendError | LogError>) => {
  let counted = countedIn(past)
  return (options) =>
    Effect.gen(function* () {
      const now = yield* read(options)
      if (now === undefined && counted === undefined) return undefined
      const use = now ?? NOTHING
      if (counted !== undefined && isSame(use, counted)) return counted
      yield* record({ type: "TasksBelowCounted", causationId: openedBy, payload: use })
      counted = use
      return use
    })
}

/** The use that the agent learned last before a position; undefined if it learned of no tasks. */
export const countedIn = (
  events: ReadonlyArray<Event>,
  before: number = Number.POSITIVE_INFINITY,
): UseBelow | undefined => {
  for (const event of events.toReversed()) {
    if (event.position < before && is(event, "TasksBelowCounted")) return event.payload
  }
  return undefined
}

/** Whether two uses are the same. */
export const isSame = (a: UseBelow, b: UseBelow): boolean => FIELDS.every((field) => a[field] === b[field])

const FIELDS = ["tasks", "open", "steps", "commands", "tokens", "usd"] as const

/** A fork has none of the tasks that a program started below the task that it left. */
const NOTHING: UseBelow = { tasks: 0, open: 0, steps: 0, commands: 0, tokens: 0, usd: 0 }
