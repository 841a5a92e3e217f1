/** Event types of the lifecycle of kernels and runners: start, takeover, archiving, draining and stop. */

import { Schema } from "effect"
import { JsonObject } from "../../values/Json.ts"
import { Position } from "./Event.ts"
import { eventType, optional, Sha256 } from "./EventType.ts"
import type { Upcaster } from "./Upcaster.ts"

export const kernelEvents = [
  eventType(
    "KernelStarted",
    "A kernel took the lease of the log and finished its recovery.",
    {
      version: Schema.NonEmptyString.annotations({ description: "Hindcast's version" }),
      node: Schema.String,
      deno: Schema.String,
      seed: Schema.Int.annotations({ description: "Seeds the kernel's randomness; tasks derive theirs from it" }),
      configDigest: Sha256,
      gate: optional(
        JsonObject.annotations({
          description:
            "The gate's decoded configuration: rules in order, default, and how long a question waits (`confirmWithinMs`). Absent before 0.3.0",
        }),
      ),
      judge: optional(
        Schema.NonEmptyString.annotations({
          description: "The label of the judge of closed tasks, if it has one. Absent before 0.3.1",
        }),
      ),
    },
    { version: 2 },
  ),
  eventType(
    "LeaseTakenOver",
    "A kernel took over a lease that its holder had not released. The log accepts no further appends of that holder.",
    {
      owner: Schema.NonEmptyString.annotations({ description: "The new owner" }),
      from: Schema.NonEmptyString.annotations({ description: "The previous owner" }),
    },
  ),
  eventType("RangeArchived", "The kernel moved a range of positions out of the log's file into a segment.", {
    first: Position,
    last: Position,
    segment: Schema.String.annotations({ description: "The segment's file name" }),
  }),
  eventType("KernelStopped", "A kernel stopped normally.", { reason: Schema.String }),
] as const

const runner = Schema.NonEmptyString.annotations({ description: "The runner's name" })

const session = Schema.UUID.annotations({ description: "The identity of the runner's session and of its heartbeats" })

/** A runner's sessions. */
export const runnerEvents = [
  eventType(
    "RunnerStarted",
    "A runner began a session.",
    {
      runner,
      session,
      version: Schema.NonEmptyString.annotations({ description: "Hindcast's version" }),
      host: Schema.NonEmptyString.annotations({ description: "The name of its machine, for people" }),
      pid: Schema.NonNegativeInt.annotations({ description: "Its process id there, for people" }),
      slots: Schema.Positive.pipe(Schema.int()).annotations({ description: "How many tasks it runs at a time" }),
      agents: Schema.Array(Schema.NonEmptyString).annotations({ description: "The names of its agents" }),
      labels: Schema.Array(Schema.NonEmptyString),
      after: optional(
        Schema.UUID.annotations({
          description:
            "The last session of the same process, which ended without it, as in an outage of the server: no task is to blame",
        }),
      ),
    },
    { synced: true },
  ),
  eventType("RunnerDrainRequested", "Somebody asked a runner to claim nothing more, and to stop at step boundaries.", {
    runner,
    session,
    by: Schema.NonEmptyString,
  }),
  eventType("RunnerStopped", "A runner ended its session.", { runner, session, reason: Schema.String }),
  eventType(
    "RunnerLost",
    "A runner's heartbeats ended: others take its tasks over. The log accepts no further appends of the session.",
    { runner, session, by: Schema.NonEmptyString.annotations({ description: "The runner that noticed it" }) },
    { synced: true },
  ),
] as const

export const kernelUpcasters: ReadonlyArray<Upcaster> = [
  // Version 1 did not record the gate's rules; they are lost.
  { type: "KernelStarted", from: 1, upcast: (payload) => payload },
]
