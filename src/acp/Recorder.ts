/**
 * Records one connection between an editor and an agent. The caller forwards the messages, and tells it each one
 * before, in order.
 */

import { newId } from "../events/vocabulary/Event.ts"
import type { AsksPerson, HookEvent, HookRuling } from "../hooks/HookEvent.ts"
import type * as Sessions from "../hooks/Sessions.ts"
import type { JsonObject } from "../values/Json.ts"
import { asObject, textOf } from "../values/JsonObjects.ts"
import * as Conversation from "./Conversation.ts"
import { keyOf, type Message } from "./Message.ts"
import { hasMore, textOfPrompt } from "./Prompt.ts"

export type Side = "editor" | "agent"

export interface RecorderOptions {
  readonly sessions: Sessions.Sessions
  /** The agent's name until the agent says its own. */
  readonly agent: string
  /** The log failed, and recording stops. Called once. */
  readonly onFailed: (error: unknown) => void
}

export interface Recorder {
  /** Records a message. Never rejects. */
  readonly take: (from: Side, message: Message) => Promise<void>
  /** Records a permission request and asks the gate. Rejects if the log fails. */
  readonly ask: (params: JsonObject, person: AsksPerson, left: AbortSignal) => Promise<HookRuling>
  /** Records that a line was too long to read. */
  readonly unread: (from: Side) => Promise<void>
  /** Ends all sessions. Never rejects. */
  readonly end: (reason: string) => Promise<void>
}

/** Maximum number of sessions of a connection, and of requests without a response. The log lacks further ones. */
const MAX_SESSIONS = 1_000
const MAX_PENDING = 10_000

/** The notifications before their responses repeat what happened earlier. */
const REPLAYING = new Set(["session/load", "session/resume", "session/fork"])

/** The agent asks the editor for these: commands that the editor carries out. */
const ASKED_OF_EDITOR = /^(fs|terminal)\//

interface Request {
  readonly method: string
  readonly params: JsonObject
}

export const make = ({ sessions, agent, onFailed }: RecorderOptions): Recorder => {
  const known = new Map<string, Conversation.Conversation>()
  const pending: Readonly<Record<Side, Map<string, Request>>> = { editor: new Map(), agent: new Map() }
  let client: Sessions.ClientName = { name: nameOf(agent), title: agent }
  const directories = new Map<string, string>()
  let hasFailed = false

  const conversationOf = (session: string): Conversation.Conversation | undefined => {
    const found = known.get(session)
    if (found !== undefined || known.size >= MAX_SESSIONS) return found
    const made = Conversation.make()
    known.set(session, made)
    return made
  }
  const isNew = (session: string) => async (callId: string) => !(await sessions.knows(client, session, callId))

  const tell = async (session: string, told: ReadonlyArray<Conversation.Told>): Promise<void> => {
    for (const one of told) {
      if (hasFailed) return
      try {
        await sessions.take(client, { session, cwd: cwdOf(session), ...one })
      } catch (error) {
        hasFailed = true
        onFailed(error)
      }
    }
  }
  const cwdOf = (session: string): string => directories.get(session) ?? ""
  const worksIn = (session: string, { cwd }: JsonObject): void => {
    const directory = textOf(cwd)
    if (directory !== undefined && directories.size < MAX_SESSIONS) directories.set(session, directory)
  }
  const other = (event: string, payload: JsonObject): Conversation.Told => ({
    event,
    payload,
    happening: { kind: "other" },
  })
  const isReplaying = (): boolean => [...pending.editor.values()].some(({ method }) => REPLAYING.has(method))

  const prompted = async (session: string, params: JsonObject): Promise<void> => {
    const one = conversationOf(session)
    if (one === undefined) return
    one.turns++
    const text = textOfPrompt(params.prompt)
    const prompt = {
      event: "session/prompt",
      payload: {},
      happening: { kind: "prompt", text, source: "user" },
    } as const
    const more = hasMore(params.prompt) ? [other("session/prompt", { prompt: params.prompt ?? null })] : []
    await tell(session, [...one.flush(), prompt, ...more])
  }

  const requested = async (from: Side, message: Message & { readonly kind: "request" }): Promise<void> => {
    const { id, method, params } = message
    const open = pending[from]
    // An id in use is the sender's mistake: the response belongs to the first request.
    if (method !== ASKING && !open.has(keyOf(id)) && open.size < MAX_PENDING) open.set(keyOf(id), { method, params })
    const session = textOf(params.sessionId)
    if (from === "agent") {
      if (session !== undefined && !ASKED_OF_EDITOR.test(method) && method !== ASKING)
        await tell(session, [other(method, params)])
      return
    }
    if (session === undefined) return
    worksIn(session, params)
    if (method === "session/prompt") await prompted(session, params)
    else await tell(session, [other(method, withoutServers(params))])
  }

  const answered = async (from: Side, message: Message & { readonly kind: "response" }): Promise<void> => {
    const { id, result, error } = message
    const asking = pending[from === "agent" ? "editor" : "agent"]
    const request = asking.get(keyOf(id))
    if (request === undefined) return
    asking.delete(keyOf(id))
    const { method, params } = request
    const session = textOf(params.sessionId)
    const payload = { ...(result === undefined ? {} : { result }), ...(error === undefined ? {} : { error }) }
    if (from === "agent") {
      if (method === "initialize") introduce(asObject(result))
      if (method === "session/new") await began(params, asObject(result))
      if (method === "session/prompt" && session !== undefined) {
        const one = conversationOf(session)
        if (one === undefined) return
        one.turns = Math.max(0, one.turns - 1)
        await tell(session, [...(one.turns === 0 ? one.endTurn() : one.flush()), other(method, payload)])
      }
      return
    }
    if (session === undefined || !ASKED_OF_EDITOR.test(method)) return
    const { sessionId: _, ...input } = params
    const outcome = { ok: error === undefined, content: error ?? result ?? null }
    const happening = { kind: "after", tool: method, input, callId: newId(), ...outcome } as const
    await tell(session, [...(known.get(session)?.flush() ?? []), { event: method, payload: {}, happening }])
  }

  const introduce = (result: JsonObject): void => {
    const { name, title } = asObject(result.agentInfo)
    const told = textOf(name)
    if (told !== undefined && known.size === 0) client = { name: nameOf(told), title: textOf(title) ?? told }
  }

  const began = async (params: JsonObject, result: JsonObject): Promise<void> => {
    const session = textOf(result.sessionId)
    if (session === undefined) return
    worksIn(session, params)
    const { sessionId: _, ...settings } = result
    await tell(session, [other("session/new", { ...withoutServers(params), ...settings })])
  }

  return {
    take: async (from, message) => {
      if (message.kind === "request") return requested(from, message)
      if (message.kind === "response") return answered(from, message)
      const { method, params } = message
      const session = textOf(params.sessionId)
      if (session === undefined) return
      if (method !== "session/update" || from === "editor") return tell(session, [other(method, params)])
      if (isReplaying() && (known.get(session)?.turns ?? 0) === 0) return
      await tell(session, (await conversationOf(session)?.update(asObject(params.update), isNew(session))) ?? [])
    },
    ask: async (params, person, left) => {
      const session = textOf(params.sessionId) ?? "unnamed"
      const one = conversationOf(session)
      if (hasFailed || one === undefined) throw new Error("the session cannot be recorded")
      const shown = { toolCall: params.toolCall ?? null, options: params.options ?? null }
      await tell(session, [...one.flush(), other(ASKING, shown)])
      const { call, denied } = await one.asked(asObject(params.toolCall), isNew(session))
      const happening: HookEvent["happening"] = { kind: "before", ...call, person }
      const ruling = await sessions.take(
        client,
        { session, cwd: cwdOf(session), event: ASKING, payload: {}, happening },
        left,
      )
      if (ruling.decision === "deny") denied()
      return ruling
    },
    unread: async (from) => {
      const [session] = [...known.keys()].slice(-1)
      if (session !== undefined) await tell(session, [other("unread line", { from })])
    },
    end: async (reason) => {
      for (const [session, one] of known) {
        await tell(session, one.endTurn())
        await tell(session, [{ event: "connection ended", payload: {}, happening: { kind: "ended", reason } }])
      }
      known.clear()
    },
  }
}

export const ASKING = "session/request_permission"

/** A name fit for an actuator and a task's id. */
const nameOf = (agent: string): string =>
  `acp-${agent
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, "-")
    .slice(0, 60)}`

/** The addresses of MCP servers hold keys. */
const withoutServers = ({ mcpServers, ...params }: JsonObject): JsonObject => {
  const names = Array.isArray(mcpServers) ? mcpServers.map((server) => textOf(asObject(server).name) ?? "unnamed") : []
  return names.length === 0 ? params : { ...params, mcpServers: names }
}
