import { Schema } from "effect"
import { Position } from "../Event.ts"
import { eventType, Sha256 } from "../EventType.ts"

/** What a kernel says of itself, and what was done to the log it works on. */
export const kernelEvents = [
  eventType("KernelStarted", "A kernel took the lease of this log and finished its recovery.", {
    version: Schema.NonEmptyString.annotations({ description: "Hindcast's version" }),
    node: Schema.String,
    deno: Schema.String,
    seed: Schema.Int.annotations({ description: "Seeds the kernel's randomness; tasks derive theirs from it" }),
    configDigest: Sha256,
  }),
  eventType("RangeArchived", "The events of a range of positions were moved out of the log's file into a segment.", {
    first: Position,
    last: Position,
    segment: Schema.String.annotations({ description: "The segment's file name" }),
  }),
  eventType("KernelStopped", "A kernel ended in an orderly way.", { reason: Schema.String }),
] as const
