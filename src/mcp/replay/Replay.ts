/** Answers a client from a recorded session, without the server. Records nothing. */

import type { Readable, Writable } from "node:stream"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as Redaction from "../../record/http/Redaction.ts"
import { recordable } from "../../record/Recordable.ts"
import type { Json } from "../../values/Json.ts"
import * as Lines from "../Lines.ts"
import * as Message from "../Message.ts"
import * as Recording from "./Recording.ts"

export interface ReplayOptions {
  readonly taskId: string
  readonly events: ReadonlyArray<Event>
  readonly input: Readable
  readonly output: Writable
  readonly note: (text: string) => void
  /** Ends the replay. */
  readonly stop: AbortSignal
}

export interface ReplayEnd {
  readonly answered: number
  /** Calls that the log could not answer. */
  readonly unanswered: number
  /** Why the replay proves nothing, or not what it should. Undefined if it went as recorded. */
  readonly failure: string | undefined
}

/** Runs until the client or the user ends it. */
export const run = async (options: ReplayOptions): Promise<ReplayEnd> => {
  const { taskId, events, input, output, note, stop } = options
  const recording = Recording.of(events)
  if (recording.server === undefined) {
    input.destroy()
    const failure = `task ${taskId} is no session of a gateway: expected one that \`hindcast mcp gate\` recorded`
    return { answered: 0, unanswered: 0, failure }
  }
  const redaction = Redaction.make()
  const redacted = (value: Json): Json => recordable<Json>(redaction.value(value), (omitted) => ({ omitted }))
  const send = Lines.writing(output)
  let [answered, unanswered] = [0, 0]

  const answer = async (request: Message.Request): Promise<void> => {
    const { id, method } = request
    const isCall = method === Message.CALL
    const found = method === PING ? { result: {} } : recording.answer(request, redacted)
    if (!("missing" in found)) {
      if (isCall) answered++
      return send(Message.written({ jsonrpc: "2.0", id, ...found }))
    }
    if (isCall) unanswered++
    const reason = `Replay of ${taskId}: ${String(found.missing)}`
    note(reason)
    await send(Message.written(Message.failed(id, isCall ? Message.CODES.server : Message.CODES.method, reason)))
  }

  const end = () => input.destroy()
  stop.addEventListener("abort", end, { once: true })
  output.on("error", end)
  try {
    for await (const line of Lines.lines(input, Lines.MAX_BYTES)) {
      const message = line.kind === "line" ? Message.read(line.text) : undefined
      if (message?.kind === "request") await answer(message)
      else if (message === undefined || message.kind === "invalid") {
        const reason = "expected a message of MCP"
        await send(Message.written(Message.failed(message?.id ?? null, Message.CODES.request, reason)))
      }
    }
  } catch (error) {
    // The user ended it in the middle of a read.
    if (!stop.aborted && !output.destroyed) throw error
  }
  return { answered, unanswered, failure: failureOf(answered, unanswered, recording.calls) }
}

const PING = "ping"

const failureOf = (answered: number, unanswered: number, recorded: number): string | undefined => {
  if (unanswered > 0) return `${unanswered} of ${answered + unanswered} calls are not in the log`
  return answered === 0 ? `no call was made, of the ${recorded} that the log has` : undefined
}
