/** Event types of what a recorded program asks of the world by itself: requests over HTTP, and calls of its own. */

import { Schema } from "effect"
import { Json } from "../../values/Json.ts"
import { eventType, Failure, Milliseconds, optional, SHREDDED, Sha256 } from "./EventType.ts"

const io = Schema.NonEmptyString.annotations({
  description: "What was called: `fetch`, `now`, or the name that the program gave it",
})

/** Events of a recorded program's calls. */
export const ioEvents = [
  eventType(
    "IoCalled",
    "A recorded program called something outside of itself that is no language model.",
    {
      io,
      request: Json.annotations({ description: "Of `fetch` the request without its keys; else the arguments" }),
      requestDigest: Sha256.annotations({ description: "Digest of what a replay finds the call by" }),
    },
    { personal: { request: null } },
  ),
  eventType(
    "IoAnswered",
    "What a recorded program was answered. Of `fetch` the response, with its body in the pieces in which it came.",
    { io, result: Json, latencyMs: optional(Milliseconds) },
    { personal: { result: null } },
  ),
  eventType(
    "IoFailed",
    "A call of a recorded program failed.",
    { io, error: Failure, latencyMs: Milliseconds },
    { personal: { error: { code: "shredded", message: SHREDDED } } },
  ),
] as const
