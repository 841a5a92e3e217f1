/** Answers a client from a recorded session, without the server. Records nothing. */

import type { Readable, Writable } from "node:stream"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as Redaction from "../../record/http/Redaction.ts"
import { recordable } from "../../record/Recordable.ts"
import type { Json } from "../../values/Json.ts"
import * as Lines from "../Lines.ts"
import * as Message from "../Message.ts"
import * as Outlet from "../Outlet.ts"
import * as Recording from "./Recording.ts"

export interface ReplayOptions {
  readonly taskId: string
  readonly events: ReadonlyArray<Event>
  readonly input: Readable
  readonly output: Writable
  readonly note: (text: string) => void
  /** Maximum number of bytes that the client may leave unread. Default: `Outlet.MAX_WAITING_BYTES` */
  readonly maxUnread?: number
  /** Ends the replay. */
  readonly stop: AbortSignal
}

export interface ReplayEnd {
  readonly answered: number
  /** Calls that the log could not answer. */
  readonly unanswered: number
  /** Why the replay proves nothing, or too little. Undefined if it went as recorded. */
  readonly failure: string | undefined
}

/** Runs until the client or the user ends it. */
export const run = async (options: ReplayOptions): Promise<ReplayEnd> => {
  const { taskId, events, input, output, note, stop, maxUnread = Outlet.MAX_WAITING_BYTES } = options
  const recording = Recording.of(events)
  if (recording.server === undefined) {
    input.destroy()
    const failure = `task ${taskId} is no session of a gateway: expected one that \`hindcast mcp gate\` recorded`
    return { answered: 0, unanswered: 0, failure }
  }
  const redaction = Redaction.make()
  const redacted = (value: Json): Json => recordable<Json>(redaction.value(value), (omitted) => ({ omitted }))
  const client = Outlet.make(output, maxUnread)
  let [answered, unanswered] = [0, 0]

  const answer = (request: Message.Request): void => {
    const { id, method } = request
    const isCall = method === Message.CALL
    const found = method === PING ? { result: {} } : recording.answer(request, redacted)
    if (!("missing" in found)) {
      if (isCall) answered++
      client.send(Message.written({ jsonrpc: "2.0", id, ...found }))
      return
    }
    if (isCall) unanswered++
    const reason = `Replay of ${taskId}: ${String(found.missing)}`
    note(reason)
    client.send(Message.written(Message.failed(id, isCall ? Message.CODES.server : Message.CODES.method, reason)))
  }

  const end = () => input.destroy()
  stop.addEventListener("abort", end, { once: true })
  if (stop.aborted) end()
  let isDeaf = false
  client.full.then(() => {
    isDeaf = true
    end()
  })
  output.on("error", end)
  try {
    for await (const line of Lines.lines(input, Lines.MAX_BYTES)) {
      const message = line.kind === "line" ? Message.read(line.text) : undefined
      if (message?.kind === "request") answer(message)
      else if (message === undefined || message.kind === "invalid") {
        const reason = "expected a message of MCP"
        client.send(Message.written(Message.failed(message?.id ?? null, Message.CODES.request, reason)))
      }
    }
  } catch (error) {
    // The user ended it in the middle of a read, or the client reads nothing.
    if (!stop.aborted && !isDeaf && !output.destroyed) throw error
  }
  await client.finish()
  const failure = isDeaf
    ? `the client does not read its input: more than ${maxUnread} bytes wait for it`
    : failureOf(answered, unanswered, recording.calls)
  return { answered, unanswered, failure }
}

const PING = "ping"

const failureOf = (answered: number, unanswered: number, recorded: number): string | undefined => {
  if (unanswered > 0) return `${unanswered} of ${answered + unanswered} calls are not in the log`
  return answered === 0 ? `no call was made, of the ${recorded} that the log has` : undefined
}
