/** A server of MCP at a URL: Streamable HTTP, of either era. Loaded only where a URL is given. */

import { type JSONRPCMessage, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import * as ServerHeaders from "../../plugins/mcp/ServerHeaders.ts"
import type { JsonObject } from "../../values/Json.ts"
import { asObject, textOf } from "../../values/JsonObjects.ts"
import { oneLine } from "../../values/PlainText.ts"
import type { Line } from "../Lines.ts"
import * as Lines from "../Lines.ts"
import * as Message from "../Message.ts"
import * as BoundedBody from "./BoundedBody.ts"
import type { Server } from "./Server.ts"

export interface HttpServerOptions {
  readonly url: URL
  /** Sent with each request, for example `Authorization`. */
  readonly headers: Readonly<Record<string, string>>
  /** Takes what no response can report: a failed notification, a cut stream. */
  readonly note: (text: string) => void
}

/** Messages that wait for the gateway, in bytes. A server that sends more without a pause is cut off. */
const MAX_WAITING = 64 * 1024 * 1024

/** Time for the end of a session, in milliseconds. */
const STOP_MS = 2_000

/** Characters of a server's error that the client gets. */
const MAX_SAID = 500

/** Rejects headers that `ServerHeaders` refuses. */
export const connect = async ({ url, headers, note }: HttpServerOptions): Promise<Server> => {
  const refused = ServerHeaders.refusalOf(url, Object.keys(headers))
  if (refused !== undefined) throw new Error(`Headers: expected ${refused.expected}, found ${refused.found}`)
  const queue = queueOf()
  let end = (_how: string) => {}
  const ended = new Promise<string>((resolve) => {
    end = resolve
  })
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { ...headers } },
    fetch: BoundedBody.fetching(Lines.MAX_BYTES),
  })
  /** Requests of the client without a response, by id. */
  const open = new Map<string, AbortController>()
  let initializing: string | undefined

  const answered = (whole: JsonObject): void => {
    const key = JSON.stringify(whole.id ?? null)
    open.delete(key)
    if (key !== initializing) return
    initializing = undefined
    const version = textOf(asObject(whole.result).protocolVersion)
    if (version !== undefined && VERSION.test(version)) transport.setProtocolVersion(version)
  }

  transport.onmessage = (message) => {
    // The transport has parsed it from JSON.
    const whole = { ...message } as unknown as JsonObject
    if (whole.method === undefined) answered(whole)
    if (!queue.push(Message.written(whole))) {
      end(`it sent more than ${MAX_WAITING} bytes at once`)
      void transport.close()
    }
  }
  transport.onerror = (error) => {
    // A failed request is answered by `failed`.
    if (open.size === 0) note(said(error))
  }
  await transport.start()

  const failed = (id: Message.RequestId, reason: string): void => {
    if (!open.delete(Message.keyOf(id))) return
    queue.push(Message.written(Message.failed(id, Message.CODES.server, `${url.host}: ${reason}`)))
  }

  const request = (message: Message.Request): void => {
    const { id, method, whole } = message
    const key = Message.keyOf(id)
    const cancelled = new AbortController()
    open.set(key, cancelled)
    if (method === "initialize") initializing = key
    transport
      .send(jsonRpc(whole), {
        requestSignal: cancelled.signal,
        onRequestStreamEnd: () => failed(id, "its stream ended without an answer. The call may have taken effect."),
      })
      .catch((error: unknown) => failed(id, said(error)))
  }

  return {
    // A response may take long, and the next message must not wait for it.
    send: (line) => {
      const message = Message.read(line)
      if (message.kind === "invalid") return
      if (message.kind === "request") return request(message)
      if (message.kind === "notification" && message.method === Message.CANCELLED) {
        const key = JSON.stringify(message.params.requestId ?? null)
        const cancelled = open.get(key)
        open.delete(key)
        // Since 2026-07-28, the end of the stream is the cancellation.
        if (transport.protocolVersion === undefined) return cancelled?.abort()
      }
      transport.send(jsonRpc(message.whole)).catch((error: unknown) => note(said(error)))
    },
    // Requests without an answer have a limit of their own.
    room: () => Promise.resolve(),
    lines: queue.lines(),
    ended,
    stop: async () => {
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, STOP_MS)
      })
      // A server without sessions, or one that is gone, has nothing to end.
      await Promise.race([transport.terminateSession().catch(() => {}), late])
      clearTimeout(timer)
      await transport.close()
      queue.close()
    },
    release: queue.close,
  }
}

const VERSION = /^[\w.-]{1,32}$/

/** The gateway has read it as a message. */
const jsonRpc = (whole: JsonObject): JSONRPCMessage => whole as unknown as JSONRPCMessage

const said = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ""
  const text = `${error instanceof Error ? error.message : String(error)}${cause}`
  return oneLine(text.slice(0, MAX_SAID).toWellFormed())
}

/** Messages that wait for the gateway. */
const queueOf = () => {
  const waiting: Array<string> = []
  let bytes = 0
  let isClosed = false
  let wake = () => {}
  const close = () => {
    isClosed = true
    wake()
  }
  async function* lines(): AsyncGenerator<Line> {
    for (;;) {
      const text = waiting.shift()
      if (text !== undefined) {
        bytes -= text.length
        yield { kind: "line", text }
      } else if (isClosed) return
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  }
  return {
    lines,
    close,
    /** False if too much waits. */
    push: (text: string): boolean => {
      if (isClosed || bytes + text.length > MAX_WAITING) return false
      bytes += text.length
      waiting.push(text)
      wake()
      return true
    },
  }
}
