/** Replays a recorded response: same pieces, same order, same end. */

import { bytesOf } from "../../agents/models/Cassette.ts"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import * as CutEncoding from "../http/CutEncoding.ts"
import * as HttpMessage from "../http/HttpMessage.ts"
import * as Thrown from "../Thrown.ts"

/** Pieces come as they are read, without the recorded delays. */
export const of = (recorded: HttpMessage.RecordedResponse, signal: AbortSignal | null | undefined): Response => {
  const { status, statusText, headers, url, redirected = false, cutWithin } = recorded
  const body = recorded.end === "none" ? null : streamOf(recorded, signal)
  const response = new Response(body, { status, statusText, headers })
  return CutEncoding.note(HttpMessage.from(response, { url, redirected, type: "basic" }), cutWithin)
}

const streamOf = ({ chunks, end, aborted }: HttpMessage.RecordedResponse, signal: AbortSignal | null | undefined) => {
  // A byte stream is not pulled again until it enqueues something, so skip empty pieces.
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
      // The recorded program stopped reading here. A program that reads on differs.
      controller.close()
      controller.byobRequest?.respond(0)
    },
  })
}

const brokenOff = (): Error => new TypeError("terminated", { cause: new Error("the recorded connection broke off") })

/** The recorded abort error. A timer may have caused the abort; a replay does not wait for it. */
const abortOf = ({ name, message }: { readonly name: string; readonly message: string }): Error =>
  HttpMessage.isAbort(name) ? new DOMException(message, name) : Object.assign(new Error(message), { name })

export const failureOf = (failure: Failure, signal?: AbortSignal | null) => {
  const { code: name, message } = failure
  if (signal?.aborted === true) return signal.reason
  if (HttpMessage.isAbort(name)) return new DOMException(message, name)
  const cause = Thrown.causeOf(failure)
  // The recorded message includes that of its cause.
  const own = cause === undefined ? message : message.slice(0, -`: ${cause}`.length)
  return Thrown.errorOf({ ...failure, message: own })
}
