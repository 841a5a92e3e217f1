import { Schema } from "effect"
import { eventType, Sha256 } from "../EventType.ts"

/** What a kernel says of itself. */
export const kernelEvents = [
  eventType("KernelStarted", "A kernel took the lease of this log and finished its recovery.", {
    version: Schema.NonEmptyString.annotations({ description: "Hindcast's version" }),
    node: Schema.String,
    deno: Schema.String,
    seed: Schema.Int.annotations({ description: "Seeds the kernel's randomness; tasks derive theirs from it" }),
    configDigest: Sha256,
  }),
  eventType("KernelStopped", "A kernel ended in an orderly way.", { reason: Schema.String }),
] as const
