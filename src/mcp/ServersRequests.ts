/** The requests of a session's server that its client has not answered: each has one answer, and ids are unique. */

import type { Kept } from "./Kept.ts"
import * as Message from "./Message.ts"

export interface ServersRequests {
  /** Records a request of the server, and sends it on. The server gets an error for an id in use, or too many requests. */
  readonly asked: (request: Message.Request, line: string) => Promise<void>
  /** Records a response of the client, and sends it on if the server waits for it. */
  readonly answered: (response: Message.Response, line: string) => Promise<void>
}

interface Parts {
  readonly kept: Kept
  /** The event that opened the session. */
  readonly cause: string
  readonly toClient: (text: string) => Promise<void>
  readonly toServer: (text: string) => Promise<void>
}

/** Maximum number of open requests in each direction. */
export const MAX_OPEN = 1_000

export const make = ({ kept, cause: opening, toClient, toServer }: Parts): ServersRequests => {
  /** The events of requests, by the requests' ids. */
  const waiting = new Map<string, string>()

  const asked = async ({ id, method, params, whole }: Message.Request, line: string): Promise<void> => {
    const key = Message.keyOf(id)
    if (waiting.has(key) || waiting.size >= MAX_OPEN) {
      const reason = waiting.has(key) ? `the id ${key} is in use` : `${MAX_OPEN} requests have no answer yet`
      await kept.message("refused", { reason, method }, opening, line.length)
      return toServer(Message.written(Message.failed(id, Message.CODES.request, reason)))
    }
    const cause = await kept.message(`server's request ${method}`, { id, params }, opening, line.length)
    waiting.set(key, cause)
    await toClient(Message.sentOn(line, whole))
  }

  const answered = async ({ id, whole }: Message.Response, line: string): Promise<void> => {
    const key = Message.keyOf(id)
    const cause = waiting.get(key)
    const kind = cause === undefined ? "response without a request" : "client's response"
    await kept.message(kind, { ...whole }, cause ?? opening, line.length)
    if (cause === undefined) return
    waiting.delete(key)
    await toServer(Message.sentOn(line, whole))
  }

  return { asked, answered }
}
