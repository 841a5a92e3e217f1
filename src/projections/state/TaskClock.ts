/**
 * A task's own time. It excludes gaps before a fork or a resumed task continues, and clock changes backwards. It uses
 * `occurredAt`: for an imported task the clock of the original program, otherwise the log's. `OwnTime` has the rules.
 */

import { Schema } from "effect"
import type { OwnTime } from "../../values/time/OwnTime.ts"

export { after, momentOf, start, type Timed } from "../../values/time/OwnTime.ts"

/** The clock of a task after one of its events. */
export const TaskClock: Schema.Schema<OwnTime> = Schema.Struct({
  timeline: Schema.String.annotations({ description: "Of the last event" }),
  lastAt: Schema.Finite.annotations({
    description: "The latest time at which an event happened; ms since 1970-01-01Z",
  }),
  recordedAt: Schema.Finite.annotations({ description: "When the last event was recorded; ms since 1970-01-01Z" }),
  elapsedMs: Schema.Finite.annotations({ description: "From the first event to the last, of the task's own time" }),
  leftOutMs: Schema.Finite.annotations({
    description: "What lay between the last event of a parent and the first of its fork, and before a task was resumed",
  }),
  setBackMs: Schema.Finite.annotations({
    description:
      "How far the log's clock was set back meanwhile; negative: how far it was set forward, where that was seen",
  }),
  untoldMs: Schema.Finite.annotations({
    description: "How far it was set back since the task went on, or since `ClockChanged` last told of it",
  }),
})

export type TaskClock = OwnTime
