/** Maps one Claude Code session to a run: waits for its goal, leaves out what a fork copied, and ends the run. */

import type { MappedRun } from "../runs/Run.ts"
import type { RunStart } from "../runs/RunEvent.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { isSilent } from "../runs/Silence.ts"
import { timeOf } from "../runs/SourceTimes.ts"
import { field, textOf } from "../runs/Untrusted.ts"
import type { SourceFile } from "../Source.ts"
import { CopiedRecords } from "./CopiedRecords.ts"
import { SessionRecords, UNANSWERED } from "./SessionRecords.ts"
import { startOf } from "./SessionStart.ts"
import { goalIn } from "./Speakers.ts"

const MESSAGE = /^(?:user|assistant)$/

/** Maximum number of records to hold back until the first prompt, which is the goal. */
const MAX_BEFORE_GOAL = 200

/** Remarks for parents that had not been read; the order of the file is kept. */
const MISPLACED = {
  later: "messages that come after what follows them: the order is the file's",
  nowhere: "messages that are followed and are not in the file, or not of this session: the order is the file's",
}

export class Session {
  readonly #runs: MappedRuns
  readonly #file: SourceFile
  readonly #id: string
  readonly #subagent: string | undefined
  readonly #records: SessionRecords
  #early: Array<unknown> = []
  #run: MappedRun | undefined
  /** Id of the first message, by which copies are recognized. */
  #first: string | undefined
  readonly #copies: CopiedRecords
  #copied: MappedRun | undefined

  constructor(runs: MappedRuns, file: SourceFile, id: string, subagent: string | undefined) {
    this.#runs = runs
    this.#file = file
    this.#id = id
    this.#subagent = subagent
    this.#records = new SessionRecords(runs, subagent)
    this.#copies = new CopiedRecords(subagent === undefined ? file.relatives : [])
  }

  record(value: unknown): void {
    if (this.#run !== undefined) {
      this.#records.map(this.#run, value)
      return
    }
    if (this.#first === undefined && MESSAGE.test(textOf(value, "type") ?? "")) this.#first = textOf(value, "uuid")
    if (this.#copies.take(value)) this.#copy(value)
    else this.#beforeGoal(value)
  }

  /** Maps a copied record to the state from which the fork begins, without writing it. */
  #copy(value: unknown): void {
    this.#copied ??= this.#runs.openCopied(this.#start("", [value]))
    this.#records.map(this.#copied, value)
    this.#runs.leaveOut("record of another session", "it was copied from the one that this one was forked from")
  }

  end(): void {
    const settled = this.#isSettled()
    if (this.#run === undefined) {
      if (!settled || this.#early.length === 0) return
      this.#begin("")
    }
    const run = this.#run
    if (run === undefined) return
    for (const where of this.#records.order.misplaced) this.#runs.remark(MISPLACED[where])
    if (!settled) {
      for (const chain of this.#records.chains.values()) {
        const { turn } = chain
        if (turn?.ended === true) chain.finish(run)
        else if (turn !== undefined)
          run.waits(
            turn.id,
            "a last answer that may be incomplete; import the file again when the session has continued",
            turn.at,
          )
      }
      return
    }
    for (const chain of this.#records.chains.values()) chain.finish(run)
    const key = String(this.#records.number)
    const used = this.#records.costs.of(run.model.used)
    if (used !== undefined) run.stated(key, used, this.#records.lastAt)
    if (this.#records.failure !== undefined) run.close(key, "failed", this.#records.failure, this.#records.lastAt)
    else if (this.#records.open !== undefined) run.close(key, "abandoned", this.#records.open, this.#records.lastAt)
    else run.close(key, "finished", "the agent ended its turn; the source has no verdict", this.#records.lastAt)
  }

  #isSettled(): boolean {
    const times = this.#early.map((value) => timeOf(field(value, "timestamp"))).filter((time) => time !== null)
    const last = this.#records.lastAt ?? times.at(-1) ?? null
    return isSilent(this.#file, last)
  }

  #beforeGoal(value: unknown): void {
    this.#early.push(value)
    const goal = goalIn(value)
    if (goal !== undefined || field(value, "type") === "assistant" || this.#early.length >= MAX_BEFORE_GOAL)
      this.#begin(goal ?? "")
  }

  #begin(goal: string): void {
    const early = this.#early
    this.#early = []
    const start = this.#start(goal, early)
    if (this.#copied !== undefined) for (const chain of this.#records.chains.values()) chain.finish(this.#copied)
    this.#copied?.beginOwn(start)
    const run = this.#copied ?? this.#runs.open(start)
    this.#run = run
    this.#records.open = UNANSWERED
    for (const value of early) this.#records.map(run, value)
  }

  #start(goal: string, early: ReadonlyArray<unknown>): RunStart {
    const { parent } = this.#copies
    return startOf({ id: this.#id, subagent: this.#subagent, first: this.#first, parent }, goal, early)
  }
}
