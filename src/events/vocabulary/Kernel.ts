/** Event types of the kernel's lifecycle: start, lease takeover, archiving and stop. */

import { Schema } from "effect"
import { JsonObject } from "../../values/Json.ts"
import { Position } from "./Event.ts"
import { eventType, optional, Sha256 } from "./EventType.ts"
import type { Upcaster } from "./Upcaster.ts"

export const kernelEvents = [
  eventType(
    "KernelStarted",
    "A kernel took the lease of this log and finished its recovery.",
    {
      version: Schema.NonEmptyString.annotations({ description: "Hindcast's version" }),
      node: Schema.String,
      deno: Schema.String,
      seed: Schema.Int.annotations({ description: "Seeds the kernel's randomness; tasks derive theirs from it" }),
      configDigest: Sha256,
      gate: optional(
        JsonObject.annotations({
          description:
            "What the gate decides by, as it was decoded: its rules in order, its default, and how long a question waits (`confirmWithinMs`). Absent in what was written before 0.3.0",
        }),
      ),
    },
    { version: 2 },
  ),
  eventType(
    "LeaseTakenOver",
    "A kernel took over the lease of one that had not given it back: nothing more of that one's comes into the log.",
    {
      owner: Schema.NonEmptyString.annotations({ description: "Who took it over" }),
      from: Schema.NonEmptyString.annotations({ description: "Who had it" }),
    },
  ),
  eventType("RangeArchived", "The events of a range of positions were moved out of the log's file into a segment.", {
    first: Position,
    last: Position,
    segment: Schema.String.annotations({ description: "The segment's file name" }),
  }),
  eventType("KernelStopped", "A kernel ended in an orderly way.", { reason: Schema.String }),
] as const

export const kernelUpcasters: ReadonlyArray<Upcaster> = [
  // Version 1 did not record the gate's rules; they are lost.
  { type: "KernelStarted", from: 1, upcast: (payload) => payload },
]
