/** Turns a task's events into a conversation: messages, reasoning, tool calls and their costs. */
import type { Json, JsonObject } from "../../../../values/Json.ts"
import { messageText } from "../../../../values/JsonObjects.ts"
import { inWords } from "../../../../values/time/Wait.ts"
import type { Entry } from "../../../wire/CourseSlice.ts"
import type { AnswerPart, InputDelivery } from "../../../wire/Talk.ts"
import { inTime } from "./inTime.ts"
import type { Answer, Call, End, Input, Long, Said, Spoken, Use } from "./Spoken.ts"

const NOTHING: Use = { inputTokens: 0, outputTokens: 0, usd: null }

/**
 * The conversation in a task's ordered events. An event that is too long for a page appears as its summary line.
 *
 * @param isCaptured whether a recorder or an import wrote the task: then a request to a model delivers the inputs
 *   before it, since only kernels record deliveries
 */
export const conversation = (entries: ReadonlyArray<Entry>, isCaptured = false): ReadonlyArray<Spoken> => {
  const told = new Conversation(isCaptured)
  for (const entry of inTime(entries)) told.take(entry)
  return told.spoken()
}

/** An item that later events may still complete. */
type Growing<A> = { -readonly [Field in keyof A]: A[Field] }

class Conversation {
  readonly #spoken: Array<Growing<Said> | Growing<Input> | Growing<Answer> | Growing<Call>> = []
  /** By the position of the request. */
  readonly #answers = new Map<number, Growing<Answer>>()
  readonly #inputs = new Map<number, Growing<Input>>()
  readonly #commands = new Map<Json, Growing<Call>>()
  /**
   * By the positions of the command and of the events that it caused: an event that is too long does not name its
   * command.
   */
  readonly #caused = new Map<number, Growing<Call>>()
  readonly #questions = new Map<Json, Growing<Call>>()
  /** The calls of each answer, by the model's call ids. */
  readonly #calls = new Map<string, { readonly of: Growing<Answer>; readonly tool: string; readonly args: Json }>()
  readonly #isCaptured: boolean

  constructor(isCaptured: boolean) {
    this.#isCaptured = isCaptured
  }

  take(entry: Entry): void {
    const payload = objectOf(entry.payload)
    const command = entry.cause === null ? undefined : this.#caused.get(entry.cause.position)
    if (command !== undefined) this.#caused.set(entry.position, command)
    switch (entry.type) {
      case "InputReceived":
        this.#hear(entry, payload)
        return
      case "InputDelivered":
        for (const position of listOf(payload.inputs)) {
          const input = this.#inputs.get(Number(position))
          if (input !== undefined) input.given = entry.position
        }
        return
      case "MessageSent":
        this.#say(entry, messageText(payload.content) || entry.line)
        return
      case "ModelCalled":
        this.#ask(entry, payload)
        return
      case "ModelResponded":
      case "ModelFailed":
        this.#answer(entry, payload)
        return
      case "ActuatorCommanded":
        this.#command(entry, payload)
        return
      case "ConfirmationRequested": {
        const command = this.#commandOf(entry, payload)
        if (command === undefined) return
        command.asked = "waits"
        this.#questions.set(payload.confirmationId ?? null, command)
        return
      }
      case "ConfirmationDecided":
        this.#settle(payload, payload.approved === true ? "approved" : "rejected")
        return
      case "ConfirmationExpired":
        this.#settle(payload, "expired")
        return
      case "ConfirmationWithdrawn":
        this.#settle(payload, "withdrawn")
        return
      default: {
        const status = ENDS.get(entry.type)
        if (status !== undefined) this.#end(entry, payload, status)
      }
    }
  }

  spoken(): ReadonlyArray<Spoken> {
    for (const { of, tool, args } of this.#calls.values()) of.calls = [...of.calls, { tool, args }]
    this.#calls.clear()
    return this.#spoken
  }

  #hear(entry: Entry, payload: JsonObject): void {
    const input: Growing<Input> = {
      kind: "input",
      position: entry.position,
      by: entry.actor,
      given: null,
      text: messageText(payload.content) || entry.line,
      delivery: deliveryOf(payload.delivery),
      ...longOf(entry),
    }
    this.#inputs.set(entry.position, input)
    this.#spoken.push(input)
  }

  /** The kernel also records what an agent says. Skip a message that repeats its model's answer. */
  #say(entry: Entry, text: string): void {
    const last = this.#spoken.findLast(({ kind }) => kind === "answer" || kind === "said" || kind === "input")
    if (last?.kind === "answer" && same(last.text, text)) return
    this.#spoken.push({ kind: "said", position: entry.position, text, ...longOf(entry) })
  }

  #ask(entry: Entry, { provider, model }: JsonObject): void {
    if (this.#isCaptured) for (const input of this.#inputs.values()) input.given ??= entry.position
    const named = [provider, model].filter((part) => typeof part === "string").join("/")
    this.#begin(entry.position, { position: entry.position, model: named || null, request: entry.id })
  }

  #begin(request: number, begun: Pick<Answer, "position" | "model" | "request">): Growing<Answer> {
    const answer: Growing<Answer> = {
      kind: "answer",
      text: "",
      reasoning: "",
      calls: [],
      failed: null,
      use: NOTHING,
      ...begun,
    }
    this.#answers.set(request, answer)
    this.#spoken.push(answer)
    return answer
  }

  #answer(entry: Entry, payload: JsonObject): void {
    const asked = entry.cause?.position ?? entry.position
    const { position } = entry
    const answer = this.#answers.get(asked) ?? this.#begin(asked, { position, model: null, request: null })
    const parts = partsOf(payload.response)
    answer.position = position
    answer.request = null
    answer.text = parts.length > 0 ? words(parts, "text") : messageText(payload.response) || entry.line
    answer.reasoning = words(parts, "reasoning")
    answer.use = usedIn(payload)
    Object.assign(answer, longOf(entry))
    if (entry.type === "ModelFailed")
      answer.failed = `${waitIn(payload)}${[payload.kind, payload.reason].filter(isText).join(": ") || entry.line}`
    for (const part of parts)
      if (part.type === "call") this.#calls.set(part.callId, { of: answer, tool: part.tool, args: part.args })
  }

  #command(entry: Entry, { commandId, callId, actuator, args }: JsonObject): void {
    const called = typeof callId === "string" ? this.#calls.get(callId) : undefined
    if (called !== undefined) this.#calls.delete(String(callId))
    const command: Growing<Call> = {
      kind: "call",
      position: entry.position,
      end: null,
      asked: null,
      tool: isText(actuator) ? actuator : (called?.tool ?? entry.line),
      args: args ?? called?.args ?? null,
      ...longOf(entry),
    }
    if (isText(commandId)) this.#commands.set(commandId, command)
    this.#caused.set(entry.position, command)
    this.#spoken.push(command)
  }

  #commandOf({ position }: Entry, { commandId }: JsonObject): Growing<Call> | undefined {
    return isText(commandId) ? this.#commands.get(commandId) : this.#caused.get(position)
  }

  #settle({ confirmationId }: JsonObject, asked: Call["asked"]): void {
    const command = this.#questions.get(confirmationId ?? null)
    if (command !== undefined) command.asked = asked
  }

  #end(entry: Entry, payload: JsonObject, status: End["status"]): void {
    const command = this.#commandOf(entry, payload)
    if (command === undefined) return
    const result = entry.payload === null ? entry.line : (payload.result ?? payload.error ?? payload.reason ?? null)
    const { reason } = objectOf(payload.unrecorded)
    command.end = {
      position: entry.position,
      status,
      result,
      ...longOf(entry),
      ...(isText(reason) ? { unrecorded: reason } : {}),
      ...(isText(payload.settledBy) ? { settledBy: payload.settledBy } : {}),
    }
  }
}

const longOf = ({ position, length, payload }: Entry): { readonly long?: Long } =>
  payload === null ? { long: { position, length } } : {}

const ENDS: ReadonlyMap<string, End["status"]> = new Map([
  ["CommandSucceeded", "succeeded"],
  ["CommandFailed", "failed"],
  ["CommandDenied", "denied"],
  ["CommandOutcomeUnknown", "unknown"],
])

/** The known parts of a recorded answer. Imported answers of other programs may have other parts. */
const partsOf = (response: Json | undefined): ReadonlyArray<AnswerPart> =>
  listOf(objectOf(response).parts).flatMap(partOf)

const partOf = (part: Json): ReadonlyArray<AnswerPart> => {
  const { type, text, callId, tool, args, mediaType, kind } = objectOf(part)
  if ((type === "text" || type === "reasoning") && isText(text)) return [{ type, text }]
  // Only names parts that are not text. The log has them whole.
  if (type === "file" && isText(mediaType)) return [{ type: "text", text: `[a file: ${mediaType}]` }]
  if (type === "hosted" && isText(tool)) return [{ type: "text", text: `[the provider ran ${tool}]` }]
  if (type === "item" && isText(kind)) return [{ type: "text", text: `[${kind}]` }]
  return type === "call" && isText(callId) && isText(tool) ? [{ type, callId, tool, args: args ?? null }] : []
}

const words = (parts: ReadonlyArray<AnswerPart>, type: "text" | "reasoning"): string =>
  parts.flatMap((part) => (part.type === type ? [part.text] : [])).join("")

const usedIn = ({ usage, cost }: JsonObject): Use => {
  const { inputTokens, outputTokens } = objectOf(usage)
  const { usd } = objectOf(cost)
  return {
    inputTokens: numberOf(inputTokens),
    outputTokens: numberOf(outputTokens),
    usd: typeof usd === "number" ? usd : null,
  }
}

const deliveryOf = (delivery: Json | undefined): InputDelivery =>
  delivery === "steering" || delivery === "interrupting" ? delivery : "queued"

const same = (a: string, b: string): boolean => a.trim() === b.trim()

const isText = (value: Json | undefined): value is string => typeof value === "string"

const numberOf = (value: Json | undefined): number => (typeof value === "number" ? value : 0)

const listOf = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

const objectOf = (value: Json | undefined): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}

const waitIn = ({ retryInMs }: JsonObject): string =>
  typeof retryInMs === "number" ? `waits ${inWords(retryInMs)}: ` : ""
