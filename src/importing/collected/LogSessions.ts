/**
 * Maps the log records of a file: coding agents' sessions to tasks, as `hindcast listen` does, and evaluations to score
 * sets. A survey counts the records of each session, so that only open ones stay in memory.
 */

import type { AgentLog } from "../agentlogs/AgentLog.ts"
import { type Belonging, belongingOf } from "../agentlogs/Belonging.ts"
import { accountOf, mapShared } from "../agentlogs/SharedSession.ts"
import { evaluationIn } from "../otlp/Evaluations.ts"
import { type LogRecord, logRecordOf, logRecordsIn } from "../otlp/LogRecord.ts"
import { taskIdOf } from "../runs/Run.ts"
import { type MappedRuns, TOO_MANY_SCORES } from "../runs/Runs.ts"
import type { Asked, SourceFile } from "../Source.ts"
import { HeldScores, type SourceScore } from "../scores/SourceScores.ts"

interface Open {
  readonly agent: AgentLog
  readonly session: string
  readonly taskId: string
  /** Records to come, by the survey. */
  toCome: number
  /** As JSON, the form in which `hindcast listen` keeps them: their ids derive from it. A record that comes again is one. */
  readonly records: Set<string>
}

export class LogSessions {
  readonly #file: SourceFile
  readonly #runs: MappedRuns
  /** The conversation of a trace, as the file's spans name it. */
  readonly #conversationOf: (trace: string) => string
  readonly #open = new Map<string, Open>()
  /** Evaluations, which may come before their subjects. */
  readonly #judged = new HeldScores()

  constructor(file: SourceFile, runs: MappedRuns, conversationOf: (trace: string) => string) {
    this.#file = file
    this.#runs = runs
    this.#conversationOf = conversationOf
  }

  survey(value: unknown): void {
    for (const record of recordsIn(value)) {
      const belonging = belongingOf(record)
      if (belonging.kind === "session") this.#of(belonging).toCome += 1
    }
  }

  /** Tasks of which the log has to say who opened them. */
  *asks(): Iterable<Asked> {
    for (const { taskId, agent } of this.#open.values()) yield { taskId, account: accountOf(agent) }
    for (const { taskId } of this.#judged) yield { taskId, account: this.#runs.source }
  }

  record(value: unknown): void {
    for (const record of recordsIn(value)) {
      const belonging = belongingOf(record)
      if (belonging.kind === "session") this.#take(this.#of(belonging), record)
      else if (belonging.kind === "evaluation") {
        const { conversation, trace = "" } = belonging
        const taskId = taskIdOf("otlp", conversation ?? this.#conversationOf(trace))
        for (const one of evaluationIn(record))
          if (!this.#judged.add({ taskId, ...one })) this.#runs.leaveOut("evaluation", TOO_MANY_SCORES)
      } else this.#runs.leaveOut("log record", belonging.why)
    }
  }

  #of({ agent, session }: Belonging & { readonly kind: "session" }): Open {
    const taskId = taskIdOf(agent.name, session)
    const open = this.#open.get(taskId) ?? { agent, session, taskId, toCome: 0, records: new Set() }
    this.#open.set(taskId, open)
    return open
  }

  #take(open: Open, record: LogRecord): void {
    const json = JSON.stringify(record)
    if (open.records.has(json)) this.#runs.repeated("log record", "record")
    open.records.add(json)
    open.toCome -= 1
    if (open.toCome === 0) this.#map(open)
  }

  /** Maps the records that the survey did not count. */
  *end(): Iterable<void> {
    for (const open of this.#open.values()) {
      if (open.records.size === 0) continue
      this.#map(open)
      yield
    }
    for (const score of this.#judged) this.#judge(score)
  }

  #map(open: Open): void {
    const { agent, session, taskId, records } = open
    const { now, modifiedAt, ownerOf } = this.#file
    const owner = ownerOf(taskId)
    if (owner === undefined) {
      const why = "telemetry under the id of a task that another program recorded"
      this.#runs.leaveOut("log record", why, records.size)
    } else {
      const told = { agent, session, records: [...records].map((json) => JSON.parse(json) as LogRecord) }
      const { runs, isOpen } = mapShared(told, owner, { now, touched: modifiedAt }, this.#runs.prices)
      this.#runs.absorb(runs)
      if (isOpen) this.#runs.postpone("a session that may continue: its task is closed once it was silent for an hour")
    }
    records.clear()
  }

  /** An evaluation of an unknown task is not recorded: it would judge nothing. */
  #judge(score: SourceScore): void {
    const { taskId } = score
    if (this.#file.ownerOf(taskId)?.isRecorded !== true && !this.#runs.has(taskId)) {
      this.#runs.leaveOut("evaluation", "neither the file nor the log has the trace that it judges")
      return
    }
    this.#runs.score(score)
  }
}

function* recordsIn(value: unknown): Iterable<LogRecord> {
  for (const record of logRecordsIn(value)) yield logRecordOf(record)
}
