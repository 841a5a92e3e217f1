import { Effect } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { type CoreName, is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import * as Verdicts from "./Verdicts.ts"

/** What many tasks were given, by score set: what `Verdicts.projection` comes to for each of them. */
export interface CollectedVerdicts {
  /** What one task was given. It is given out once: it is forgotten then. */
  readonly take: (taskId: string) => Verdicts.State
}

const TYPES: ReadonlyArray<CoreName> = [
  "ScoringStarted",
  "RewardGiven",
  "PunishmentGiven",
  "MeasureUnscored",
  "ScoringFinished",
]

/**
 * Gathers what tasks were given, in all scorings up to a position, by reading the events of scorings and no others. A task's
 * scores may come at any time after its close, so that they are known only at the end; of all that is in a log they are
 * little: what is kept of a verdict are a few numbers, and each rubric, which is long, once.
 */
export const collect = (
  until: number,
  wanted: (taskId: string) => boolean,
): Effect.Effect<CollectedVerdicts, LogError, EventLog> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const gathering = new Gathering(wanted)
    yield* Pages.forEach(log.readPage, { until, timeline: log.timeline, types: TYPES }, (page) => {
      for (const event of page) gathering.see(event)
    })
    return gathering
  })

/** One score set of one task, with its verdicts as numbers: each as a term, its amount, its occurrences, and its evidence. */
interface Kept {
  readonly scoreSetId: string
  readonly at: number
  started: Verdicts.Scored["started"]
  finished: boolean
  readonly verdicts: Array<number>
  readonly unscored: Array<Verdicts.Scored["unscored"][number]>
}

/** What verdicts have in common: there are few of them, whatever the number of tasks. */
interface Term {
  readonly kind: Verdicts.RecordedVerdict["kind"]
  readonly measure: string
  readonly name: string
  readonly weight: number
}

class Gathering implements CollectedVerdicts {
  readonly #wanted: (taskId: string) => boolean
  readonly #tasks = new Map<string, Array<Kept>>()
  /** What of each score set was started and is not finished. */
  readonly #underWay = new Map<string, Array<Kept>>()
  readonly #starts = new Map<string, Verdicts.Scored["started"]>()
  readonly #terms: Array<Term> = []
  readonly #termIndex = new Map<string, number>()

  constructor(wanted: (taskId: string) => boolean) {
    this.#wanted = wanted
  }

  see(event: Event): void {
    if (is(event, "ScoringStarted")) this.#start(event.position, event.payload)
    else if (is(event, "ScoringFinished")) this.#finish(event.payload.scoreSetId)
    else if (event.taskId === null || !this.#wanted(event.taskId)) return
    else if (is(event, "RewardGiven")) this.#give(event, "reward", event.payload)
    else if (is(event, "PunishmentGiven")) this.#give(event, "punishment", event.payload)
    else if (is(event, "MeasureUnscored")) {
      const { scoreSetId, measure, name, reason } = event.payload
      this.#keptOf(event.taskId, scoreSetId, event.position).unscored.push({ measure, name, reason })
    }
  }

  take(taskId: string): Verdicts.State {
    const sets = this.#tasks.get(taskId) ?? []
    this.#tasks.delete(taskId)
    return Object.fromEntries(sets.map((kept) => [kept.scoreSetId, this.#scored(kept)]))
  }

  #start(position: number, payload: PayloadOf<"ScoringStarted">): void {
    const { scoreSetId, taskIds } = payload
    const started = this.#startOf(payload)
    const underWay = this.#underWay.get(scoreSetId) ?? []
    for (const taskId of taskIds) {
      if (!this.#wanted(taskId)) continue
      const kept = this.#keptOf(taskId, scoreSetId, position)
      // Sets are never overwritten: an id that is started twice keeps its first start.
      if (kept.started !== null) continue
      kept.started = started
      underWay.push(kept)
    }
    if (underWay.length > 0) this.#underWay.set(scoreSetId, underWay)
  }

  #finish(scoreSetId: string): void {
    for (const kept of this.#underWay.get(scoreSetId) ?? []) kept.finished = true
    this.#underWay.delete(scoreSetId)
  }

  #give({ taskId, position }: Event, kind: Term["kind"], payload: PayloadOf<"RewardGiven">): void {
    const { scoreSetId, measure, name, weight, amount, occurrences = 0, because } = payload
    const term = this.#termOf({ kind, measure, name, weight })
    const kept = this.#keptOf(taskId ?? "", scoreSetId, position)
    kept.verdicts.push(term, amount, occurrences, because.length)
    for (const position of because) kept.verdicts.push(position)
  }

  #scored({ scoreSetId, at, started, finished, verdicts, unscored }: Kept): Verdicts.Scored {
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

  #keptOf(taskId: string, scoreSetId: string, at: number): Kept {
    const sets = this.#tasks.get(taskId) ?? []
    if (sets.length === 0) this.#tasks.set(taskId, sets)
    const known = sets.find((kept) => kept.scoreSetId === scoreSetId)
    if (known !== undefined) return known
    const kept: Kept = { scoreSetId, at, started: null, finished: false, verdicts: [], unscored: [] }
    sets.push(kept)
    return kept
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
