/** Maps the log records of a coding agent's session to a run. */

import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { LogRecord } from "../otlp/LogRecord.ts"
import { type FormatCapture, INSTRUCTIONS, REQUESTS, SENDER, UNTRACED, WORLD } from "../runs/FormatCapture.ts"
import { contentIdOf } from "../runs/RecordKeys.ts"
import type { MappedRun } from "../runs/Run.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { nameFrom, textOf } from "../runs/Untrusted.ts"
import type { Place } from "../writing/Owner.ts"
import type { AgentCall, AgentLog, Decision, Telling } from "./AgentLog.ts"

export const capture: FormatCapture = { pairing: "call-id", lacks: [SENDER, UNTRACED, INSTRUCTIONS, REQUESTS, WORLD] }

export interface Told {
  readonly agent: AgentLog
  readonly session: string
  /** In any order. */
  readonly records: ReadonlyArray<LogRecord>
  /** Whether the session has been silent for so long that it counts as ended. */
  readonly ended: boolean
  /** The writer's name in the log. */
  readonly account: string
  /** The task of another account, next to which the records go. */
  readonly beside: Place | undefined
}

/** Maps a session. If another recorder has the session, maps only what that one lacks. */
export const mapSession = (runs: MappedRuns, { agent, session, records, ended, account, beside }: Told): MappedRun => {
  const told = inOrder(records).map((record) => ({
    record,
    telling: agent.tellingOf(record),
    key: contentIdOf(record),
  }))
  const prompt = told.find(({ telling }) => telling.kind === "prompt" && telling.text !== undefined)?.telling
  const run = runs.open({
    id: session,
    goal: prompt?.kind === "prompt" && prompt.text !== undefined ? prompt.text : `A session of ${agent.title}`,
    agent: `${agent.name}@${nameFrom(versionIn(records))}`,
    at: told[0]?.record.at ?? null,
    about: { session } satisfies JsonObject,
    account,
    ...defined({ beside }),
  })
  new SessionMapper(runs, run, agent, told, beside?.by).map(ended)
  return run
}

/** By time, then by the client's sequence, then by content, so that the order of arrival is of no effect. */
const inOrder = (records: ReadonlyArray<LogRecord>): ReadonlyArray<LogRecord> =>
  records
    .map((record) => ({ record, at: record.at ?? 0, sequence: sequenceOf(record), id: contentIdOf(record) }))
    .sort((a, b) => a.at - b.at || a.sequence - b.sequence || (a.id < b.id ? -1 : 1))
    .map(({ record }) => record)

const sequenceOf = ({ attributes }: LogRecord): number => {
  const found = Number(attributes["event.sequence"])
  return Number.isFinite(found) ? found : 0
}

const versionIn = (records: ReadonlyArray<LogRecord>): string =>
  records.map(({ attributes }) => textOf(attributes, "app.version")).find((version) => version !== undefined) ??
  "unknown"

interface Record {
  readonly record: LogRecord
  readonly telling: Telling
  readonly key: string
}

class SessionMapper {
  readonly #runs: MappedRuns
  readonly #run: MappedRun
  readonly #agent: AgentLog
  readonly #told: ReadonlyArray<Record>
  readonly #elsewhere: Place["by"] | undefined
  readonly #called = new Set<string>()
  #lastFailure: string | undefined

  constructor(
    runs: MappedRuns,
    run: MappedRun,
    agent: AgentLog,
    told: ReadonlyArray<Record>,
    elsewhere: Place["by"] | undefined,
  ) {
    this.#runs = runs
    this.#run = run
    this.#agent = agent
    this.#told = told
    this.#elsewhere = elsewhere
  }

  map(ended: boolean): void {
    for (const one of this.#told) {
      this.#run.reach(one.record.at)
      this.#map(one)
    }
    if (!ended) return
    const { lastAt } = this.#run
    if (this.#lastFailure !== undefined) this.#run.close("end", "failed", this.#lastFailure, lastAt)
    else this.#run.close("end", "finished", "the session was silent; it has no verdict", lastAt)
  }

  #map({ record, telling, key }: Record): void {
    const { at } = record
    switch (telling.kind) {
      case "prompt":
        if (telling.text === undefined) this.#keep(record, key)
        else this.#run.said(key, telling.text, { at })
        return
      case "request":
        if (this.#elsewhere !== "import") this.#request(telling, record, key)
        return
      case "failure":
        if (this.#elsewhere === "import") return
        this.#lastFailure = telling.reason
        this.#run.model.failed({ key, ...telling, kind: "unreachable", at })
        return
      case "answer":
        if (telling.text === undefined) this.#runs.leaveOut("answer", `its text was not sent: ${this.#agent.more}`)
        else
          this.#run.spoke(key, telling.text, { at, cause: telling.id === undefined ? null : `answered:${telling.id}` })
        return
      case "decision":
        if (this.#elsewhere === undefined) this.#decision(telling, record, key, telling)
        else this.#keep(record, key)
        return
      case "result":
        this.#result(telling, record, key)
        return
      case "noise":
        this.#runs.leaveOut(record.name, "it tells nothing of what the agent did")
        return
      case "other":
        this.#keep(record, key)
    }
  }

  #keep(record: LogRecord, key: string): void {
    this.#run.keep(key, record.name, record, { at: record.at })
  }

  #request(telling: Telling & { readonly kind: "request" }, { at }: LogRecord, key: string): void {
    const id = telling.id ?? key
    this.#lastFailure = undefined
    const answer = this.#told.find(({ telling: other }) => other.kind === "answer" && other.id === id)?.telling
    const text = telling.text ?? (answer?.kind === "answer" ? answer.text : undefined)
    const { provider, model, usage, usd, durationMs } = telling
    const askedAt = at === null || durationMs === undefined ? null : at - durationMs
    const parts = text === undefined ? [] : [{ type: "text", text }]
    this.#run.model.turn({ key: id, provider, model, usage, usd, parts, askedAt, at })
  }

  /** Records the call with who let it pass, or who refused it. */
  #decision(call: AgentCall, { at }: LogRecord, key: string, decision: Decision): void {
    const callId = call.callId ?? key
    const { commands } = this.#run
    this.#called.add(callId)
    const isKnown = this.#told.some(({ telling }) => telling.kind === "request" && telling.id === call.requestId)
    const cause = call.requestId === undefined || !isKnown ? {} : { cause: `answered:${call.requestId}` }
    // Arguments may come with the result.
    const args = call.args ?? this.#argsOf(callId) ?? {}
    commands.called(callId, call.tool, args, { at, ...cause })
    const { approved, by, asked } = decision
    if (asked) commands.confirmed(callId, { key: callId, approved, by, reason: undefined, at })
    if (approved) commands.ruledBy(callId, `${this.#agent.name}:${by}`)
    else commands.denied(callId, `${this.#agent.title} refused it by ${by}`, at, null)
  }

  #argsOf(callId: string): unknown {
    const found = this.#told.find(({ telling }) => telling.kind === "result" && telling.callId === callId)?.telling
    return found?.kind === "result" ? found.args : undefined
  }

  #result(telling: Telling & { readonly kind: "result" }, record: LogRecord, key: string): void {
    if (this.#elsewhere !== undefined) {
      this.#runs.leaveOut("tool result", "another recorder has it")
      return
    }
    const callId = telling.callId ?? key
    const { ok, content, durationMs, decision } = telling
    const at = record.at
    const calledAt = at === null || durationMs === undefined ? at : at - durationMs
    const begun = { ...record, at: calledAt }
    if (!this.#called.has(callId)) {
      if (decision === undefined) {
        this.#called.add(callId)
        this.#run.commands.called(callId, telling.tool, telling.args ?? {}, { at: calledAt })
      } else this.#decision(telling, begun, key, decision)
    }
    const said = content ?? { notSent: this.#agent.more }
    this.#run.commands.result(callId, { ok, content: said, at, by: telling.callId === undefined ? null : "call-id" })
  }
}
