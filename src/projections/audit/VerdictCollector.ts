/** Collects the verdicts of many tasks in one pass over the scoring events, in compact form. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { type CoreName, is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import * as Verdicts from "./Verdicts.ts"

/** The collected verdicts of many tasks, for each task equal to the state of `Verdicts.projection`. */
export interface CollectedVerdicts {
  /** Returns the verdicts of one task and discards them. */
  readonly take: (taskId: string) => Verdicts.State
}

/** The types of scoring events. */
export const TYPES: ReadonlyArray<CoreName> = [
  "ScoringStarted",
  "RewardGiven",
  "PunishmentGiven",
  "MeasureUnscored",
  "ScoringFinished",
]

/** One score set of one task. Each verdict is stored as numbers: its term, amount, occurrences and evidence. */
interface TaskScoreSet {
  readonly taskId: string
  readonly scoreSetId: string
  readonly at: number
  started: Verdicts.Scored["started"]
  finished: boolean
  readonly verdicts: Array<number>
  readonly unscored: Array<Verdicts.Scored["unscored"][number]>
}

/** The fields that verdicts share. There are few distinct terms, however many tasks there are. */
interface Term {
  readonly kind: Verdicts.RecordedVerdict["kind"]
  readonly measure: string
  readonly name: string
  readonly weight: number
}

/**
 * Collects the verdicts of the wanted tasks. A task can be scored at any time after its close, so its scores are
 * complete only at the end. Memory holds a few numbers per verdict, and each rubric once.
 */
export class VerdictCollector implements CollectedVerdicts {
  readonly #wanted: (taskId: string) => boolean
  readonly #tasks = new Map<string, Array<TaskScoreSet>>()
  /** Entries that were started and are not finished, by score set. */
  readonly #unfinished = new Map<string, Array<TaskScoreSet>>()
  readonly #starts = new Map<string, Verdicts.Scored["started"]>()
  readonly #terms: Array<Term> = []
  readonly #termIndex = new Map<string, number>()

  constructor(isWanted: (taskId: string) => boolean) {
    this.#wanted = isWanted
  }

  fold(event: Event): void {
    if (is(event, "ScoringStarted")) this.#start(event, event.payload)
    else if (is(event, "ScoringFinished")) this.#finish(event, event.payload.scoreSetId)
    else if (event.taskId === null || !this.#wanted(event.taskId)) return
    else if (is(event, "RewardGiven")) this.#add(event, "reward", event.payload)
    else if (is(event, "PunishmentGiven")) this.#add(event, "punishment", event.payload)
    else if (is(event, "MeasureUnscored")) {
      const { scoreSetId, measure, name, reason } = event.payload
      this.#entryOf(event.taskId, scoreSetId, event.position).unscored.push({ measure, name, reason })
    }
  }

  take(taskId: string): Verdicts.State {
    const sets = this.#tasks.get(taskId) ?? []
    this.#tasks.delete(taskId)
    return Object.fromEntries(sets.map((entry) => [entry.scoreSetId, this.#scored(entry)]))
  }

  #start(event: Event, payload: PayloadOf<"ScoringStarted">): void {
    const { scoreSetId, taskIds } = payload
    const wanted = taskIds.filter((taskId) => this.#wanted(taskId) && Verdicts.mayConcern(event, taskId))
    // Skip scorings of other tasks: if few tasks are wanted, most are, and a rubric is long.
    if (wanted.length === 0) return
    const started = this.#startOf(payload)
    const unfinished = this.#unfinished.get(scoreSetId) ?? []
    for (const taskId of wanted) {
      const entry = this.#entryOf(taskId, scoreSetId, event.position)
      // Sets are never overwritten: the first start of an id counts.
      if (entry.started !== null) continue
      entry.started = started
      unfinished.push(entry)
    }
    if (unfinished.length > 0) this.#unfinished.set(scoreSetId, unfinished)
  }

  #finish(event: Event, scoreSetId: string): void {
    const left = (this.#unfinished.get(scoreSetId) ?? []).filter((entry) => {
      entry.finished = Verdicts.mayConcern(event, entry.taskId)
      return !entry.finished
    })
    if (left.length > 0) this.#unfinished.set(scoreSetId, left)
    else this.#unfinished.delete(scoreSetId)
  }

  #add({ taskId, position }: Event, kind: Term["kind"], payload: PayloadOf<"RewardGiven">): void {
    const { scoreSetId, measure, name, weight, amount, occurrences = 0, because } = payload
    const term = this.#termOf({ kind, measure, name, weight })
    const entry = this.#entryOf(taskId ?? "", scoreSetId, position)
    entry.verdicts.push(term, amount, occurrences, because.length)
    for (const position of because) entry.verdicts.push(position)
  }

  #scored({ scoreSetId, at, started, finished, verdicts, unscored }: TaskScoreSet): Verdicts.Scored {
    let scored: Verdicts.Scored = { ...Verdicts.unstarted(at), started, finished, unscored }
    for (let next = 0; next < verdicts.length; ) {
      const [term = 0, amount = 0, occurrences = 0, length = 0] = verdicts.slice(next, next + FIELDS)
      const because = verdicts.slice(next + FIELDS, next + FIELDS + length)
      next += FIELDS + length
      const { kind, ...common } = this.#terms[term] ?? UNKNOWN
      const payload = { scoreSetId, ...common, amount, because, ...(occurrences === 0 ? {} : { occurrences }) }
      scored = Verdicts.recordedVerdict(scored, kind, payload)
    }
    return scored
  }

  #entryOf(taskId: string, scoreSetId: string, at: number): TaskScoreSet {
    const sets = this.#tasks.get(taskId) ?? []
    if (sets.length === 0) this.#tasks.set(taskId, sets)
    const known = sets.find((entry) => entry.scoreSetId === scoreSetId)
    if (known !== undefined) return known
    const entry: TaskScoreSet = { taskId, scoreSetId, at, started: null, finished: false, verdicts: [], unscored: [] }
    sets.push(entry)
    return entry
  }

  #startOf(payload: PayloadOf<"ScoringStarted">): Verdicts.Scored["started"] {
    const started = Verdicts.start(payload)
    const key = JSON.stringify(started)
    const known = this.#starts.get(key)
    if (known === undefined) this.#starts.set(key, started)
    return known ?? started
  }

  #termOf(term: Term): number {
    const key = JSON.stringify([term.kind, term.measure, term.name, term.weight])
    const known = this.#termIndex.get(key)
    if (known !== undefined) return known
    this.#termIndex.set(key, this.#terms.length)
    return this.#terms.push(term) - 1
  }
}

/** Numbers of a verdict before its evidence. */
const FIELDS = 4

const UNKNOWN: Term = { kind: "reward", measure: "", name: "", weight: 0 }
