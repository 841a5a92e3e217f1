/**
 * Conversations as lists of messages, in OpenAI's (also fine-tuning and evaluation files), Anthropic's or the AI SDK's
 * form: one per line, or a document. Results of verifiers (`prompt`, `completion`, `reward`) are such lines.
 */

import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import { anthropic } from "../../providers/formats/Anthropic.ts"
import { openAiChat } from "../../providers/formats/OpenAiChat.ts"
import type { JsonObject } from "../../values/Json.ts"
import { IdSet, idOf } from "../runs/EventIds.ts"
import { APPROVALS, REQUESTS, SETTINGS, TOOL_TIMES, WORLD } from "../runs/FormatCapture.ts"
import { named } from "../runs/ModelName.ts"
import { contentIdOf } from "../runs/RecordKeys.ts"
import type { MappedRun } from "../runs/Run.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { isSilent } from "../runs/Silence.ts"
import { asText, at, field, isObject, listOf, logJson, numberOf, statedCount, textOf } from "../runs/Untrusted.ts"
import type { FileHead, Mapper, Source, SourceFile } from "../Source.ts"
import { isAiSdk, messagesOf } from "./AiSdk.ts"
import { Conversation, type ReadMessage } from "./Conversation.ts"

const ROLES = new Set(["system", "developer", "user", "assistant", "tool", "function"])

const isMessage = (value: unknown): boolean =>
  ROLES.has(textOf(value, "role") ?? "") &&
  ["content", "parts", "tool_calls", "function_call"].some((name) => field(value, name) !== undefined)

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value) && isMessage(value[0])

/** Undefined for a record that is no conversation. */
const messagesIn = (record: unknown): ReadonlyArray<unknown> | undefined => {
  if (isList(record)) return record
  const [messages, prompt, completion] = ["messages", "prompt", "completion"].map((name) => field(record, name))
  if (isList(messages)) return [...messages, ...answersIn(record)]
  return isList(prompt) && Array.isArray(completion) ? [...prompt, ...completion] : undefined
}

/** The answer logged with a request. */
const answersIn = (record: unknown): ReadonlyArray<unknown> => {
  const answer = field(listOf(field(record, "response") ?? record, "choices")[0], "message")
  return isMessage(answer) ? [answer] : []
}

export const messages: Source = {
  name: "messages",
  title: "conversation in messages (OpenAI's chat, Anthropic's, the AI SDK's)",
  form: "either",
  capture: { pairing: "call-id", lacks: [SETTINGS, REQUESTS, APPROVALS, TOOL_TIMES, WORLD] },
  isGeneral: true,
  recognizes: ({ lines, text, name }: FileHead) =>
    name !== "api_conversation_history.json" &&
    !/"(?:mini_version|trajectory_format|projectHash|schema_version)"\s*:/.test(text) &&
    (lines.length > 0
      ? messagesIn(lines[0]) !== undefined || (Array.isArray(lines[0]) && messagesIn(lines[0][0]) !== undefined)
      : isDocument(text)),
  open: (file, runs) => mapper(file, runs),
}

/** Whether a text begins a document of messages. */
const isDocument = (text: string): boolean =>
  /^\s*[[{]/.test(text) &&
  /"role"\s*:\s*"(?:system|developer|user|assistant|tool)"/.test(text) &&
  (/^\s*\[\s*\{\s*"(?:role|id|content|parts|messages|prompt)"/.test(text) ||
    /^\s*\{[^[\]]*"messages"\s*:\s*\[\s*\{\s*"(?:role|id|content|parts)"/.test(text))

const mapper = (file: SourceFile, runs: MappedRuns): Mapper => {
  const seen = new IdSet()
  return {
    record: ({ value, where }) => {
      const isLine = /^\d+$/.test(where)
      const all = Array.isArray(value) && !isList(value) ? value : [value]
      for (const record of all) {
        const own = messagesIn(record)
        if (own === undefined) {
          runs.leaveOut("record", "it has no messages")
          continue
        }
        const id = idIn(record) ?? contentIdOf(record)
        if (!seen.add(idOf(id))) runs.repeated("conversation", "conversation")
        else mapConversation(runs, file, { id, record, messages: own, isWhole: isLine || all.length > 1 })
      }
    },
    end: () => {},
  }
}

const idIn = (record: unknown): string | undefined =>
  ["id", "chat_id", "chatId", "conversation_id", "session_id"]
    .map((name) => textOf(record, name))
    .find((id) => id !== undefined)

interface Found {
  readonly id: string
  readonly record: unknown
  readonly messages: ReadonlyArray<unknown>
  /** Whether nothing can be added to it later. */
  readonly isWhole: boolean
}

const mapConversation = (runs: MappedRuns, file: SourceFile, { id, record, messages, isWhole }: Found): void => {
  const timeOf = (message: unknown) =>
    runs.timeOf(
      ["createdAt", "created_at", "timestamp"]
        .map((name) => field(message, name) ?? at(message, "metadata", name))
        .find(Boolean),
    )
  const all = messages.map((message, index) => ({
    message,
    at: timeOf(message),
    key: textOf(message, "id") ?? `message-${index}`,
  }))
  const times = all.flatMap((one) => one.at ?? [])
  const { system, read } = reader(messages)
  const told = all.map((one) => ({ ...one, read: read(one.message) }))
  const prompt = told.flatMap((one) => one.read).find(({ role }) => role === "user")
  const goal = (prompt?.content ?? []).flatMap((part) => textOf(part, "text") ?? []).join("\n")
  const run = runs.open({
    id,
    goal: goal || `conversation ${id}`,
    agent: textOf(record, "agent") ?? "unknown",
    at: times[0] ?? null,
    about: { conversation: id, file: file.name },
  })
  if (times.length === 0) runs.remark("conversations without times: those of their events are the import's")
  if (system !== "") run.model.guided("system", system, times[0] ?? null)
  const conversation = new Conversation(run)
  for (const { message, at: time, key, read } of told)
    for (const [index, one] of read.entries())
      conversation.message({
        message: one,
        at: time,
        key: index === 0 ? key : `${key}:${index}`,
        ...named(modelIn(message) ?? modelIn(record) ?? "unknown"),
        // The first part of an answer has its tokens.
        usage: index === 0 ? usageOf(message, record) : { inputTokens: 0, outputTokens: 0 },
      })
  keepRest(run, record)
  scores(runs, run, record)
  const last = times.at(-1) ?? file.modifiedAt
  if (!isWhole && !isSilent(file, last)) return
  const { open } = conversation
  if (open === undefined)
    run.close("end", "finished", "the agent ended its turn; the source has no verdict", times.at(-1) ?? null)
  else run.close("end", "abandoned", open, times.at(-1) ?? null)
}

interface Reader {
  readonly system: string
  readonly read: (message: unknown) => ReadonlyArray<ReadMessage>
}

/** Reads messages one by one with their provider's format. */
const reader = (messages: ReadonlyArray<unknown>): Reader => {
  if (messages.some(isAiSdk)) return { system: "", read: messagesOf }
  const isAnthropic = messages.some((message) =>
    listOf(message, "content").some((part) => /^(?:tool_use|tool_result|thinking)$/.test(textOf(part, "type") ?? "")),
  )
  const { request } = isAnthropic ? anthropic : openAiChat
  const requestOf = (message: unknown) =>
    request({ host: "", path: "" }, { messages: [logJson(message).json] } as JsonObject)
  const isSystem = (message: unknown) => /^(?:system|developer)$/.test(textOf(message, "role") ?? "")
  // Leading system messages form the system prompt.
  const first = messages.findIndex((message) => !isSystem(message))
  const systems = messages.slice(0, Math.max(0, first)).map((message) => requestOf(message).system)
  const guides = new Set(messages.slice(0, Math.max(0, first)))
  return {
    system: systems.filter((text) => text !== "").join("\n\n"),
    read: (message) => {
      if (guides.has(message)) return []
      const { system, messages: read } = requestOf(message)
      return system === "" ? read : [{ role: "system", content: [{ type: "text", text: system }] }]
    },
  }
}

const modelIn = (value: unknown): string | undefined =>
  ["model", "modelId", "model_name"]
    .map((name) => textOf(value, name) ?? textOf(field(value, "metadata"), name))
    .find(Boolean)

/** Tokens of an answer, from its message or from the logged request. */
const usageOf = (message: unknown, record: unknown) => {
  if (textOf(message, "role") !== "assistant") return undefined
  const own = ["usage", "totalUsage"].map((name) => field(field(message, "metadata"), name)).find(isObject)
  if (own !== undefined)
    return ProviderUsage.whole({
      inputTokens: statedCount(own, "inputTokens"),
      outputTokens: statedCount(own, "outputTokens"),
      cachedTokens: statedCount(own, "cachedInputTokens"),
      reasoningTokens: statedCount(own, "reasoningTokens"),
    })
  const answer = field(record, "response") ?? record
  const isLogged = answersIn(record)[0] === message
  return ProviderUsage.whole(ProviderUsage.openAi.read(ProviderUsage.openAi.inPiece(isLogged ? answer : message)))
}

const keepRest = (run: MappedRun, record: unknown): void => {
  if (!isObject(record)) return
  const rest = Object.entries(record).filter(([name]) => !["messages", "prompt", "completion"].includes(name))
  if (rest.length > 0) run.keep("record", "record", Object.fromEntries(rest), { at: null })
}

/** Rewards and metrics of an evaluation become scores. */
const scores = (runs: MappedRuns, run: MappedRun, record: unknown): void => {
  const give = (scorer: string, name: string, value: unknown) => {
    if (typeof value === "number")
      runs.score({
        taskId: run.taskId,
        scorer,
        name,
        value: Number.isFinite(value) ? value : null,
        rationale: null,
      })
  }
  if (numberOf(record, "reward") !== undefined) give("reward", "reward", field(record, "reward"))
  const metrics = field(record, "metrics")
  if (isObject(metrics)) for (const [name, value] of Object.entries(metrics)) give("metrics", asText(name), value)
}
