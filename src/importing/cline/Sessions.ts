/**
 * Sessions of Cline (version 1 of its contract for `messages.json`): a document `sessions/<id>/<id>.messages.json` for
 * each agent, rewritten with each message. A fork begins with copied messages, which keep their ids.
 */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import { anthropic } from "../../providers/formats/Anthropic.ts"
import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/Json.ts"
import { Conversation } from "../messages/Conversation.ts"
import type { MappedRun } from "../runs/Run.ts"
import type { RunStart } from "../runs/RunEvent.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { isSilent } from "../runs/Silence.ts"
import { timeOf } from "../runs/SourceTimes.ts"
import { at, countOf, field, isObject, listOf, logJson, numberOf, statedCount, textOf } from "../runs/Untrusted.ts"
import type { FileBeginning, FileHead, SourceFile } from "../Source.ts"

/** Whether a file is a session: agent and id precede the messages. */
export const isSession = ({ text }: FileHead): boolean =>
  /^\s*\{/.test(text) &&
  /"agent"\s*:\s*"(?:lead|subagent|teammate)"/.test(text) &&
  /"sessionId"\s*:\s*"/.test(text) &&
  /"messages"\s*:\s*\[/.test(text)

/** The session of a file; undefined for the copy that a compaction makes. */
export const beginningOf = ({ name, text }: FileHead): FileBeginning | undefined => {
  const run = /"sessionId"\s*:\s*"([^"]+)"/.exec(text)?.[1]
  const messages = text.slice(text.search(/"messages"\s*:\s*\[/))
  const first = /"id"\s*:\s*"([^"]+)"/.exec(messages)?.[1]
  const time = /"ts"\s*:\s*(\d{10,16})/.exec(messages)?.[1]
  if (run === undefined || isCompaction(name)) return undefined
  // A session id begins with its creation time; of two with the same first message, the earlier is the original.
  const begun = Number(/^\d{10,16}/.exec(run)?.[0] ?? 0)
  return { run, at: time === undefined ? null : timeOf(Number(time)), rank: begun, ...defined({ first }) }
}

const isCompaction = (name: string): boolean => name.endsWith(".compaction.json")

export const map = (runs: MappedRuns, file: SourceFile, value: unknown): void => {
  if (isCompaction(file.name)) {
    runs.leaveOut("document", "a copy of a session's messages that a compaction made")
    return
  }
  const messages = listOf(value, "messages")
  const copied = copiedOf(messages, file)
  const session = textOf(value, "sessionId") ?? file.digest.slice(0, 16)
  const own = messages.slice(copied.count)
  const first = textOf(messages[0], "id")
  const start: RunStart = {
    id: session,
    goal: own.map(personIn).find((text) => text !== "") ?? `session ${session}`,
    agent: `cline@unknown`,
    at: timesOf(own)[0] ?? timesOf(messages)[0] ?? null,
    about: {
      session,
      ...defined({ agent: textOf(value, "agent"), task: textOf(value, "taskType"), parent: copied.parent }),
    },
    ...defined({ begins: first === undefined ? undefined : { with: first, isCopied: copied.count > 0 } }),
  }
  if (own.length === 0) {
    runs.leaveOut("session", "it has nothing that the one it was forked from has not")
    return
  }
  const run = copied.count > 0 ? runs.openCopied(start) : runs.open(start)
  const conversation = new Conversation(run)
  for (const [index, message] of messages.entries()) {
    if (index === copied.count && copied.count > 0) {
      runs.leaveOut("message of another session", "it was copied from the one that this one was forked from", index)
      run.beginOwn(start)
    }
    if (index === copied.count) guide(run, value, start)
    mapMessage(runs, run, conversation, message, textOf(message, "id") ?? `message-${index}`)
  }
  const last = timesOf(messages).at(-1) ?? timeOf(field(value, "updated_at"))
  if (!isSilent(file, last ?? file.modifiedAt)) return
  const { open } = conversation
  if (open === undefined) run.close("end", "finished", "the agent ended its turn; the source has no verdict", last)
  else run.close("end", "abandoned", open, last)
}

const guide = (run: MappedRun, session: unknown, { at: time }: RunStart): void => {
  const system = textOf(session, "system_prompt")
  if (system !== undefined) run.model.guided("system", system, time)
}

/** The number of leading messages copied from an imported session, and that session's task. */
const copiedOf = (messages: ReadonlyArray<unknown>, { relatives }: SourceFile) => {
  const isIn = (message: unknown, has: (key: string) => boolean) => {
    const id = textOf(message, "id") ?? ""
    const results = listOf(message, "content").flatMap((part) => textOf(part, "tool_use_id") ?? [])
    const keys = [
      ...["said", "answered", "compacted"].map((kind) => `${kind}:${id}`),
      ...results.map((of) => `outcome:${of}`),
    ]
    return keys.some(has)
  }
  let parent: string | undefined
  const end = messages.findIndex((message) => {
    const found = relatives.find(({ has }) => isIn(message, has))
    parent = found?.taskId ?? parent
    return found === undefined
  })
  return { count: parent === undefined ? 0 : end < 0 ? messages.length : end, parent }
}

const timesOf = (messages: ReadonlyArray<unknown>): ReadonlyArray<number> =>
  messages.flatMap((message) => timeOf(field(message, "ts")) ?? [])

const mapMessage = (
  runs: MappedRuns,
  run: MappedRun,
  conversation: Conversation,
  message: unknown,
  key: string,
): void => {
  const time = runs.timeOf(field(message, "ts"))
  if (/^compaction/.test(textOf(field(message, "metadata"), "kind") ?? "")) {
    const text = texts(message).join("\n")
    run.tick(time)
    run.model.compacted(key, countOf(field(message, "metadata"), "messagesRemoved"), text, time)
    run.model.told({ role: "user", content: [{ type: "text", text }], author: "harness" })
    return
  }
  const { json } = logJson(unwrapped(message))
  const request = { messages: [json] } as JsonObject
  for (const [index, one] of anthropic.request({ host: "", path: "" }, request).messages.entries())
    conversation.message({
      message: one,
      key: index === 0 ? key : `${key}:${index}`,
      at: time,
      provider: textOf(field(message, "modelInfo"), "provider") ?? "unknown",
      model: textOf(field(message, "modelInfo"), "id") ?? "unknown",
      usage: usageOf(message),
      usd: numberOf(field(message, "metrics"), "cost"),
    })
}

/** Input tokens include cached ones. The last answer of a turn may state the turn's total. */
const usageOf = (message: unknown): ModelUsage | undefined => {
  const metrics = field(message, "metrics")
  if (!isObject(metrics)) return undefined
  return ProviderUsage.whole({
    inputTokens: statedCount(metrics, "inputTokens"),
    outputTokens: statedCount(metrics, "outputTokens"),
    cachedTokens: statedCount(metrics, "cacheReadTokens") || undefined,
    cacheWriteTokens: statedCount(metrics, "cacheWriteTokens") || undefined,
  })
}

const texts = (message: unknown): ReadonlyArray<string> =>
  listOf(message, "content").flatMap((part) => (textOf(part, "type") === "text" ? (textOf(part, "text") ?? []) : []))

/** Typed text without the mode element and the program's notices. */
const typed = (text: string): string =>
  text
    .replaceAll(/<mode_notice>[\s\S]*?<\/mode_notice>/g, "")
    .replace(/^\s*<user_input\b[^>]*>([\s\S]*)<\/user_input>\s*$/, "$1")
    .trim()

const personIn = (message: unknown): string =>
  textOf(message, "role") === "user" && !isObject(at(message, "metadata", "usageBefore"))
    ? texts(message).map(typed).join("\n").trim()
    : ""

const unwrapped = (message: unknown): unknown => {
  if (textOf(message, "role") !== "user" || !isObject(message)) return message
  const content = listOf(message, "content").map((part) => {
    const text = textOf(part, "type") === "text" ? textOf(part, "text") : undefined
    return text === undefined || !isObject(part) ? part : { ...part, text: typed(text) }
  })
  return { ...message, content }
}
