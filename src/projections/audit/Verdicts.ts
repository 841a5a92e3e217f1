/** The fold of the verdicts on one task, by score set, and where the scorings about a task are read. */

import { Effect, Schema } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import { type Event, Position } from "../../events/vocabulary/Event.ts"
import { optional } from "../../events/vocabulary/EventType.ts"
import { type CoreName, is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as Sum from "../../values/Sum.ts"
import type { Projection } from "../fold/Projection.ts"
import * as Rubric from "./Rubric.ts"

const RecordedVerdict = Schema.Struct({
  kind: Schema.Literal("reward", "punishment"),
  measure: Schema.String,
  name: Schema.String,
  weight: Schema.Finite,
  times: Schema.NonNegativeInt,
  amount: Sum.Sum,
  because: Schema.Array(Schema.Int),
  /** The amount of each position of `because`, if they differ. */
  amounts: optional(Schema.Array(Schema.Finite)),
})

export type RecordedVerdict = typeof RecordedVerdict.Type

/** The part of a score set that concerns one task, so far. */
export const Scored = Schema.Struct({
  started: Schema.NullOr(
    Schema.Struct({
      label: Schema.String,
      critic: Schema.String,
      rubricDigest: Schema.String,
      measures: Schema.Array(Rubric.Measure),
    }),
  ),
  at: Position,
  finished: Schema.Boolean,
  /** Rewards and punishments by measure, kind and name. */
  given: Schema.Record({ key: Schema.String, value: RecordedVerdict }),
  unscored: Schema.Array(Schema.Struct({ measure: Schema.String, name: Schema.String, reason: Schema.String })),
})

export type Scored = typeof Scored.Type

const State = Schema.Record({ key: Schema.String, value: Scored })
export type State = typeof State.Type

/** A score set without a recorded start. */
export const unstarted = (at: number): Scored => ({ started: null, at, finished: false, given: {}, unscored: [] })

/** The fields of a scoring's start that each of its tasks keeps. */
export const start = ({ label, critic, rubricDigest, rubric }: PayloadOf<"ScoringStarted">): Scored["started"] => ({
  label,
  critic,
  rubricDigest,
  measures: Rubric.measuresOf(rubric),
})

/** The score set after an event, which may add a verdict. */
export const decided = (set: Scored, event: Event): Scored => {
  if (is(event, "MeasureUnscored")) {
    const { measure, name, reason } = event.payload
    return { ...set, unscored: [...set.unscored, { measure, name, reason }] }
  }
  if (is(event, "RewardGiven")) return recordedVerdict(set, "reward", event.payload)
  if (is(event, "PunishmentGiven")) return recordedVerdict(set, "punishment", event.payload)
  return set
}

/** Whether a scoring event may concern a task. A scoring of one task is recorded in it, a scoring of several in none. */
export const mayConcern = (event: Event, taskId: string): boolean => event.taskId === null || event.taskId === taskId

/** The verdicts on one task, by score set. Scorings of other tasks do not change the state. */
export const projection = (taskId: string): Projection<State> => ({
  name: `TaskAudit.Verdicts(${taskId})`,
  version: 3,
  state: State,
  initial: {},
  evolve: (state, event) => {
    if (!mayConcern(event, taskId)) return state
    if (is(event, "ScoringStarted")) return started(state, event, taskId)
    if (is(event, "ScoringFinished")) {
      return SafeRecord.change(state, event.payload.scoreSetId, (set) =>
        set.started === null || set.finished ? set : { ...set, finished: true },
      )
    }
    return event.taskId === taskId ? verdict(state, event) : state
  },
})

const started = (state: State, event: Event, taskId: string): State => {
  if (!is(event, "ScoringStarted") || !event.payload.taskIds.includes(taskId)) return state
  const { scoreSetId } = event.payload
  const set = SafeRecord.get(state, scoreSetId) ?? unstarted(event.position)
  // Sets are never overwritten: the first start of an id counts.
  if (set.started !== null) return state
  return SafeRecord.set(state, scoreSetId, { ...set, started: start(event.payload) })
}

const verdict = (state: State, event: Event): State => {
  if (!is(event, "MeasureUnscored") && !is(event, "RewardGiven") && !is(event, "PunishmentGiven")) return state
  const { scoreSetId } = event.payload
  return SafeRecord.set(
    state,
    scoreSetId,
    decided(SafeRecord.get(state, scoreSetId) ?? unstarted(event.position), event),
  )
}

/** Adds a reward or punishment to a score set. */
export const recordedVerdict = (
  set: Scored,
  kind: RecordedVerdict["kind"],
  { measure, name, weight, amount, occurrences, because }: PayloadOf<"RewardGiven">,
): Scored => {
  const key = verdictKey(measure, kind, name)
  const before = SafeRecord.get(set.given, key)
  const amounts = amountsOf(before, amount, because.length)
  const after: RecordedVerdict = {
    kind,
    measure,
    name,
    weight,
    // Without `occurrences`, `because` lists one position per occurrence; a verdict without evidence counts once.
    times: (before?.times ?? 0) + (occurrences ?? Math.max(1, because.length)),
    amount: Sum.add(before?.amount ?? Sum.zero, amount),
    because: [...(before?.because ?? []), ...because],
    ...defined({ amounts }),
  }
  return { ...set, given: SafeRecord.set(set.given, key, after) }
}

/**
 * The amounts of all positions after another event, whose positions share its amount equally. Undefined if all
 * positions have equal amounts, as with most rubrics, or if a part of the amount has no position.
 */
const amountsOf = (
  before: RecordedVerdict | undefined,
  amount: number,
  positions: number,
): ReadonlyArray<number> | undefined => {
  if (before === undefined || before.because.length === 0 || positions === 0) return undefined
  const share = Sum.round(amount / positions)
  const equal = Sum.round(Sum.value(before.amount) / before.because.length)
  if (before.amounts === undefined && share === equal) return undefined
  const known = before.amounts ?? before.because.map(() => equal)
  return [...known, ...Array.from({ length: positions }, () => share)]
}

/** Names can be any text; JSON encodes all three in one unambiguous key. */
export const verdictKey = (measure: string, kind: RecordedVerdict["kind"], name: string): string =>
  JSON.stringify([measure, kind, name])

const SCORINGS: ReadonlyArray<CoreName> = ["ScoringStarted", "ScoringFinished"]

/** The starts and ends of the scorings that `mayConcern` some tasks, in order. Of others, few are read. */
export const scoringsAbout = (
  log: EventLog.Service,
  taskIds: Iterable<string>,
  until: number,
): Effect.Effect<ReadonlyArray<Event>, LogError> =>
  Effect.gen(function* () {
    const wanted = new Set(taskIds)
    const found: Array<Event> = []
    const sets = new Set<unknown>()
    const take = (event: Event) => {
      const { scoreSetId } = event.payload
      const isAbout =
        event.taskId !== null ||
        (is(event, "ScoringStarted") && event.payload.taskIds.some((taskId) => wanted.has(taskId)))
      if (isAbout) sets.add(scoreSetId)
      if (sets.has(scoreSetId)) found.push(event)
    }
    for (const taskId of [...wanted, null]) {
      const query = { until, timeline: log.timeline, taskId, types: SCORINGS }
      yield* Pages.forEach(log.readPage, query, (page) => page.forEach(take))
    }
    return found.sort((one, other) => one.position - other.position)
  })
