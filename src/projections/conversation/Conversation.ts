/**
 * Turns a task's events into a conversation: goal, guides, messages, answers, calls with their outcomes, notes and the
 * close. Pure, and free of Node, so that pages, terminals and exports share it.
 */

import type { Json, JsonObject } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"
import { parentIn } from "../state/environment/ParentOf.ts"
import { isOfCritic } from "../state/ModelCallEnd.ts"
import { begun } from "./Begun.ts"
import { Calls } from "./Calls.ts"
import { inTime } from "./InTime.ts"
import type { Answer, Call, Goal, Input, Item, Wanted } from "./Item.ts"
import { closeOf, noteOf } from "./Notes.ts"
import { answerOf, contentOf, countOr, isText, listOf, textOr, UNKNOWN, useOf } from "./Parts.ts"
import * as Requests from "./Requests.ts"
import type { Growing, Told } from "./Told.ts"

export interface ConversationOptions {
  /**
   * Whether a recorder or an import wrote the task: then a request to a model delivers the inputs before it, since only
   * kernels record deliveries.
   */
  readonly isCaptured?: boolean
}

/**
 * The conversation in a task's ordered events, or in a part of them. If the beginning of an event's item is missing,
 * the event begins an item of its own if it has words, and is left out otherwise. An event without its payload appears
 * as its line.
 */
export const conversation = (
  events: ReadonlyArray<Told>,
  { isCaptured = false }: ConversationOptions = {},
): ReadonlyArray<Item> => {
  const told = new Conversation(isCaptured)
  for (const event of inTime(events)) told.take(event)
  return told.items()
}

/** An item by the position of each of its events. */
export const byPosition = (items: ReadonlyArray<Item>): ReadonlyMap<number, Item> =>
  new Map(items.flatMap((item) => item.events.map((position) => [position, item] as const)))

class Conversation {
  readonly #items: Array<Growing<Item>> = []
  /** By the position of the request. */
  readonly #answers = new Map<number, Growing<Answer>>()
  readonly #inputs = new Map<number, Growing<Input>>()
  readonly #calls = new Calls()
  /** Calls in answers that have become no command so far, by the model's ids. */
  readonly #wanted = new Map<string, { readonly of: Growing<Answer>; call: Wanted }>()
  /** Texts that a later request repeats, trimmed. */
  readonly #heard = new Set<string>()
  /** Whether the next request has inputs that came before the first of these events. */
  #repeatsUnknown = false
  #goal: Growing<Goal> | undefined
  #guide = ""
  /** Whether the last attempt failed and is repeated. */
  #retries = false
  readonly #isCaptured: boolean

  constructor(isCaptured: boolean) {
    this.#isCaptured = isCaptured
  }

  take(event: Told): void {
    const payload = asObject(event.payload ?? undefined)
    if (this.#calls.take(event, payload)) return
    switch (event.type) {
      case "TaskOpened":
        this.#open(event, payload)
        return
      case "GuideApplied":
        this.#guided(event, isText(payload.systemPrompt) ? payload.systemPrompt : event.line, payload)
        return
      case "InputReceived":
        this.#hear(event, payload)
        return
      case "InputDelivered":
        this.#deliver(event, payload)
        return
      case "MessageSent":
        this.#say(event, payload)
        return
      case "ModelCalled":
        this.#ask(event, payload)
        return
      case "ModelResponded":
      case "ModelFailed":
        this.#answer(event, payload)
        return
      case "ActuatorCommanded":
        this.#command(event, payload)
        return
      case "TaskClosed":
        this.#items.push(closeOf(event, payload))
        return
      default: {
        const note = noteOf(event, payload)
        if (note !== undefined) this.#items.push(note)
      }
    }
  }

  items(): ReadonlyArray<Item> {
    for (const { of, call } of this.#wanted.values()) of.calls = [...of.calls, call]
    this.#wanted.clear()
    return this.#items
  }

  #open(event: Told, { goal, agent, agents, environment, forkedFrom }: JsonObject): void {
    const { taskId, timeline, at } = asObject(forkedFrom)
    const text = isText(goal) ? goal : event.line
    this.#goal = {
      kind: "goal",
      ...begun(event, null),
      text,
      isRepeated: false,
      agent: textOr(agent),
      agents: listOf(agents).filter(isText),
      parent: parentIn(environment),
      forkedFrom: isText(taskId) && isText(timeline) && typeof at === "number" ? { task: taskId, timeline, at } : null,
      cause: event.cause?.position ?? null,
    }
    this.#heard.add(text.trim())
    this.#items.push(this.#goal)
  }

  #guided(event: Told, text: string, { initialMemories, agentId }: JsonObject): void {
    const memories = listOf(initialMemories).filter(isText)
    const key = JSON.stringify([text, memories])
    if (key === this.#guide) return
    this.#guide = key
    const isOwn = event.type === "GuideApplied"
    this.#items.push({ kind: "guide", ...begun(event, agentId), ...(isOwn ? {} : { long: [] }), text, memories })
  }

  #hear(event: Told, { content, source, delivery, agentId }: JsonObject): void {
    const heard = contentOf(content)
    const text = heard.text === "" && heard.files.length === 0 ? event.line : heard.text
    if (this.#goal !== undefined && this.#inputs.size === 0 && same(this.#goal.text, text)) this.#goal.isRepeated = true
    const input: Growing<Input> = {
      kind: "input",
      ...begun(event, agentId),
      by: event.actor.startsWith("human:") ? event.actor : (textOr(source) ?? event.actor),
      text,
      files: heard.files,
      delivery: delivery === "steering" || delivery === "interrupting" ? delivery : "queued",
      given: null,
    }
    for (const part of [text, ...listOf(content).map((part) => contentOf([part]).text)]) this.#heard.add(part.trim())
    this.#inputs.set(event.position, input)
    this.#items.push(input)
  }

  #deliver(event: Told, { inputs }: JsonObject): void {
    for (const position of listOf(inputs)) {
      const input = this.#inputs.get(Number(position))
      if (input === undefined) {
        this.#repeatsUnknown = true
        continue
      }
      input.given = event.position
      input.events = [...input.events, event.position]
    }
  }

  /** The kernel also records an agent's messages. Skips one that repeats its model's answer. */
  #say(event: Told, { content, agentId, audience }: JsonObject): void {
    const text = contentOf(content).text || event.line
    const last = this.#items.findLast(({ kind }) => kind === "answer" || kind === "said" || kind === "input")
    if (last?.kind === "answer" && same(last.text, text)) {
      last.events = [...last.events, event.position]
      return
    }
    this.#items.push({ kind: "said", ...begun(event, agentId), text, audience: listOf(audience).filter(isText) })
  }

  #ask(event: Told, { provider, model, request, retryOf, agentId }: JsonObject): void {
    if (isOfCritic(event)) return
    if (this.#isCaptured) for (const input of this.#inputs.values()) input.given ??= event.position
    const told = Requests.read(request)
    if (told.system !== null) this.#guided(event, told.system, { agentId: agentId ?? null })
    for (const text of told.instructions)
      this.#items.push({ kind: "guide", ...begun(event, agentId), long: [], text, memories: [] })
    for (const [callId, result] of told.results) {
      const wanted = this.#wanted.get(callId)
      if (wanted !== undefined) wanted.call = { ...wanted.call, ...result }
    }
    for (const message of told.messages) this.#tell(event, message, agentId)
    this.#repeatsUnknown = false
    const named = [provider, model].filter(isText).join("/") || event.line.replace(" ", "/")
    const begin = { model: named || null, request: event.id, isRetry: this.#retries || isText(retryOf) }
    this.#begin(event, agentId, begin)
    this.#retries = false
  }

  /** A message that only the request has. */
  #tell(event: Told, { text, files }: Requests.Request["messages"][number], agentId: Json | undefined): void {
    if (this.#repeatsUnknown || (files.length === 0 ? this.#heard.has(text.trim()) : this.#inputs.size > 0)) return
    const by = this.#isCaptured ? "program" : "agent"
    const given = event.position
    this.#items.push({ kind: "input", ...begun(event, agentId), long: [], by, text, files, delivery: null, given })
  }

  #begin(
    event: Told,
    agentId: Json | undefined,
    begin: Pick<Answer, "model" | "request" | "isRetry">,
  ): Growing<Answer> {
    const answer: Growing<Answer> = {
      kind: "answer",
      ...begun(event, agentId),
      text: "",
      reasoning: "",
      files: [],
      calls: [],
      failed: null,
      use: UNKNOWN,
      latencyMs: null,
      ...begin,
    }
    this.#answers.set(event.position, answer)
    this.#items.push(answer)
    return answer
  }

  #answer(event: Told, payload: JsonObject): void {
    if (isOfCritic(event)) return
    const known = this.#answers.get(event.cause?.position ?? -1)
    const answer = known ?? this.#begin(event, undefined, { model: null, request: null, isRetry: false })
    const answered = answerOf(payload.response)
    answer.position = event.position
    answer.request = null
    answer.text = answered?.text ?? wordsOf(event, payload)
    answer.reasoning = answered?.reasoning ?? ""
    answer.files = answered?.files ?? []
    answer.use = useOf(payload)
    answer.latencyMs = countOr(payload.latencyMs)
    if (known !== undefined) {
      answer.events = [...answer.events, event.position]
      if (event.payload === null) answer.long = [...answer.long, { position: event.position, length: event.length }]
    }
    if (event.type === "ModelFailed") this.#fail(event, payload, answer)
    for (const call of answered?.wanted ?? []) this.#wanted.set(call.callId, { of: answer, call })
  }

  #fail(event: Told, { kind, reason, retryInMs }: JsonObject, answer: Growing<Answer>): void {
    const inMs = countOr(retryInMs)
    this.#retries = inMs !== null
    answer.failed = { kind: textOr(kind), reason: textOr(reason) ?? (isText(kind) ? "" : event.line), retryInMs: inMs }
  }

  #command(event: Told, payload: JsonObject): void {
    const { callId, actuator, args, agentId, source, observed } = payload
    const wanted = isText(callId) ? this.#wanted.get(callId)?.call : undefined
    if (isText(callId)) this.#wanted.delete(callId)
    const call: Growing<Call> = {
      kind: "call",
      ...begun(event, agentId),
      tool: isText(actuator) ? actuator : (wanted?.tool ?? event.line),
      args: args ?? wanted?.args ?? null,
      isOfScenario: source === "scenario",
      isObserved: observed === true,
      state: "running",
      approval: null,
      rule: null,
      end: null,
      changes: [],
    }
    this.#calls.begin(event, payload, call)
    this.#items.push(call)
  }
}

/** The words of an answer in another form; its line if it has none. A failure may come without any. */
const wordsOf = ({ type, line, payload }: Told, { response }: JsonObject): string =>
  contentOf(response).text || (type === "ModelFailed" && payload !== null ? "" : line)

const same = (a: string, b: string): boolean => a.trim() === b.trim()
