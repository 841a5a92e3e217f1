/**
 * Passes messages between an editor and an agent: records each line, then passes it on as it came. The gate's rules
 * answer permission requests, or leave them to the editor's person.
 */

import type { Buffer } from "node:buffer"
import type { Readable, Writable } from "node:stream"
import type { AsksPerson } from "../hooks/HookEvent.ts"
import type { JsonObject } from "../values/Json.ts"
import * as Lines from "./Lines.ts"
import { type Id, keyOf, type Message, read, response } from "./Message.ts"
import * as Outlet from "./Outlet.ts"
import * as Permission from "./Permission.ts"
import * as Recorder from "./Recorder.ts"

export interface BetweenOptions {
  readonly recorder: Recorder.Recorder
  /** Whether rules decide: they refuse a request that nobody can judge. Otherwise the person decides alone. */
  readonly isGated: boolean
  /** The person at the editor, for the log. */
  readonly user: string
  readonly editor: { readonly from: Readable; readonly to: Writable }
  readonly agent: { readonly from: Readable; readonly to: Writable }
  /** See `OutletOptions`. */
  readonly unreadMs?: number | undefined
}

/** The channel of an editor's decisions. */
const CHANNEL = "acp"

/** A permission request whose answer is due. */
interface Question {
  readonly params: JsonObject
  readonly left: AbortController
  /** The person's answer, as the editor sent it. */
  answer?: Buffer
  readonly resolve: (message: Message & { readonly kind: "response" }) => void
  readonly response: Promise<Message & { readonly kind: "response" }>
  isShown: boolean
}

/** Passes messages until both sides have ended. Rejects with `Outlet.Unread` if one of them does not read. */
export const run = async ({ recorder, isGated, user, editor, agent, unreadMs }: BetweenOptions): Promise<void> => {
  const toEditor = Outlet.make(editor.to, { reader: "editor", unreadMs })
  const toAgent = Outlet.make(agent.to, { reader: "agent", unreadMs })
  const questions = new Map<string, Question>()
  /** Questions that somebody else answered: the editor's answer comes too late, and the agent must not get it. */
  const decided = new Set<string>()
  const underWay = new Set<Promise<void>>()

  const ask = async (id: Id, params: JsonObject, line: Buffer): Promise<void> => {
    const key = keyOf(id)
    const question = questionOf(params)
    questions.set(key, question)
    const show = async () => {
      question.isShown = true
      await toEditor.line(line)
    }
    const person: AsksPerson = async () => {
      await show()
      const { approved, reason } = Permission.chosenOf(params, (await question.response).result)
      // The agent ended before a person answered: the question is withdrawn.
      if (question.left.signal.aborted) return new Promise(() => {})
      return { approved, by: user, channel: CHANNEL, reason }
    }
    const ruling = await recorder.ask(params, person, question.left.signal).catch(() => undefined)
    const isUnjudged = ruling === undefined || ruling.decision === "none" || isOfLog(ruling)
    // Without rules, the editor's person decides, as without a recorder.
    const isPersons = !isGated && isUnjudged
    const decision = ruling?.decision === "allow" ? "allow" : "deny"
    const own = isPersons ? undefined : Permission.resultOf(params, decision)
    if (!question.isShown && own === undefined) await show()
    if (isPersons || own === undefined) await question.response
    questions.delete(key)
    const { answer } = question
    if (answer === undefined) {
      if (question.isShown) decided.add(key)
      await toAgent.line(response(id, own ?? Permission.CANCELLED))
      return
    }
    const chosen = Permission.chosenOf(
      params,
      read(answer)?.kind === "response" ? (await question.response).result : {},
    )
    const isSame = isPersons || chosen.approved === (decision === "allow")
    await toAgent.line(isSame || own === undefined ? answer : response(id, own))
  }

  /** Returns whether to pass the line on. */
  const fromAgent = async (message: Message, line: Buffer): Promise<boolean> => {
    await recorder.take("agent", message)
    if (message.kind !== "request" || message.method !== Recorder.ASKING) return true
    const { id, params } = message
    if (questions.has(keyOf(id)) || decided.has(keyOf(id))) {
      // Nobody could tell its answer from the other's.
      if (isGated) await toAgent.line(response(id, Permission.CANCELLED))
      return !isGated
    }
    const asking = ask(id, params, line).finally(() => underWay.delete(asking))
    underWay.add(asking)
    return false
  }

  const fromEditor = async (message: Message, line: Buffer): Promise<boolean> => {
    await recorder.take("editor", message)
    if (message.kind !== "response") return true
    const key = keyOf(message.id)
    if (decided.delete(key)) return false
    const question = questions.get(key)
    if (question === undefined || !question.isShown) return true
    question.answer ??= line
    question.resolve(message)
    return false
  }

  const pump = async (side: Recorder.Side, from: Readable, to: Outlet.Outlet): Promise<void> => {
    const lines = Lines.make()
    let isUnread = false
    const pass = async (piece: Lines.Piece): Promise<void> => {
      if (piece.kind === "line") {
        const message = read(piece.bytes)
        const take = side === "agent" ? fromAgent : fromEditor
        if (message !== undefined && !(await take(message, piece.bytes))) return
      } else if (!isUnread) {
        isUnread = true
        await recorder.unread(side)
      }
      if (piece.kind === "last") isUnread = false
      await to.pass(piece)
    }
    for await (const chunk of from) for (const piece of lines.push(chunk)) await pass(piece)
    for (const piece of lines.end()) await pass(piece)
  }

  const withdraw = () => {
    for (const { left, resolve } of questions.values()) {
      left.abort()
      resolve({ kind: "response", id: 0, result: Permission.CANCELLED, error: undefined })
    }
  }
  const ended = pump("agent", agent.from, toEditor).finally(withdraw)
  // The editor may stay connected after the agent has ended.
  const editing = pump("editor", editor.from, toAgent).finally(toAgent.end)
  // The end of the editor's stream changes nothing after the agent's.
  editing.catch(() => {})
  const end = await Promise.race([ended, Promise.all([editing, ended]), toEditor.stuck, toAgent.stuck])
  if (end instanceof Outlet.Unread) withdraw()
  await Promise.allSettled(underWay)
  if (end instanceof Outlet.Unread) throw end
}

const questionOf = (params: JsonObject): Question => {
  let resolve: Question["resolve"] = () => {}
  const response = new Promise<Message & { readonly kind: "response" }>((settle) => {
    resolve = settle
  })
  return { params, left: new AbortController(), resolve, response, isShown: false }
}

const isOfLog = (ruling: { readonly decision: string; readonly rule?: string }): boolean =>
  ruling.decision === "deny" && ruling.rule === "log"
