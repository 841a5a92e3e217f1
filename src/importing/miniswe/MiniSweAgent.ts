/**
 * Trajectories of mini-swe-agent: a document `<instance>.traj.json` with `info` and the model's messages. A message's
 * `extra` contains data that the model does not see: the provider's answer, actions, cost, time, and a command's exit
 * code.
 */

import type { PairingRule } from "../../events/vocabulary/Inference.ts"
import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import { sha256 } from "../../values/Digest.ts"
import { defined } from "../../values/defined.ts"
import type { Json } from "../../values/Json.ts"
import { answered, callPart, reasoningPart, settled, textPart } from "../messages/Answers.ts"
import { callsIn, contentText } from "../messages/ChatMessage.ts"
import { APPROVALS, DEFINITIONS, REQUESTS, TOOL_TIMES, WORLD } from "../runs/FormatCapture.ts"
import { named } from "../runs/ModelName.ts"
import type { MappedRun } from "../runs/Run.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { isSilent } from "../runs/Silence.ts"
import { at, field, isObject, listOf, logJson, nameFrom, numberOf, textOf } from "../runs/Untrusted.ts"
import type { FileHead, Mapper, Source, SourceFile } from "../Source.ts"

export const miniSweAgent: Source = {
  name: "mini-swe-agent",
  title: "trajectory of mini-swe-agent",
  form: "document",
  capture: { pairing: "call-id", lacks: [DEFINITIONS, REQUESTS, APPROVALS, TOOL_TIMES, WORLD] },
  recognizes: ({ text, name }: FileHead) =>
    /^\s*\{/.test(text) &&
    (/"trajectory_format"\s*:\s*"mini-swe-agent/.test(text) ||
      /"mini_version"\s*:/.test(text) ||
      (name.endsWith(".traj.json") && /"instance_cost"\s*:/.test(text))),
  open: (file: SourceFile, runs: MappedRuns): Mapper => {
    let document: unknown
    return {
      record: ({ value }) => {
        document = value
      },
      end: () => mapTrajectory(runs, file, document),
    }
  },
}

const mapTrajectory = (runs: MappedRuns, file: SourceFile, value: unknown): void => {
  const messages = listOf(value, "messages")
  if (messages.length === 0) {
    runs.leaveOut("trajectory", "it has no messages")
    return
  }
  const info = field(value, "info")
  const instance = textOf(value, "instance_id") ?? file.name.replace(/(?:\.traj)?\.json$/i, "")
  const prompt = messages.find((message) => textOf(message, "role") === "user")
  const times = messages.flatMap((message) => timeOf(runs, message) ?? [])
  const run = runs.open({
    id: `${nameFrom(instance)}.${sha256(JSON.stringify(logJson(messages.slice(0, 2)).json)).slice(0, 12)}`,
    goal: contentText(prompt) || instance,
    agent: `mini-swe-agent@${textOf(info, "mini_version") ?? "unknown"}`,
    at: times[0] ?? null,
    about: { instance, environment: logJson(at(info, "config", "environment") ?? null).json },
  })
  if (times.length === 0) runs.remark("it has no times: those of its events are the import's")
  const usd = new Trajectory(run, runs, named(textOf(at(info, "config", "model"), "model_name") ?? "unknown")).map(
    messages,
  )
  const last = times.at(-1) ?? null
  const status = textOf(info, "exit_status")
  // The file is rewritten at each step and states its exit status only at the end.
  if (status === undefined && !isSilent(file, last ?? file.modifiedAt)) return
  if (isObject(info)) run.keep("info", "info", info, { at: last })
  const whole = numberOf(field(info, "model_stats"), "instance_cost")
  const models = [...run.model.used.keys()]
  const [only] = models
  if (usd === 0 && whole !== undefined && whole > 0 && only !== undefined && models.length === 1)
    run.stated("used", { usd: whole, models: { [only]: { usd: whole } } }, last)
  run.close("end", outcomeOf(status), status ?? "it has no exit status: the run was cut off", last)
}

class Trajectory {
  readonly #run: MappedRun
  readonly #runs: MappedRuns
  readonly #named: ReturnType<typeof named>
  /** Calls that the last answer made in its text; the next messages have their results. */
  #inText: Array<string> = []
  #toldAt: number | null = null
  #hasAnswered = false
  #usd = 0

  constructor(run: MappedRun, runs: MappedRuns, model: ReturnType<typeof named>) {
    this.#run = run
    this.#runs = runs
    this.#named = model
  }

  /** Returns the cost of the answers, as far as they state it. */
  map(messages: ReadonlyArray<unknown>): number {
    for (const [index, message] of messages.entries()) this.#message(message, `message-${index}`)
    return this.#usd
  }

  #message(message: unknown, key: string): void {
    const at = timeOf(this.#runs, message)
    this.#run.tick(at)
    const role = textOf(message, "role") ?? textOf(message, "type")
    const text = contentText(message)
    if (role === "system") this.#run.model.guided(key, text, at)
    else if (role === "assistant" || field(message, "object") === "response") this.#answer(message, key, at)
    else if (role === "tool" || role === "function_call_output")
      this.#result(message, { callId: callIdOf(message) }, key, at)
    else if (role === "user" && this.#inText.length > 0)
      this.#result(message, { callId: this.#inText.shift() ?? "", by: "next-result" }, key, at)
    else if (role === "user" && !this.#hasAnswered) this.#run.said(key, text, { at })
    else if (role === "user")
      this.#run.model.told({ role: "user", content: [{ type: "text", text }], author: "harness" })
    else this.#run.keep(key, role ?? "message", message, { at })
    if (role !== "assistant") this.#toldAt = at
  }

  #answer(message: unknown, key: string, at: number | null): void {
    const extra = field(message, "extra")
    const response = field(extra, "response") ?? (field(message, "object") === "response" ? message : undefined)
    const calls = callsIn(message)
    const actions = calls.length > 0 ? [] : actionsIn(message)
    const inText = actions.map((command, index) => callPart(`${key}:${index}`, "bash", { command }))
    const parts: ReadonlyArray<Json> = [
      ...reasoningPart(textOf(message, "reasoning_content") ?? textOf(message, "reasoning")),
      ...textPart(contentText(message)),
      ...calls.map(({ id, tool, args }, index) => callPart(id ?? `${key}:${index}`, tool, args)),
      ...inText,
    ]
    const usd = numberOf(extra, "cost")
    this.#usd += Math.max(0, usd ?? 0)
    const usage = ProviderUsage.whole(ProviderUsage.openAi.read(ProviderUsage.openAi.inPiece(response)))
    answered(this.#run, { key, ...this.#named, parts, usage, usd, askedAt: this.#toldAt, at })
    this.#inText = actions.map((_, index) => `${key}:${index}`)
    this.#hasAnswered = true
  }

  #result(message: unknown, { callId, by }: Paired, key: string, time: number | null): void {
    const extra = field(message, "extra")
    const text = contentText(message) || (textOf(message, "output") ?? "")
    const code = numberOf(extra, "returncode") ?? Number(/<returncode>(-?\d+)<\/returncode>/.exec(text)?.[1] ?? 0)
    const isFailed =
      code !== 0 || textOf(extra, "exception_info") !== undefined || at(extra, "interrupt_type") !== undefined
    settled(this.#run, callId, { ok: !isFailed, content: text, at: time, ...defined({ by }) }, { key, record: message })
  }
}

/** A result's call, and the rule that found it if the result does not name it. */
interface Paired {
  readonly callId: string
  readonly by?: PairingRule
}

const timeOf = (runs: MappedRuns, message: unknown): number | null =>
  runs.timeOf(field(field(message, "extra"), "timestamp") ?? field(message, "timestamp"))

const callIdOf = (message: unknown): string => textOf(message, "tool_call_id") ?? textOf(message, "call_id") ?? ""

/** Commands in the text of an answer: those that the program found, otherwise a single shell block. */
const actionsIn = (message: unknown): ReadonlyArray<string> => {
  const found = listOf(field(message, "extra"), "actions").flatMap(
    (action) => textOf(action, "command") ?? textOf(action, "action") ?? [],
  )
  if (found.length > 0) return found
  const blocks = [...contentText(message).matchAll(/```(?:bash|mswea_bash_command)\s*\n(.*?)\n```/gs)]
  return blocks.length === 1 ? blocks.map(([, command = ""]) => command.trim()) : []
}

const outcomeOf = (status: string | undefined): TaskOutcome => {
  if (status === undefined) return "abandoned"
  if (/^submitted$/i.test(status)) return "achieved"
  return /limit|timeout|exceeded/i.test(status) ? "truncated" : "failed"
}
