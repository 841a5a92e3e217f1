/** Maps the steps of a trajectory to events. */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import type { Json } from "../../values/Json.ts"
import { named } from "../runs/ModelName.ts"
import type { MappedRun } from "../runs/Run.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { asText, field, isObject, listOf, logJson, nameFrom, numberOf, statedCount, textOf } from "../runs/Untrusted.ts"

interface Circumstances {
  readonly model: string | undefined
  /** Harbor's reason, if the trial failed. */
  readonly failure: string | undefined
  /** Whether a trajectory has ended whose last step has this time. */
  readonly hasEnded: (last: number | null) => boolean
}

/** Maps the steps in file order, in batches, and closes the run if it has ended. */
export function* mapSteps(
  runs: MappedRuns,
  run: MappedRun,
  steps: ReadonlyArray<unknown>,
  { model, failure, hasEnded }: Circumstances,
): Generator<void> {
  let open: string | undefined = "it ends before the agent answered"
  let askedAt = run.start.at
  let known = true
  for (const [index, step] of steps.entries()) {
    const key = asText(field(step, "step_id") ?? index + 1)
    const at = runs.timeOf(field(step, "timestamp"))
    known &&= at !== null
    run.tick(at)
    if (field(step, "is_copied_context") === true) {
      runs.leaveOut("step", "it was copied from another trajectory as context")
      continue
    }
    switch (textOf(step, "source")) {
      case "user":
        run.said(key, contentOf(field(step, "message")), { at })
        open = "it ends before the agent answered"
        break
      case "system":
        systemStep(run, step, key, at)
        break
      case "agent":
        open = agentStep(runs, run, step, { key, at, askedAt, model })
        break
      default:
        run.keep(key, "step", step, { at })
    }
    if (!isAnswered(step)) keepObservation(run, step, key, at)
    askedAt = at ?? askedAt
    if (index % STEPS_AT_A_TIME === STEPS_AT_A_TIME - 1) yield
  }
  if (!known) runs.remark("steps without a time: they have that of the step before")
  if (!hasEnded(run.lastAt)) return
  if (failure !== undefined) run.close("end", "failed", failure, run.lastAt)
  else if (open !== undefined) run.close("end", "abandoned", open, run.lastAt)
  else run.close("end", "finished", "the agent ended its turn; what it was worth is in its score sets", run.lastAt)
}

/** Number of steps between two writes. */
const STEPS_AT_A_TIME = 256

const isAnswered = (step: unknown): boolean => textOf(step, "source") === "agent"

const systemStep = (run: MappedRun, step: unknown, key: string, at: number | null): void => {
  const message = contentOf(field(step, "message"))
  if (typeof message === "string" && message !== "") run.model.guided(key, message, at)
  else if (!isObject(field(step, "observation"))) run.keep(key, "step", step, { at })
}

interface AgentStep {
  readonly key: string
  readonly at: number | null
  readonly askedAt: number | null
  readonly model: string | undefined
}

/** Maps an answer with its calls and results. Returns why the run would be unfinished if it ended here. */
const agentStep = (
  runs: MappedRuns,
  run: MappedRun,
  step: unknown,
  { key, at, askedAt, model }: AgentStep,
): string | undefined => {
  const calls = listOf(step, "tool_calls").map((call, index) => ({
    callId: `${key}:${textOf(call, "tool_call_id") ?? index}`,
    sourceId: textOf(call, "tool_call_id"),
    tool: textOf(call, "function_name") ?? "unknown",
    args: field(call, "arguments") ?? {},
  }))
  const text = textIn(field(step, "message"))
  const reasoning = textOf(step, "reasoning_content")
  const parts: ReadonlyArray<Json> = [
    ...(reasoning === undefined ? [] : [{ type: "reasoning", text: reasoning }]),
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...calls.map(({ callId, tool, args }) => ({
      type: "call",
      callId: nameFrom(callId),
      tool: nameFrom(tool),
      args: logJson(args).json,
    })),
  ]
  // A step with zero model calls comes from the program.
  const isByModel = field(step, "llm_call_count") !== 0
  if (isByModel)
    run.model.turn({
      key,
      parts,
      askedAt,
      at,
      usage: usageOf(field(step, "metrics")),
      usd: numberOf(field(step, "metrics"), "cost_usd"),
      ...named(textOf(step, "model_name") ?? model ?? "unknown"),
    })
  const cause = isByModel ? { cause: `answered:${key}` } : {}
  if (text !== "" && calls.length === 0) run.spoke(key, text, { at, ...cause })
  for (const { callId, tool, args } of calls) run.commands.called(callId, tool, args, { at, ...cause })
  const results = listOf(field(step, "observation"), "results")
  for (const [index, result] of results.entries()) {
    const named = textOf(result, "source_call_id")
    const call =
      named === undefined
        ? calls.length === 1 && results.length === 1
          ? calls[0]
          : undefined
        : calls.find(({ sourceId, callId }) => sourceId === named && run.commands.pending.has(callId))
    // A single result without an id belongs to a single call.
    const by = named === undefined ? { by: null } : {}
    const isKnown =
      call !== undefined && run.commands.result(call.callId, { ...resultOf(result), at, ...by }) !== undefined
    if (isKnown) continue
    if (named !== undefined) runs.remark("results of calls that are not in the step: they are kept as they are")
    run.keep(`${key}:${index}`, "observation", result, { at })
  }
  return calls.length === 0
    ? undefined
    : results.length === 0
      ? "it ends with calls that have no result"
      : "it ends before the agent answered"
}

const keepObservation = (run: MappedRun, step: unknown, key: string, at: number | null): void => {
  for (const [index, result] of listOf(field(step, "observation"), "results").entries())
    run.keep(`${key}:${index}`, "observation", result, { at })
}

const resultOf = (result: unknown): { readonly ok: boolean; readonly content: unknown } => {
  const isError = field(result, "is_error") === true || field(field(result, "extra"), "is_error") === true
  const trajectories = field(result, "subagent_trajectory_ref")
  const content = contentOf(field(result, "content"))
  return { ok: !isError, content: trajectories === undefined ? content : { content, trajectories } }
}

/** Text or, from version 1.6 on, parts. */
const contentOf = (content: unknown): Json => {
  if (!Array.isArray(content)) return logJson(content ?? null).json
  const texts = content.map((part) => (field(part, "type") === "text" ? textOf(part, "text") : undefined))
  return texts.every((text) => text !== undefined) ? texts.join("\n") : logJson(content).json
}

const textIn = (content: unknown): string => {
  if (typeof content === "string") return content
  return (Array.isArray(content) ? content : []).flatMap((part) => textOf(part, "text") ?? []).join("\n")
}

const usageOf = (metrics: unknown): ModelUsage => {
  const usage = {
    inputTokens: statedCount(metrics, "prompt_tokens"),
    outputTokens: statedCount(metrics, "completion_tokens"),
    cachedTokens: statedCount(metrics, "cached_tokens") || undefined,
  }
  return ProviderUsage.wholeOrUnknown(usage)
}
