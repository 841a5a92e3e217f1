/**
 * Trajectories of SWE-agent (https://swe-agent.com/latest/usage/trajectories/): `.traj`, one JSON document. Early versions
 * and other programs leave only its `history`.
 */

import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { UNKNOWN } from "../../kernel/pricing/ProviderUsage.ts"
import { sha256 } from "../../values/Digest.ts"
import type { Json } from "../../values/Json.ts"
import { contentText } from "../messages/ChatMessage.ts"
import { APPROVALS, DEFINITIONS, FAILURES, REQUESTS, TIMES, TOKENS, WORLD } from "../runs/FormatCapture.ts"
import { named } from "../runs/ModelName.ts"
import type { MappedRun, StatedUse } from "../runs/Run.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { isSilent } from "../runs/Silence.ts"
import { field, isObject, listOf, logJson, nameFrom, numberOf, parsed, textOf } from "../runs/Untrusted.ts"
import type { FileHead, Mapper, Source, SourceFile } from "../Source.ts"

export const sweAgent: Source = {
  name: "swe-agent",
  title: "trajectory of SWE-agent",
  form: "document",
  capture: { pairing: null, lacks: [TIMES, TOKENS, FAILURES, DEFINITIONS, REQUESTS, APPROVALS, WORLD] },
  recognizes: ({ name, text }: FileHead) =>
    /^\s*\{/.test(text) &&
    !/"schema_version"/.test(text) &&
    (/\.traj$/i.test(name) ||
      (/"trajectory"\s*:\s*\[/.test(text) && /"(?:observation|response|thought)"\s*:/.test(text))),
  open: (file: SourceFile, runs: MappedRuns): Mapper => {
    let trajectory: unknown
    return {
      record: ({ value }) => {
        trajectory = value
      },
      end: () => mapTrajectory(runs, file, trajectory),
    }
  },
}

/** Number of steps between two writes. */
const STEPS_AT_A_TIME = 256

function* mapTrajectory(runs: MappedRuns, file: SourceFile, value: unknown): Generator<void> {
  const steps = listOf(value, "trajectory")
  const history = listOf(value, "history")
  if (steps.length === 0 && history.length === 0) {
    runs.leaveOut("trajectory", "it has neither steps nor a history")
    return
  }
  const instance = file.name.replace(/\.(?:traj|json)$/i, "")
  const asked = history.length > 0 ? history : listOf(steps[0], "query")
  const info = field(value, "info")
  const run = runs.open({
    id: `${nameFrom(instance)}.${sha256(JSON.stringify(logJson([steps[0] ?? null, asked.slice(0, 2)]).json)).slice(0, 12)}`,
    goal: contentText(promptsIn(asked)[0]) || instance,
    agent: `swe-agent@${textOf(info, "swe_agent_version") ?? "unknown"}`,
    at: null,
    about: { instance, environment: logJson(field(value, "environment") ?? null).json },
  })
  runs.remark("it has no times: those of its events are the import's")
  const system = contentText(asked.find((message) => textOf(message, "role") === "system"))
  if (system !== "") run.model.guided("system", system, null)
  for (const [index, message] of promptsIn(asked).entries())
    run.said(`prompt-${index}`, contentText(message), { at: null })
  const model = modelOf(value)
  if (steps.length > 0) yield* mapSteps(run, steps, model)
  else yield* mapHistory(run, history, model)
  const status = textOf(info, "exit_status")
  // The file is rewritten at each step and states its exit status only at the end.
  if (status === undefined && !isSilent(file, file.modifiedAt)) return
  if (isObject(info)) run.keep("info", "info", info, { at: null })
  const used = usedIn(info, named(model))
  if (used !== undefined) run.stated("used", used, null)
  run.close("end", outcomeOf(status), status ?? "it has no exit status: the run was cut off", null)
}

/** Total usage that the trajectory states. */
const usedIn = (info: unknown, { provider, model }: ReturnType<typeof named>): StatedUse | undefined => {
  const stats = field(info, "model_stats")
  const [usd, sent, received] = ["instance_cost", "tokens_sent", "tokens_received"].map((key) => numberOf(stats, key))
  const all = {
    // 0 if it does not know the model's prices.
    ...(usd === undefined || usd <= 0 ? {} : { usd }),
    ...(sent === undefined || sent < 0 ? {} : { inputTokens: Math.round(sent) }),
    ...(received === undefined || received < 0 ? {} : { outputTokens: Math.round(received) }),
  }
  return Object.keys(all).length === 0 ? undefined : { ...all, models: { [`${provider}/${model}`]: all } }
}

/** User messages before the first answer, without demonstrations. */
const promptsIn = (history: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const answer = history.findIndex((one) => textOf(one, "role") === "assistant" && field(one, "is_demo") !== true)
  const before = answer < 0 ? history : history.slice(0, answer)
  return before.filter((one) => textOf(one, "role") === "user" && field(one, "is_demo") !== true && !isShown(one))
}

/** A demonstration in the first versions. */
const isShown = (message: unknown): boolean => textOf(message, "message_type") === "demonstration"

/** The model, from settings that later versions write. */
const modelOf = (value: unknown): string => {
  const settings = field(value, "replay_config")
  const config = typeof settings === "string" ? parsed(settings) : settings
  return textOf(field(field(config, "agent"), "model"), "name") ?? "unknown"
}

interface Step {
  readonly key: string
  readonly thought: string
  readonly action: string
  readonly response: string
}

/** Records an answer with its command. Every action of SWE-agent is a shell line. */
const answered = (run: MappedRun, model: string, { key, thought, action, response }: Step): void => {
  const said = thought === "" ? response : thought
  const parts: ReadonlyArray<Json> = [
    ...(said === "" ? [] : [{ type: "text", text: said }]),
    ...(action === "" ? [] : [{ type: "call", callId: key, tool: toolOf(action), args: { command: action } }]),
  ]
  run.model.turn({ key, ...named(model), parts, usage: UNKNOWN, askedAt: null, at: null })
  if (action === "") return
  run.commands.called(key, toolOf(action), { command: action }, { at: null, cause: `answered:${key}` })
}

const toolOf = (action: string): string => nameFrom(/^[\w.-]+/.exec(action.trim())?.[0] ?? "shell")

function* mapSteps(run: MappedRun, steps: ReadonlyArray<unknown>, model: string): Generator<void> {
  for (const [index, step] of steps.entries()) {
    const key = `step-${index + 1}`
    const text = (name: string) => textOf(step, name) ?? ""
    const action = text("action").trim()
    answered(run, model, { key, thought: text("thought"), action, response: text("response") })
    if (action !== "") run.commands.result(key, { ok: true, content: field(step, "observation") ?? null, at: null })
    const state = field(step, "state")
    const document = typeof state === "string" ? parsed(state) : state
    if (isObject(document)) run.environment.stateSet(`state-${index + 1}`, logJson(document).json, null)
    if (index % STEPS_AT_A_TIME === STEPS_AT_A_TIME - 1) yield
  }
}

function* mapHistory(run: MappedRun, history: ReadonlyArray<unknown>, model: string): Generator<void> {
  let last: string | undefined
  let isAfterAnswer = false
  for (const [index, message] of history.entries()) {
    if (index % STEPS_AT_A_TIME === STEPS_AT_A_TIME - 1) yield
    const key = `message-${index}`
    if (field(message, "is_demo") === true) continue
    if (textOf(message, "role") === "assistant") {
      const action = (textOf(message, "action") ?? actionIn(message)).trim()
      answered(run, model, { key, thought: textOf(message, "thought") ?? "", action, response: contentText(message) })
      last = action === "" ? undefined : key
      isAfterAnswer = true
    } else if (isAfterAnswer && ["user", "tool"].includes(textOf(message, "role") ?? "")) {
      if (
        last === undefined ||
        run.commands.result(last, { ok: true, content: contentText(message), at: null, by: "next-result" }) ===
          undefined
      )
        run.keep(key, "observation", message, { at: null })
      last = undefined
    }
  }
}

/** The code block at the end of an answer. */
const actionIn = (message: unknown): string => /```\w*\n([\s\S]*?)\n?```\s*$/.exec(contentText(message))?.[1] ?? ""

const outcomeOf = (status: string | undefined): TaskOutcome => {
  if (status === undefined) return "abandoned"
  if (status === "submitted") return "achieved"
  return /cost|context|limit|timeout|time_out|early/i.test(status) ? "truncated" : failedOr(status)
}

const failedOr = (status: string): TaskOutcome =>
  /error|fail|exit|abort|skipped/i.test(status) ? "failed" : "achieved"
