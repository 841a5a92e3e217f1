/** A recorded response, given again: the same pieces in the same order, and the same end. */

import { bytesOf } from "../../agents/models/Cassette.ts"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import * as CutEncoding from "../http/CutEncoding.ts"
import * as HttpMessage from "../http/HttpMessage.ts"
import * as Thrown from "../Thrown.ts"

/** The response. Its pieces come one by one as they are read, without the waits between them. */
export const of = (recorded: HttpMessage.RecordedResponse, signal: AbortSignal | null | undefined): Response => {
  const { status, statusText, headers, url, redirected = false, cutWithin } = recorded
  const body = recorded.end === "none" ? null : streamOf(recorded, signal)
  const response = new Response(body, { status, statusText, headers })
  return CutEncoding.note(HttpMessage.from(response, { url, redirected, type: "basic" }), cutWithin)
}

const streamOf = ({ chunks, end, aborted }: HttpMessage.RecordedResponse, signal: AbortSignal | null | undefined) => {
  // A stream that is asked for a piece is not asked again before it has given one: an empty piece is none.
  const pieces = chunks.map(bytesOf).filter((bytes) => bytes.byteLength > 0)
  return new ReadableStream({
    type: "bytes",
    start: (controller) => {
      signal?.addEventListener("abort", () => controller.error(signal.reason), { once: true })
    },
    pull: (controller) => {
      const bytes = pieces.shift()
      if (bytes !== undefined) return controller.enqueue(bytes)
      if (end === "cut") return controller.error(brokenOff())
      if (aborted !== undefined) return controller.error(abortOf(aborted))
      // Of what the program did not read, nothing more is known. It reads no more of it, or else it differs.
      controller.close()
      controller.byobRequest?.respond(0)
    },
  })
}

/** What Node's `fetch` says of a connection that broke. */
const brokenOff = (): Error => new TypeError("terminated", { cause: new Error("the recorded connection broke off") })

/** What reading fails with where the program's signal ended a body, which may come by a timer: nothing waits for it. */
const abortOf = ({ name, message }: { readonly name: string; readonly message: string }): Error =>
  HttpMessage.isAbort(name) ? new DOMException(message, name) : Object.assign(new Error(message), { name })

/** What `fetch` fails with. */
export const failureOf = (failure: Failure, signal?: AbortSignal | null) => {
  const { code: name, message } = failure
  if (signal?.aborted === true) return signal.reason
  if (HttpMessage.isAbort(name)) return new DOMException(message, name)
  const cause = Thrown.causeOf(failure)
  // The message was recorded with that of its cause, without which it says nothing.
  const own = cause === undefined ? message : message.slice(0, -`: ${cause}`.length)
  return Thrown.errorOf({ ...failure, message: own })
}
