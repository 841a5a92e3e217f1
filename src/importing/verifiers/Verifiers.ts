/**
 * Traces of verifiers (version 1 of the schema, `traces.jsonl`): a line is an episode with its agents' traces or, in
 * earlier versions, one trace. A trace has messages (`nodes`, a tree if a conversation branched), model calls
 * (`calls`), rewards and metrics. Results of still earlier versions are conversations in messages.
 */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import { openAiChat } from "../../providers/formats/OpenAiChat.ts"
import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/Json.ts"
import { contentText } from "../messages/ChatMessage.ts"
import { Conversation } from "../messages/Conversation.ts"
import { APPROVALS, REQUESTS, SETTINGS, TOOL_TIMES, WORLD } from "../runs/FormatCapture.ts"
import { named } from "../runs/ModelName.ts"
import { contentIdOf } from "../runs/RecordKeys.ts"
import type { MappedRun } from "../runs/Run.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { at, countOf, field, isObject, listOf, logJson, numberOf, statedCount, textOf } from "../runs/Untrusted.ts"
import type { FileHead, Mapper, Source, SourceFile } from "../Source.ts"

const isTrace = (value: unknown): boolean =>
  Array.isArray(field(value, "nodes")) && Array.isArray(field(value, "calls")) && isObject(field(value, "task"))

const isEpisode = (value: unknown): boolean =>
  Array.isArray(field(value, "traces")) &&
  isObject(field(value, "task")) &&
  (isObject(field(value, "env")) || listOf(value, "traces").some(isTrace))

export const verifiers: Source = {
  name: "verifiers",
  title: "file of verifiers' traces",
  form: "lines",
  capture: { pairing: "call-id", lacks: [SETTINGS, REQUESTS, APPROVALS, TOOL_TIMES, WORLD] },
  recognizes: ({ lines }: FileHead) => isTrace(lines[0]) || isEpisode(lines[0]),
  open: (_: SourceFile, runs: MappedRuns): Mapper => ({
    record: ({ value }) => {
      if (isTrace(value)) mapTrace(runs, value, undefined)
      else if (isEpisode(value)) mapEpisode(runs, value)
      else runs.leaveOut("line", "it is no trace")
    },
    end: () => {},
  }),
}

/** Limits that stop a rollout. */
const LIMITS = new Set(["max_turns", "max_input_tokens", "max_output_tokens", "max_total_tokens", "compaction_failed"])

/** Maps each agent's trace of an episode to a run. An episode that failed before its first trace becomes one run. */
const mapEpisode = (runs: MappedRuns, episode: unknown): void => {
  const [traces, others] = [listOf(episode, "traces").filter(isTrace), listOf(episode, "traces").length]
  if (traces.length < others) runs.leaveOut("trace", "it has no nodes, calls and task", others - traces.length)
  for (const trace of traces) mapTrace(runs, trace, episode)
  const error = textOf(listOf(episode, "errors").at(-1), "message")
  if (traces.length > 0 && error !== undefined)
    runs.remark("episodes that failed beside their traces: their errors are in none of these")
  if (traces.length > 0) return
  const id = textOf(episode, "id") ?? contentIdOf(episode)
  const task = field(episode, "task")
  const run = runs.open({
    id,
    goal: textOf(task, "key") ?? textOf(at(task, "data"), "prompt") ?? `episode ${id}`,
    agent: "verifiers@unknown",
    at: null,
    about: { episode: id, env: textOf(field(episode, "env"), "id") ?? "", task: logJson(task).json },
  })
  runs.remark("episodes without a trace: they have no times")
  run.close("end", "failed", error ?? "the episode has no trace", null)
}

const mapTrace = (runs: MappedRuns, trace: unknown, episode: unknown): void => {
  const id = textOf(trace, "id") ?? "unnamed"
  const nodes = listOf(trace, "nodes")
  const task = field(trace, "task")
  const prompt = nodes.find((node) => textOf(field(node, "message"), "role") === "user")
  const [timing, errors] = [field(trace, "timing"), listOf(trace, "errors")]
  const run = runs.open({
    id,
    goal: contentText(field(prompt, "message")) || textOf(task, "key") || `trace ${id}`,
    agent: `${textOf(field(trace, "agent"), "name") ?? "verifiers"}@${textOf(field(trace, "verifiers"), "version") ?? "unknown"}`,
    at: runs.timeOf(field(timing, "start")),
    about: {
      trace: id,
      task: logJson(task).json,
      ...defined({ episode: textOf(episode, "id"), env: textOf(field(episode, "env"), "id") }),
    },
  })
  const calls = new Map(listOf(trace, "calls").map((call) => [numberOf(call, "node"), call] as const))
  const conversation = new Conversation(run)
  let last = -1
  for (const [index, node] of nodes.entries()) {
    const parent = numberOf(node, "parent") ?? -1
    if (parent !== last)
      run.note(
        `branch-${index}`,
        `the conversation continues from message ${parent}; what came after that message is another branch`,
        null,
      )
    last = index
    map(runs, run, conversation, { node, call: calls.get(index), key: `node-${index}` })
  }
  for (const [index, call] of listOf(trace, "calls").entries()) {
    const reason = textOf(field(call, "error"), "message")
    if (reason === undefined) continue
    const time = runs.timeOf(at(call, "time", "end"))
    run.model.failed({
      key: `call-${index}`,
      ...named(textOf(call, "model") ?? "unknown"),
      kind: "unreachable",
      reason,
      at: time,
    })
  }
  score(runs, run, trace)
  const rest = ["tools", "info", "metrics", "stop_condition", "extra_usage", "agent"].flatMap((name) => {
    const value = field(trace, name)
    return value === undefined || value === null ? [] : [[name, value] as const]
  })
  const end = runs.timeOf(at(timing, "agent", "end")) ?? runs.timeOf(at(timing, "scoring", "end"))
  run.keep("trace", "trace", Object.fromEntries(rest), { at: end })
  const error = textOf(errors.at(-1), "message")
  const [outcome, reason] = ending(trace, error)
  run.close("end", outcome, reason, end)
}

const ending = (trace: unknown, error: string | undefined): readonly [TaskOutcome, string] => {
  const stop = textOf(trace, "stop_condition")
  if (error !== undefined && field(trace, "ok") !== true) return ["failed", error]
  if (stop !== undefined && LIMITS.has(stop)) return ["truncated", stop]
  if (field(trace, "is_completed") === false) return ["abandoned", "the rollout was not completed"]
  return ["achieved", stop ?? "the rollout was completed; the source has no verdict"]
}

interface Node {
  readonly node: unknown
  readonly call: unknown
  readonly key: string
}

const map = (runs: MappedRuns, run: MappedRun, conversation: Conversation, { node, call, key }: Node): void => {
  const message = field(node, "message")
  const role = textOf(message, "role")
  const time = runs.timeOf(at(call, "time", "end") ?? field(node, "timestamp"))
  const { system, messages } = openAiChat.request({ host: "", path: "" }, { messages: [asChat(message)] } as JsonObject)
  if (system !== "") run.model.guided(key, system, time)
  // An answer in the task's prompt; no model gave it.
  if (role === "assistant" && call === undefined && field(node, "sampled") === false) {
    for (const one of messages) run.model.told({ role: one.role, content: logJson(one.content).json })
    return
  }
  const [usage, usd] = [usageOf(field(call, "usage")), numberOf(field(call, "usage"), "cost")]
  for (const one of messages)
    conversation.message({ message: one, key, at: time, ...named(textOf(call, "model") ?? "unknown"), usage, usd })
}

/** `prompt_tokens` excludes cached tokens. */
const usageOf = (usage: unknown): ModelUsage | undefined => {
  if (numberOf(usage, "prompt_tokens") === undefined) return undefined
  const [cachedTokens, reasoningTokens] = [countOf(usage, "cached_input_tokens"), countOf(usage, "reasoning_tokens")]
  return ProviderUsage.whole({
    inputTokens: countOf(usage, "prompt_tokens") + cachedTokens,
    outputTokens: statedCount(usage, "completion_tokens"),
    ...{ cachedTokens: cachedTokens || undefined, reasoningTokens: reasoningTokens || undefined },
  })
}

/** Converts a message's calls to OpenAI's form. */
const asChat = (message: unknown): unknown => {
  const calls = listOf(message, "tool_calls").map((call) => ({
    id: textOf(call, "id"),
    type: "function",
    function: { name: textOf(call, "name") ?? "unknown", arguments: textOf(call, "arguments") ?? "{}" },
  }))
  const { json } = logJson(message)
  return calls.length === 0 || !isObject(json) ? json : { ...json, tool_calls: calls }
}

/** Weighted rewards add up to the rollout's reward. */
const score = (runs: MappedRuns, run: MappedRun, trace: unknown): void => {
  const [rewards, metrics] = [field(trace, "rewards"), field(trace, "metrics")]
  for (const [name, reward] of Object.entries(isObject(rewards) ? rewards : {})) {
    const value = typeof reward === "number" ? reward : numberOf(reward, "score")
    const weighted = value === undefined ? null : value * (numberOf(reward, "weight") ?? 1)
    runs.score({
      taskId: run.taskId,
      scorer: "rewards",
      name,
      value: weighted,
      rationale: weighted === null ? "it was not computed" : null,
    })
  }
  for (const [name, value] of Object.entries(isObject(metrics) ? metrics : {}))
    if (typeof value === "number") runs.score({ taskId: run.taskId, scorer: "metrics", name, value, rationale: null })
}
