/** Resolves the name of a scoring (a score set, a label or a pointer), and loads its scores. */

import { Data, Effect } from "effect"
import { EventLog, type LogError, MAIN } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as DidYouMean from "../../values/DidYouMean.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { type Score, scoreOf } from "../audit/Scores.ts"
import * as Verdicts from "../audit/Verdicts.ts"
import * as Projection from "../fold/Projection.ts"
import * as CountingScore from "../report/CountingScore.ts"
import * as ScoreChoice from "../report/ScoreChoice.ts"
import * as ScoreSets from "../state/ScoreSets.ts"

/** No score set, label or pointer has this name. */
export class ScoringNotFound extends Data.TaggedError("ScoringNotFound")<{
  readonly name: string
  readonly labels: ReadonlyArray<string>
  readonly pointers: ReadonlyArray<string>
  /** The searched timeline, if not the whole log. */
  readonly timeline?: string
}> {
  override get message() {
    const of = (names: ReadonlyArray<string>) => (names.length === 0 ? "none" : names.slice(0, MAX_NAMES).join(", "))
    return (
      `No scoring "${this.name}" is ${this.timeline === undefined ? "in this log" : `on the timeline ${this.timeline}`}: expected the id of a score set or its end, a label (${of(this.labels)}), ` +
      `or a pointer (${of(this.pointers)}).${DidYouMean.question(this.name, [...this.labels, ...this.pointers])}`
    )
  }
}

/** Maximum number of names in a message. */
const MAX_NAMES = 10

/** A named scoring: one score set, or all score sets with one label, such as the `live` sets of all closed tasks. */
export interface NamedScoring {
  /** The name as given. */
  readonly name: string
  readonly label: string
  /** The score sets, in the order of their starts. */
  readonly scoreSetIds: ReadonlyArray<string>
  /** The scores by task id. If two sets cover a task, the later one counts. */
  readonly scores: ReadonlyMap<string, Score>
}

/** Minimum length of a part that identifies an id. */
const MIN_ID_PART = 4

/**
 * Loads the scores of a name: a pointer, a score set's id or an unambiguous start or end of it, or a label.
 * `fork-1/live` is the label `live` among the score sets that began or finished on the timeline `fork-1`, without the
 * others that it shares with its parent. (The return of a forked task begins before the fork and finishes after it.)
 */
export const load = (name: string): Effect.Effect<NamedScoring, ScoringNotFound | LogError, EventLog> =>
  onTimelineOf(name, (within, known) =>
    Effect.gen(function* () {
      const resolved = yield* resolveAmong(name, within, known)
      return { ...resolved, scores: yield* scoresOf(new Set(resolved.scoreSetIds)) }
    }),
  )

/** Resolves a name without loading scores. */
export const resolve = (
  name: string,
): Effect.Effect<Omit<NamedScoring, "scores">, ScoringNotFound | LogError, EventLog> =>
  onTimelineOf(name, (within, known) => resolveAmong(name, within, known))

/** Resolves a name without a timeline among known score sets. */
export const resolveIn = (
  known: ScoreSets.ScoreSets,
  name: string,
): Effect.Effect<Omit<NamedScoring, "scores">, ScoringNotFound, EventLog> => resolveAmong(name, name, known)

/**
 * Chooses among known score sets: those of a name, else the score that counts for each task. All live score sets have
 * one label, so `live` is a choice even before the first of them.
 */
export const choiceIn = (
  known: ScoreSets.ScoreSets,
  name: string | undefined,
): Effect.Effect<ScoreChoice.ScoreChoice, ScoringNotFound, EventLog> =>
  name === undefined
    ? Effect.succeed(ScoreChoice.counting(SafeRecord.get(known.pointers, CountingScore.OFFICIAL)))
    : name === CountingScore.LIVE && !Object.hasOwn(known.pointers, CountingScore.LIVE)
      ? Effect.succeed(ScoreChoice.labelled(CountingScore.LIVE))
      : Effect.map(resolveIn(known, name), ({ scoreSetIds }) => ScoreChoice.ofSets(name, new Set(scoreSetIds)))

/** Chooses like `choiceIn` on the log's timeline, also by a name such as `fork-1/live`. */
export const choice = (
  name: string | undefined,
): Effect.Effect<ScoreChoice.ScoreChoice, ScoringNotFound | LogError, EventLog> =>
  name === undefined
    ? Effect.map(Effect.flatMap(EventLog, pointers), (pointers) =>
        ScoreChoice.counting(pointers.get(CountingScore.OFFICIAL)),
      )
    : onTimelineOf(name, (within, known) => Effect.map(choiceIn(known, within), (chosen) => ({ ...chosen, name })))

/** The pointers of the log's timeline, with the score set that each one names. */
const pointers = (log: EventLog.Service): Effect.Effect<ReadonlyMap<string, string>, LogError> =>
  Effect.gen(function* () {
    const found = new Map<string, string>()
    yield* Pages.forEach(log.readPage, { timeline: log.timeline, types: ["ScoreSetPromoted"] }, (page) => {
      for (const event of page)
        if (is(event, "ScoreSetPromoted")) found.set(event.payload.pointer, event.payload.scoreSetId)
    })
    return found
  })

/**
 * Runs a query on the timeline before the name's first slash, if there is such a timeline; otherwise on the log's.
 * `query` gets the score sets that the name may refer to.
 */
const onTimelineOf = <A, E>(
  name: string,
  query: (within: string, known: ScoreSets.ScoreSets) => Effect.Effect<A, E, EventLog>,
): Effect.Effect<A, E | LogError, EventLog> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const slash = name.indexOf("/")
    const timelines = slash < 1 ? [] : yield* Timelines.list(log)
    const timeline = timelines.find((one) => one.name === name.slice(0, slash))
    if (timeline === undefined) return yield* query(name, yield* sets)
    const ofTimeline = Effect.gen(function* () {
      const ids = yield* Effect.provideService(setsMade, EventLog, { ...log, timeline: timeline.name })
      const known = yield* sets
      return yield* query(name.slice(slash + 1), only(known, ids))
    })
    return yield* Effect.provideService(ofTimeline, EventLog, Timelines.view(log, timeline))
  })

/** The ids of the score sets that began or finished on the log's timeline. */
const setsMade: Effect.Effect<ReadonlySet<string>, LogError, EventLog> = Effect.gen(function* () {
  const log = yield* EventLog
  const ids = new Set<string>()
  const types = ["ScoringStarted", "ScoringFinished"]
  yield* Pages.forEach(log.readPage, { timeline: log.timeline, types }, (page) => {
    for (const { payload } of page) ids.add(String(payload.scoreSetId))
  })
  return ids
})

const only = ({ sets, pointers, rubrics }: ScoreSets.ScoreSets, ids: ReadonlySet<string>): ScoreSets.ScoreSets => ({
  sets: Object.fromEntries(Object.entries(sets).filter(([id]) => ids.has(id))),
  pointers: Object.fromEntries(Object.entries(pointers).filter(([, id]) => ids.has(id))),
  rubrics,
})

const resolveAmong = (
  name: string,
  within: string,
  known: ScoreSets.ScoreSets,
): Effect.Effect<Omit<NamedScoring, "scores">, ScoringNotFound, EventLog> =>
  Effect.gen(function* () {
    const ids = resolveIds(known, within)
    const [first] = ids
    if (first === undefined) {
      const labels = [...new Set(Object.values(known.sets).map(({ label }) => label))]
      const { timeline } = yield* EventLog
      return yield* new ScoringNotFound({
        name,
        labels,
        pointers: Object.keys(known.pointers),
        ...(timeline === MAIN ? {} : { timeline }),
      })
    }
    return { name, label: known.sets[first]?.label ?? "", scoreSetIds: ids }
  })

/** All score sets and pointers, folded from their own events instead of the whole log. */
export const sets: Effect.Effect<ScoreSets.ScoreSets, LogError, EventLog> = Effect.suspend(() => setsAfter(0))

/**
 * The score sets that began after a position, as all sets of a task begin after its opening, and all pointers. Reads
 * only their events.
 */
export const setsAfter = (position: number): Effect.Effect<ScoreSets.ScoreSets, LogError, EventLog> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const builder = Projection.begin(ScoreSets.projection, ScoreSets.projection.initial)
    const take = (page: ReadonlyArray<Event>) => Projection.applyAll(ScoreSets.projection, builder, page)
    const query = { timeline: log.timeline, types: ScoreSets.TYPES, after: position }
    if (position > 0) {
      yield* Pages.forEach(log.readPage, { ...query, types: ["ScoreSetPromoted"], after: 0, until: position }, take)
    }
    yield* Pages.forEach(log.readPage, query, take)
    return builder.state()
  })

const resolveIds = ({ sets, pointers }: ScoreSets.ScoreSets, name: string): ReadonlyArray<string> => {
  const ids = Object.keys(sets)
  const target = Object.hasOwn(pointers, name) ? pointers[name] : undefined
  if (target !== undefined) return ids.filter((id) => id === target)
  if (Object.hasOwn(sets, name)) return [name]
  const named = ids.filter((id) => sets[id]?.label === name)
  // A person's later label replaces the earlier one, and withdrawing it leaves a set of no task in its place.
  const replaced = new Set(named.flatMap((id) => sets[id]?.replaces ?? []))
  const labelled = named.filter((id) => !replaced.has(id))
  if (labelled.length > 0) return labelled
  const matches = name.length < MIN_ID_PART ? [] : ids.filter((id) => id.startsWith(name) || id.endsWith(name))
  return matches.length === 1 ? matches : []
}

/** Reads all scoring events, and keeps the scores of these sets. */
const scoresOf = (ids: ReadonlySet<string>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const tasksOf = new Map<string, Map<string, Verdicts.Scored>>()
    yield* Pages.forEach(log.readPage, { timeline: log.timeline, types: SCORING }, (page) => {
      for (const event of page) {
        const id = String(event.payload.scoreSetId)
        if (!ids.has(id)) continue
        const tasks = tasksOf.get(id)
        if (is(event, "ScoringStarted")) {
          // Sets are never overwritten: the first start of an id counts.
          if (tasks !== undefined) continue
          const initial = { ...Verdicts.unstarted(event.position), started: Verdicts.start(event.payload) }
          tasksOf.set(id, new Map(event.payload.taskIds.map((taskId) => [taskId, initial])))
        } else if (is(event, "ScoringFinished")) {
          for (const [taskId, set] of tasks ?? []) tasks?.set(taskId, { ...set, finished: true })
        } else {
          const set = event.taskId === null ? undefined : tasks?.get(event.taskId)
          if (set !== undefined && event.taskId !== null) tasks?.set(event.taskId, Verdicts.decided(set, event))
        }
      }
    })
    const inOrder = [...tasksOf].flatMap(([id, tasks]) =>
      [...tasks].map(([taskId, set]) => [taskId, scoreOf(id, set)] as const),
    )
    return new Map(inOrder)
  })

const SCORING = ["ScoringStarted", "RewardGiven", "PunishmentGiven", "MeasureUnscored", "ScoringFinished"]
