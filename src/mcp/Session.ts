/**
 * A session between an MCP client and a server, as a task. Every message is recorded before it is sent on; a tool call
 * also passes the gate. Other messages pass unchanged.
 */

import type { CoreNewEvent } from "../events/log/EventLog.ts"
import type { GateConfig } from "../kernel/gate/Gate.ts"
import * as Gate from "../kernel/gate/Gate.ts"
import * as Redaction from "../record/http/Redaction.ts"
import type { BegunRun, OpenedLog } from "../record/log/OpenedLog.ts"
import type { RunLog } from "../record/log/RunLog.ts"
import { defined } from "../values/defined.ts"
import type { JsonObject } from "../values/Json.ts"
import { asObject } from "../values/JsonObjects.ts"
import * as Answers from "./Answers.ts"
import * as Calls from "./Calls.ts"
import * as IdleRules from "./IdleRules.ts"
import * as Kept from "./Kept.ts"
import * as Lines from "./Lines.ts"
import * as Message from "./Message.ts"
import * as ServersRequests from "./ServersRequests.ts"
import { MAX_OPEN } from "./ServersRequests.ts"
import * as Tools from "./Tools.ts"

export interface SessionParts {
  readonly server: string
  readonly opened: OpenedLog
  readonly begun: BegunRun
  readonly log: RunLog
  readonly file: string
  readonly gate: GateConfig
  readonly waitMs: number
  /** How long the server may take for a call, in milliseconds. */
  readonly callMs: number
  readonly toClient: (text: string) => Promise<void>
  readonly toServer: (text: string) => Promise<void>
  readonly note: (text: string) => void
  /** Called when nothing can be recorded any more. */
  readonly onFailed: (error: unknown) => void
}

export interface Session {
  readonly fromClient: (line: Lines.Line) => Promise<void>
  readonly fromServer: (line: Lines.Line) => Promise<void>
  /** Resolves once no request is open. */
  readonly idle: () => Promise<void>
  /** Answers open requests, and closes the task. `isFailure`: something other than the client or the user ended it. */
  readonly close: (reason: string, isFailure: boolean) => Promise<void>
}

/** A request of the client that has no response yet. */
interface Open {
  readonly request: Message.Request
  readonly cause: string
  readonly startedAt: number
  readonly cancelled: AbortController
  /** Set once the server has it. */
  isSent: boolean
  commandId?: string
  timer?: ReturnType<typeof setTimeout>
}

/** Maximum number of messages that a session keeps, and of its server's notifications. */
const MAX_KEPT = 20_000
const MAX_NOTIFICATIONS = 2_000

export const open = async (parts: SessionParts): Promise<Session> => {
  const { server, opened, begun, log, file, gate, waitMs, callMs, toClient, toServer, note, onFailed } = parts
  const redaction = Redaction.make()
  const kept = Kept.make(server, log, redaction, MAX_KEPT)
  // Apart, so that a server's flood displaces nothing else.
  const notifications = Kept.make(server, log, redaction, MAX_NOTIFICATIONS)
  let hasInitialized = false
  const idle = IdleRules.make({ gate, server, kept, cause: begun.openedBy, note })
  await idle.opened()
  const tools = await Tools.open({
    server,
    opened,
    begun,
    askMs: gate.confirmWithinMs ?? Gate.CONFIRM_WITHIN_MS,
    note,
    onListed: idle.listed,
    onApproved: () => {
      // Clients since 2026-07-28 list the tools again when their copy is too old.
      if (hasInitialized) void toClient(Message.written(Message.LIST_CHANGED))
    },
  })
  const calls = Calls.make({ server, begun, opened, log, file, gate, tools, redaction, waitMs })
  const clientsRequests = new Map<string, Open>()
  const serversRequests = ServersRequests.make({ kept, cause: begun.openedBy, toClient, toServer })
  const underWay = new Set<Promise<void>>()
  let onIdle = () => {}

  const done = (key: string, one: Open) => {
    clearTimeout(one.timer)
    if (clientsRequests.get(key) === one) clientsRequests.delete(key)
    if (clientsRequests.size === 0) onIdle()
  }
  /** Takes a request out of the open ones. False if it was answered or cancelled before: each has one end. */
  const ends = (one: Open): boolean => {
    const key = Message.keyOf(one.request.id)
    if (clientsRequests.get(key) !== one) return false
    done(key, one)
    return true
  }
  const answer = async (one: Open, response: JsonObject): Promise<void> => {
    if (ends(one)) await toClient(Message.written(response))
  }
  const answerWith = (one: Open, code: number, reason: string) =>
    answer(one, Message.failed(one.request.id, code, reason))

  const lostAnswer = ({ request }: Open, reason: string): string =>
    Message.written(
      Message.failed(request.id, Message.CODES.server, `${server}: ${reason}. The call may have taken effect.`),
    )

  const refuse = async (id: Message.RequestId | null, code: number, reason: string, method?: string) => {
    const record = { reason, ...defined({ method: method?.slice(0, MAX_METHOD).toWellFormed() }) }
    await kept.message("refused", record, begun.openedBy, reason.length)
    await toClient(Message.written(Message.failed(id, code, reason)))
  }

  const call = async (one: Open): Promise<void> => {
    const { request } = one
    const { id } = request
    const taken = await calls.take(request, one.cancelled.signal)
    if (taken.do === "answer") return answer(one, { jsonrpc: "2.0", id, result: taken.result })
    if (taken.do === "refuse") return answerWith(one, taken.code, taken.reason)
    const { commandId } = taken
    if (one.cancelled.signal.aborted) {
      return calls.lost(commandId, "the client cancelled it when it was dispatched; it was not sent")
    }
    one.commandId = commandId
    one.isSent = true
    one.timer = setTimeout(() => track(timedOut(one, commandId)), callMs)
    await toServer(Message.written({ ...request.whole, params: taken.params }))
  }

  const timedOut = async (one: Open, commandId: string): Promise<void> => {
    if (!ends(one)) return
    const reason = `the server did not answer within ${callMs / 1000} s`
    await calls.lost(commandId, reason)
    await toClient(lostAnswer(one, reason))
    await toServer(Message.written(Message.cancellation(one.request.id, reason)))
  }

  const track = (work: Promise<void>): void => {
    const settled = work.catch(onFailed).finally(() => underWay.delete(settled))
    underWay.add(settled)
  }

  const clientRequest = async (request: Message.Request, line: string): Promise<void> => {
    const { id, method } = request
    const key = Message.keyOf(id)
    if (clientsRequests.has(key))
      return refuse(id, Message.CODES.request, `the id ${key} is that of a request without an answer yet`, method)
    if (clientsRequests.size >= MAX_OPEN)
      return refuse(id, Message.CODES.server, `${MAX_OPEN} requests have no answer yet: wait for some`, method)
    if (method === "initialize") hasInitialized = true
    const isCall = method === Message.CALL
    const cause = isCall
      ? begun.openedBy
      : await kept.message(`request ${method}`, { id, params: request.params }, begun.openedBy, line.length)
    const one: Open = {
      request,
      cause,
      startedAt: performance.now(),
      cancelled: new AbortController(),
      isSent: !isCall,
    }
    clientsRequests.set(key, one)
    if (isCall) track(call(one))
    else await toServer(Message.sentOn(line, request.whole))
  }

  const clientCancels = async (request: Open): Promise<void> => {
    request.cancelled.abort()
    // A call that waits is answered when its question is withdrawn.
    if (!request.isSent || !ends(request)) return
    if (request.commandId !== undefined) await calls.lost(request.commandId, "the client cancelled it")
  }

  const clientNotification = async (message: Message.Notification, line: string): Promise<void> => {
    const { method, params, whole } = message
    if (method === Message.CALL) {
      note("A tool call without an id cannot be gated, and was dropped")
      await kept.message("dropped", { reason: "a tool call without an id", params }, begun.openedBy, line.length)
      return
    }
    await kept.message(`notification ${method}`, { params }, begun.openedBy, line.length)
    if (method === Message.CANCELLED) {
      const { requestId } = params
      const isId = typeof requestId === "string" || typeof requestId === "number"
      const found = isId ? clientsRequests.get(Message.keyOf(requestId)) : undefined
      const wasSent = found?.isSent ?? false
      if (found !== undefined) await clientCancels(found)
      // The server never had the others.
      if (!wasSent) return
    }
    await toServer(Message.sentOn(line, whole))
  }

  /** A response from the server: to a request of the client that it has, or to nothing. */
  const serverResponse = async ({ id, whole }: Message.Response, line: string): Promise<void> => {
    const key = Message.keyOf(id)
    const one = clientsRequests.get(key)
    if (one === undefined || !one.isSent) {
      await kept.message("response without a request", { ...whole }, begun.openedBy, line.length)
      return
    }
    done(key, one)
    const { request, commandId, startedAt, cause } = one
    if (commandId !== undefined) {
      const changed = await calls.ended(commandId, whole, performance.now() - startedAt)
      return toClient(changed === undefined ? Message.sentOn(line, whole) : Message.written(changed))
    }
    await kept.message(`response ${request.method}`, Answers.outcomeOf(whole), cause, line.length)
    if (request.method !== Message.LIST || whole.error !== undefined) return toClient(Message.sentOn(line, whole))
    const result = asObject(whole.result)
    const page = {
      tools: Array.isArray(result.tools) ? result.tools : [],
      isFirst: request.params.cursor === undefined,
      isLast: result.nextCursor === undefined,
    }
    const visible = await tools.listed(page)
    await toClient(Message.written(visible === undefined ? whole : { ...whole, result: { ...result, tools: visible } }))
  }

  return {
    fromClient: async (line) => {
      if (line.kind === "too-long") {
        const id = Message.idIn(line.start, line.end) ?? null
        return refuse(id, Message.CODES.request, tooLong(line.bytes))
      }
      const message = Message.read(line.text)
      switch (message.kind) {
        case "invalid":
          return refuse(message.id ?? null, Message.CODES.request, `Expected a message of MCP; ${message.reason}`)
        case "request":
          return clientRequest(message, line.text)
        case "notification":
          return clientNotification(message, line.text)
        case "response":
          return serversRequests.answered(message, line.text)
      }
    },
    fromServer: async (line) => {
      if (line.kind === "too-long") {
        await kept.message("too long", { bytes: line.bytes }, begun.openedBy, 0)
        const id = Message.idIn(line.start, line.end)
        const one = id === undefined ? undefined : clientsRequests.get(Message.keyOf(id))
        if (one === undefined || !one.isSent || !ends(one))
          return note(`${server}: ${tooLong(line.bytes)}; it was dropped`)
        if (one.commandId !== undefined) await calls.lost(one.commandId, tooLong(line.bytes))
        return toClient(lostAnswer(one, tooLong(line.bytes)))
      }
      const message = Message.read(line.text)
      switch (message.kind) {
        case "invalid": {
          const text = line.text.slice(0, 200).toWellFormed()
          await kept.message("invalid", { reason: message.reason, text }, begun.openedBy, text.length)
          return
        }
        case "response":
          return serverResponse(message, line.text)
        case "request":
          return serversRequests.asked(message, line.text)
        case "notification":
          await notifications.message(
            `server's notification ${message.method}`,
            { params: message.params },
            begun.openedBy,
            line.text.length,
          )
          return toClient(Message.sentOn(line.text, message.whole))
      }
    },
    idle: () =>
      new Promise((resolve) => {
        onIdle = resolve
        if (clientsRequests.size === 0) resolve()
      }),
    close: async (reason, isFailure) => {
      for (const one of [...clientsRequests.values()]) {
        one.cancelled.abort()
        await answerWith(one, Message.CODES.server, `${server}: ${reason}`)
      }
      await tools.close()
      const left = await calls.close()
      await Promise.all(underWay)
      await kept.close(begun.openedBy)
      await notifications.close(begun.openedBy)
      await log.settled()
      const ended =
        left > 0 || isFailure
          ? { outcome: "abandoned" as const }
          : { outcome: "achieved" as const, unjudged: true as const }
      const closed: CoreNewEvent = {
        type: "TaskClosed",
        payload: { ...ended, reason: `${reason}; nobody gave a verdict` },
      }
      await log.tell(closed)
    },
  }
}

/** Maximum length of a method's name in a record, in characters. */
const MAX_METHOD = 200

const tooLong = (bytes: number): string =>
  `a message has ${bytes} bytes, and the gateway passes at most ${Lines.MAX_BYTES}`
