/** What a mapper writes to: the runs of one file, the events that came of its records, and what did not become one. */

import type { PriceTable } from "../../kernel/pricing/Prices.ts"
import type { FormatCapture, MappingCounts } from "./FormatCapture.ts"
import { Run } from "./Run.ts"
import type { RunEvent, RunSink, RunStart } from "./RunEvent.ts"
import { timeOf } from "./SourceTimes.ts"
import { increase } from "./Tally.ts"
import { notingCuts } from "./Untrusted.ts"

/** What a source gave one run by one of its scorers. */
export interface SourceScore {
  readonly run: Run
  /** The scorer. Each scorer of a file makes one score set. */
  readonly scorer: string
  /** The value's name, where a scorer gives several. */
  readonly name: string
  /** Null where the value is no number. */
  readonly value: number | null
  readonly rationale: string | null
}

/** The format of a file, as far as its runs have to know it. */
interface SourceOfRuns {
  readonly name: string
  readonly capture: FormatCapture
}

/** The runs of one file. */
export class Runs implements RunSink {
  readonly source: string
  readonly prices: PriceTable
  readonly capture: FormatCapture
  readonly scores: Array<SourceScore> = []
  /** Records that are kept as they are, by kind. */
  readonly kept = new Map<string, number>()
  /** Records that are not in the log, by kind and reason. */
  readonly leftOut = new Map<string, number>()
  /** Remarks on what was found. */
  readonly remarks = new Map<string, number>()
  /** What no run has taken yet. */
  #leftOut = new Map<string, number>()
  #remarks = new Map<string, number>()
  readonly #cuts = new Set<string>()
  #events: Array<RunEvent> = []
  #waits = false
  readonly #runs: Array<Run> = []

  constructor({ name, capture }: SourceOfRuns, prices: PriceTable) {
    this.source = name
    this.capture = capture
    this.prices = prices
  }

  /** Begins a run. */
  open(start: RunStart): Run {
    const run = new Run(this, start)
    this.#runs.push(run)
    return run
  }

  /** Maps a source's run that begins with what was copied from another: it counts as a run once it has something of its own. */
  openCopied(start: RunStart): Run {
    const run: Run = new Run(this, start, () => this.#runs.push(run))
    return run
  }

  /** Every run so far, in the order in which they began. */
  get all(): ReadonlyArray<Run> {
    return this.#runs
  }

  add(event: RunEvent): void {
    this.#events.push(event)
  }

  /** The events since this was last called, in order. */
  drain(): ReadonlyArray<RunEvent> {
    if (this.#events.length === 0) return NONE
    const events = this.#events
    this.#events = []
    return events
  }

  /** Maps something, and notes which values of it had to be cut. */
  mapping<A>(map: () => A): A {
    return notingCuts(this.#cuts, map)
  }

  /** Counts a record that is not in the log. */
  leaveOut(kind: string, why: string, times = 1): void {
    increase(this.leftOut, `${kind}: ${why}`, times)
    increase(this.#leftOut, `${kind}: ${why}`, times)
  }

  /** Counts a record that the file has twice: nothing of it is missing. `what` is the same. */
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

  /** Whether something of the file is left to a later import, though the file may not change until then. */
  get waits(): boolean {
    return this.#waits
  }

  /** Leaves something to a later import, and remarks on it. */
  postpone(what: string): void {
    this.#waits = true
    this.remarkOnFile(what)
  }

  /** The time of a record, in milliseconds since 1970, as `timeOf` reads it. One that is none is remarked on. */
  timeOf(value: unknown): number | null {
    const at = timeOf(value)
    if (at === null && value !== undefined && value !== null) this.remark(UNREADABLE_TIME)
    return at
  }

  /** Remarks on the file, and not on what its runs lack: another copy of a run may have another remark, or a later import none. */
  remarkOnFile(what: string): void {
    increase(this.remarks, what)
  }

  /** Counts something that whoever imports has to know. */
  remark(what: string): void {
    this.remarkOnFile(what)
    increase(this.#remarks, what)
  }
}

const UNREADABLE_TIME = "times that cannot be read: such a record has the time of the one before it"

const NONE: ReadonlyArray<RunEvent> = []
