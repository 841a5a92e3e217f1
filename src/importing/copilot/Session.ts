/** Maps the events of one Copilot CLI session, in file order, to a run. */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import { defined } from "../../values/defined.ts"
import type { Json } from "../../values/Json.ts"
import { answered, callPart, reasoningPart, settled, textPart } from "../messages/Answers.ts"
import { IdSet, idOf } from "../runs/EventIds.ts"
import { contentIdOf, RecordKeys } from "../runs/RecordKeys.ts"
import type { MappedRun } from "../runs/Run.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { isSilent } from "../runs/Silence.ts"
import { at, field, listOf, statedCount, textOf } from "../runs/Untrusted.ts"
import type { SourceFile } from "../Source.ts"

/** Maximum number of events to hold back until the first prompt, the goal. */
const MAX_BEFORE_GOAL = 200

const REPEATED = new Map([
  ["tool.execution_start", "it repeats a call"],
  ["tool.execution_partial_result", "it repeats a part of a result"],
  ["assistant.turn_start", "the start of a request, which its answer shows"],
  ["assistant.message_delta", "it repeats a part of an answer"],
  ["assistant.reasoning", "it repeats the reasoning of an answer"],
])

export class Session {
  readonly #runs: MappedRuns
  readonly #file: SourceFile
  readonly #idIn: (value: unknown) => string | undefined
  readonly #keys = new RecordKeys()
  readonly #seen = new IdSet()
  /** Usage by request id, until the answer comes. */
  readonly #used = new Map<string, unknown>()
  #start: unknown
  #early: Array<unknown> = []
  #run: MappedRun | undefined
  #lastAt: number | null = null
  #toldAt: number | null = null
  #isAtWork = false
  #open: string | undefined = "it ends before the agent answered"
  #failure: string | undefined

  constructor(runs: MappedRuns, file: SourceFile, idIn: (value: unknown) => string | undefined) {
    this.#runs = runs
    this.#file = file
    this.#idIn = idIn
  }

  record(value: unknown): void {
    if (textOf(value, "type") === "session.start") this.#start ??= value
    if (this.#run !== undefined) {
      this.#map(this.#run, value)
      return
    }
    this.#early.push(value)
    const goal = textOf(value, "type") === "user.message" ? textOf(field(value, "data"), "content") : undefined
    if (goal !== undefined || this.#early.length >= MAX_BEFORE_GOAL) this.#begin(goal ?? "")
  }

  end(): void {
    const times = this.#early.map((value) => this.#runs.timeOf(field(value, "timestamp")))
    const settled = isSilent(this.#file, this.#lastAt ?? times.at(-1) ?? null)
    if (this.#run === undefined && settled && this.#early.length > 0) this.#begin("")
    const run = this.#run
    if (run === undefined || !settled) return
    if (this.#failure !== undefined) run.close("end", "failed", this.#failure, this.#lastAt)
    else if (this.#open !== undefined) run.close("end", "abandoned", this.#open, this.#lastAt)
    else run.close("end", "finished", "the agent ended its turn; the source has no verdict", this.#lastAt)
  }

  #begin(goal: string): void {
    const data = field(this.#start, "data")
    const id = this.#idIn(this.#start) ?? contentIdOf(this.#early[0])
    const cwd = textOf(field(data, "context"), "cwd")
    const run = this.#runs.open({
      id,
      goal: goal === "" ? `session ${id}` : goal,
      agent: `copilot-cli@${textOf(data, "copilotVersion") ?? "unknown"}`,
      at: this.#runs.timeOf(field(data, "startTime") ?? field(this.#early[0], "timestamp")),
      about: { session: id, ...defined({ cwd }) },
    })
    this.#run = run
    for (const value of this.#early.splice(0)) this.#map(run, value)
  }

  #map(run: MappedRun, value: unknown): void {
    const type = textOf(value, "type") ?? "unknown"
    const id = textOf(value, "id")
    if (id !== undefined && !this.#seen.add(idOf(id))) {
      this.#runs.repeated(type, "event")
      return
    }
    const time = this.#runs.timeOf(field(value, "timestamp"))
    if (time !== null) this.#lastAt = time
    run.tick(time)
    const key = id ?? this.#keys.of(value)
    const data = field(value, "data")
    const why = REPEATED.get(type)
    if (why !== undefined) this.#runs.leaveOut(type, why)
    else if (type === "user.message") this.#said(run, data, key, time)
    else if (type === "session.usage_record") this.#uses(run, data, value, key, time)
    else if (type === "assistant.message") this.#answer(run, data, key, time)
    else if (type === "tool.execution_complete") this.#result(run, data, value, key, time)
    else if (type === "assistant.turn_end") {
      this.#isAtWork = false
      this.#runs.leaveOut(type, "the end of a request, which its answer shows")
    } else {
      run.keep(key, type, value, { at: time })
      if (type === "session.error") this.#failure = textOf(data, "message") ?? "an error of the session"
      if (type === "abort") this.#open = "it was interrupted by the user"
    }
  }

  #said(run: MappedRun, data: unknown, key: string, time: number | null): void {
    const [words, told] = [textOf(data, "content") ?? "", textOf(data, "transformedContent")]
    this.#toldAt = time
    this.#open = "it ends before the agent answered"
    const source = textOf(data, "source")
    if (source !== undefined && source !== "user") {
      run.keep(key, "user.message", data, { at: time })
      run.model.told({ role: "user", content: textPart(told ?? words), author: "harness" })
      return
    }
    const isSteering = this.#isAtWork || (textOf(data, "delivery") ?? "idle") !== "idle"
    run.said(key, words, {
      at: time,
      ...(isSteering ? { delivery: "steering" } : {}),
      ...defined({ told }),
    })
  }

  /** Usage comes before its answer. */
  #uses(run: MappedRun, data: unknown, value: unknown, key: string, time: number | null): void {
    const usage = field(data, "usage")
    const id = textOf(usage, "apiCallId")
    if (id === undefined) run.keep(key, "session.usage_record", value, { at: time })
    else {
      this.#used.set(id, usage)
      this.#runs.leaveOut("session.usage_record", "the tokens of an answer, which has them")
    }
  }

  #answer(run: MappedRun, data: unknown, key: string, time: number | null): void {
    const id = textOf(data, "apiCallId") ?? ""
    const usage = this.#used.get(id)
    this.#used.delete(id)
    const calls = listOf(data, "toolRequests")
    const parts: ReadonlyArray<Json> = [
      ...reasoningPart(textOf(data, "reasoningText")),
      ...textPart(textOf(data, "content")),
      ...calls.map((call) =>
        callPart(textOf(call, "toolCallId") ?? key, textOf(call, "name") ?? "unknown", field(call, "arguments")),
      ),
    ]
    answered(run, {
      key,
      parts,
      usage: usageOf(usage),
      askedAt: this.#toldAt,
      at: time,
      // With an own key, any server may have answered; otherwise GitHub's did.
      provider: usage === undefined || field(usage, "isByok") === true ? "unknown" : "github-copilot",
      model: textOf(data, "model") ?? textOf(usage, "model") ?? "unknown",
    })
    this.#isAtWork = true
    this.#failure = undefined
    this.#open = calls.length > 0 ? "it ends with calls that have no result" : undefined
  }

  #result(run: MappedRun, data: unknown, value: unknown, key: string, time: number | null): void {
    const callId = textOf(data, "toolCallId") ?? key
    const error = field(data, "error")
    const code = textOf(error, "code") ?? ""
    const content = field(field(data, "result"), "content") ?? textOf(error, "message") ?? error ?? null
    this.#toldAt = time
    this.#open = "it ends before the agent answered"
    if (/^(?:denied|rejected)$/.test(code)) {
      const deny = () => run.commands.denied(callId, String(content), time)
      run.commands.whenCalled(callId, deny, () => run.keep(key, "result", value, { at: time }))
      return
    }
    const exit = at(data, "shellExecution", "exitCode")
    const ok = field(data, "success") === true && (typeof exit !== "number" || exit === 0)
    settled(run, callId, { ok, content, at: time }, { key, record: value })
  }
}

const usageOf = (usage: unknown): ModelUsage | undefined =>
  ProviderUsage.whole({
    inputTokens: statedCount(usage, "inputTokens"),
    outputTokens: statedCount(usage, "outputTokens"),
    cachedTokens: statedCount(usage, "cacheReadTokens"),
    cacheWriteTokens: statedCount(usage, "cacheWriteTokens"),
  })
