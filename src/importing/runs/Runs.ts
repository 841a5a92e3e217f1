/** The output of a mapper: the runs of one file, their events, and counts of everything else. */

import type { PriceTable } from "../../kernel/pricing/Prices.ts"
import { HeldScores, MAX_BYTES, type SourceScore } from "../scores/SourceScores.ts"
import type { FormatCapture, MappingCounts } from "./FormatCapture.ts"
import { MappedRun } from "./Run.ts"
import type { RunEvent, RunSink, RunStart } from "./RunEvent.ts"
import { timeOf } from "./SourceTimes.ts"
import { increase } from "./Tally.ts"
import { notingCuts } from "./Untrusted.ts"

interface SourceOfRuns {
  readonly name: string
  readonly capture: FormatCapture
}

export class MappedRuns implements RunSink {
  readonly source: string
  readonly prices: PriceTable
  readonly capture: FormatCapture
  readonly #scores = new HeldScores()
  readonly kept = new Map<string, number>()
  readonly leftOut = new Map<string, number>()
  readonly remarks = new Map<string, number>()
  /** Counts that no run has taken yet. */
  #leftOut = new Map<string, number>()
  #remarks = new Map<string, number>()
  readonly #cuts = new Set<string>()
  #events: Array<RunEvent> = []
  readonly #opened = new Set<string>()
  #waits = false

  constructor({ name, capture }: SourceOfRuns, prices: PriceTable) {
    this.source = name
    this.capture = capture
    this.prices = prices
  }

  open(start: RunStart): MappedRun {
    const run = new MappedRun(this, start)
    this.#opened.add(run.taskId)
    return run
  }

  /** Whether a run of this task was opened. */
  has(taskId: string): boolean {
    return this.#opened.has(taskId)
  }

  /** Opens a run that begins with copied records. It counts as a run once it has something of its own. */
  openCopied(start: RunStart): MappedRun {
    return new MappedRun(this, start, true)
  }

  add(event: RunEvent): void {
    this.#events.push(event)
  }

  /** Takes the events since the last call. */
  drain(): ReadonlyArray<RunEvent> {
    if (this.#events.length === 0) return NONE
    const events = this.#events
    this.#events = []
    return events
  }

  /** Takes over events and counts of a mapping under another name. */
  absorb(other: MappedRuns): void {
    for (const event of other.drain()) this.#events.push(event)
    for (const score of other.scores) this.score(score)
    for (const name of ["kept", "leftOut", "remarks"] as const)
      for (const [what, times] of other[name]) increase(this[name], what, times)
    this.#waits ||= other.waits
  }

  /** Runs a mapping step and notes the values that it cut. */
  mapping<A>(map: () => A): A {
    return notingCuts(this.#cuts, map)
  }

  get scores(): ReadonlyArray<SourceScore> {
    return this.#scores.all
  }

  /** Takes a score, to be written at the end of the file. Leaves it out if the file has too many. */
  score(score: SourceScore): void {
    if (!this.#scores.add(score)) this.leaveOut("score", TOO_MANY_SCORES)
  }

  leaveOut(kind: string, why: string, times = 1): void {
    increase(this.leftOut, `${kind}: ${why}`, times)
    increase(this.#leftOut, `${kind}: ${why}`, times)
  }

  /** Counts a duplicate record, which loses nothing. `what` names its identical part. */
  repeated(kind: string, what: string): void {
    increase(this.leftOut, `${kind}: the same ${what} again`)
  }

  takeCounts(): MappingCounts {
    const counts = { leftOut: this.#leftOut, remarks: this.#remarks, cut: this.#cuts.size }
    this.#leftOut = new Map()
    this.#remarks = new Map()
    this.#cuts.clear()
    return counts
  }

  /** Whether a later import may find more even if the file does not change. */
  get waits(): boolean {
    return this.#waits
  }

  /** Leaves something to a later import, with a remark. */
  postpone(what: string): void {
    this.#waits = true
    this.remarkOnFile(what)
  }

  /** A record's time, as `timeOf` reads it. An unreadable time gives a remark. */
  timeOf(value: unknown): number | null {
    const at = timeOf(value)
    if (at === null && value !== undefined && value !== null) this.remark(UNREADABLE_TIME)
    return at
  }

  /** Adds a remark on the file only: another copy of a run, or a later import, may differ. */
  remarkOnFile(what: string): void {
    increase(this.remarks, what)
  }

  /** Adds a remark that the task records too. */
  remark(what: string): void {
    this.remarkOnFile(what)
    increase(this.#remarks, what)
  }
}

/** Why a score is left out. */
export const TOO_MANY_SCORES = `the file has more than ${MAX_BYTES / 1024 / 1024} MiB of them: import it in parts`

const UNREADABLE_TIME = "times that cannot be read: such a record has the time of the one before it"

const NONE: ReadonlyArray<RunEvent> = []
