import { Data, Effect } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import { type CoreName, is } from "../../events/vocabulary/Vocabulary.ts"
import { type Score, scoreOf } from "../audit/Scores.ts"
import * as Verdicts from "../audit/Verdicts.ts"
import * as Projection from "../fold/Projection.ts"
import * as ScoreSets from "../state/ScoreSets.ts"

/** Fix the call: nothing by this name scores anything. */
export class ScoringNotFound extends Data.TaggedError("ScoringNotFound")<{
  readonly name: string
  readonly labels: ReadonlyArray<string>
  readonly pointers: ReadonlyArray<string>
}> {
  override get message() {
    const of = (names: ReadonlyArray<string>) => (names.length === 0 ? "none" : names.slice(0, MAX_NAMES).join(", "))
    return (
      `No scoring "${this.name}" is in this log: expected a score set's id or the end of it, a label (${of(this.labels)}), ` +
      `or a pointer (${of(this.pointers)}).`
    )
  }
}

/** Names that a message lists at most. */
const MAX_NAMES = 10

/** What a name stands for: one score set, or all that bear a label, as the sets `live` of every closed task. */
export interface Scoring {
  /** As it was asked for. */
  readonly name: string
  readonly label: string
  /** The score sets, in the order in which they began. */
  readonly scoreSetIds: ReadonlyArray<string>
  /** Every task that they cover, by its id. Where two sets cover it, the later one counts. */
  readonly scores: ReadonlyMap<string, Score>
}

/** Fewest characters that name an id by its beginning or end. */
const MIN_PART = 4

/**
 * The scores that a name stands for: that of a pointer, of a score set's id or a part of it that names no other, or of a
 * label. `fork-1/live` is what is called `live` among the score sets that were made in the timeline `fork-1`: those of its
 * own, and none of what it shares with its parent.
 */
export const load = (name: string): Effect.Effect<Scoring, ScoringNotFound | LogError, EventLog> =>
  onTimelineOf(name, (within) =>
    Effect.gen(function* () {
      const named = yield* resolveHere(name, within)
      return { ...named, scores: yield* scoresOf(new Set(named.scoreSetIds)) }
    }),
  )

/** Which score sets a name stands for, without their scores. */
export const resolve = (name: string): Effect.Effect<Omit<Scoring, "scores">, ScoringNotFound | LogError, EventLog> =>
  onTimelineOf(name, (within) => resolveHere(name, within))

/** Looks a name up among the score sets of the timeline that stands before its first slash, where there is such a one. */
const onTimelineOf = <A, E>(
  name: string,
  look: (within: string) => Effect.Effect<A, E, EventLog>,
): Effect.Effect<A, E | LogError, EventLog> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const slash = name.indexOf("/")
    const timeline = name.slice(0, Math.max(0, slash))
    const known = slash < 1 ? [] : yield* Timelines.list(log)
    if (!known.some((one) => one.name === timeline)) return yield* look(name)
    return yield* Effect.provideService(look(name.slice(slash + 1)), EventLog, { ...log, timeline })
  })

const resolveHere = (
  name: string,
  within: string,
): Effect.Effect<Omit<Scoring, "scores">, ScoringNotFound | LogError, EventLog> =>
  Effect.gen(function* () {
    const known = yield* sets
    const ids = named(known, within)
    const [first] = ids
    if (first === undefined) {
      const labels = [...new Set(Object.values(known.sets).map(({ label }) => label))]
      return yield* new ScoringNotFound({ name, labels, pointers: Object.keys(known.pointers) })
    }
    return { name, label: known.sets[first]?.label ?? "", scoreSetIds: ids }
  })

/**
 * All score sets and pointers, from the events that are about them and no others: where a log is only looked at, and nobody
 * kept a state of it, that is much less than the whole of it.
 */
export const sets: Effect.Effect<ScoreSets.ScoreSets, LogError, EventLog> = Effect.gen(function* () {
  const log = yield* EventLog
  const draft = Projection.begin(ScoreSets.projection, ScoreSets.projection.initial)
  yield* Pages.forEach(log.readPage, { timeline: log.timeline, types: SETS }, (page) =>
    Projection.applyAll(ScoreSets.projection, draft, page),
  )
  return draft.state()
})

const SETS: ReadonlyArray<CoreName> = ["ScoringStarted", "ScoringFinished", "ScoreSetPromoted"]

const named = ({ sets, pointers }: ScoreSets.ScoreSets, name: string): ReadonlyArray<string> => {
  const ids = Object.keys(sets)
  const pointed = Object.hasOwn(pointers, name) ? pointers[name] : undefined
  if (pointed !== undefined) return ids.filter((id) => id === pointed)
  if (Object.hasOwn(sets, name)) return [name]
  const labelled = ids.filter((id) => sets[id]?.label === name)
  if (labelled.length > 0) return labelled
  const partly = name.length < MIN_PART ? [] : ids.filter((id) => id.startsWith(name) || id.endsWith(name))
  return partly.length === 1 ? partly : []
}

/** Reads all scorings, and keeps what these sets say of their tasks. */
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
          // Sets are never overwritten: an id that is started twice keeps its first start.
          if (tasks !== undefined) continue
          const begun = { ...Verdicts.unstarted(event.position), started: Verdicts.start(event.payload) }
          tasksOf.set(id, new Map(event.payload.taskIds.map((taskId) => [taskId, begun])))
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
