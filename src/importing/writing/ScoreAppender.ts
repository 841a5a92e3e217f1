/** Appends the source's scores: a score set per scorer, over all runs of a file. */

import { Effect, Option } from "effect"
import type { AppendError, CoreNewEvent, EventLog } from "../../events/log/EventLog.ts"
import { digest } from "../../values/Digest.ts"
import { groupBy } from "../../values/groupBy.ts"
import type { JsonObject } from "../../values/Json.ts"
import { plainText } from "../../values/Json.ts"
import * as Sum from "../../values/Sum.ts"
import { idOf, idsWithin } from "../runs/EventIds.ts"
import { nameFrom } from "../runs/Untrusted.ts"
import type { SourceScore } from "../scores/SourceScores.ts"
import { redacted, type Writing, withSubject } from "./Writing.ts"

const PART = 10_000

const AT_ONCE = 64

/** Sets written concurrently: their appends share commits. */
const SETS_AT_ONCE = 16

/**
 * Appends a score set for each scorer; for scores with ids of their own, one for each. A set's id derives from its
 * scores, so that equal scores are not added again, whichever account brings them, and changed ones form a new set.
 * Returns the number of new events.
 */
export const append = (writing: Writing, scores: ReadonlyArray<SourceScore>): Effect.Effect<number, AppendError> =>
  Effect.gen(function* () {
    let added = 0
    for (const own of groupBy(scores, ({ scorer }) => [scorer]).values()) {
      const isNamed = own.some(({ of }) => of !== undefined)
      // Version 0.3.1 and earlier ones wrote one set for a file.
      if (isNamed && own.length > 1 && (yield* isWritten(writing, own))) continue
      const sets = isNamed ? new Map(own.map((score) => [setIdOf(writing, [score]), [score]])).values() : [own]
      const counts = yield* Effect.forEach(sets, (set) => appendSet(writing, set), { concurrency: SETS_AT_ONCE })
      added += Sum.of(counts)
    }
    return added
  })

const setIdOf = ({ source }: Writing, scores: ReadonlyArray<SourceScore>): string => {
  const given = scores.map(({ taskId, wholeTaskId = taskId, name, value, rationale, of }) => [
    ...[of === undefined ? taskId : wholeTaskId, name, value, rationale],
    ...(of === undefined ? [] : [of]),
  ])
  return idOf(source, "scores", scores[0]?.scorer ?? "", JSON.stringify(given))
}

const isWritten = (writing: Writing, scores: ReadonlyArray<SourceScore>) =>
  Effect.map(writing.log.find(idsWithin(setIdOf(writing, scores))("finished")), Option.isSome)

const appendSet = (writing: Writing, scores: ReadonlyArray<SourceScore>) =>
  Effect.gen(function* () {
    const { log, source, subject, redact, dryRun } = writing
    const measure = nameFrom(scores[0]?.scorer ?? "")
    const scoreSetId = setIdOf(writing, scores)
    const stream = `scores/${scoreSetId}`
    const eventId = idsWithin(scoreSetId)
    const critic = `${source}/${measure}`
    const startedBy = eventId("started")
    const names = [...new Set(scores.map(({ name }) => nameFrom(name)))]
    const rubric: JsonObject = {
      name: measure,
      measures: [{ name: measure, rewards: names.map((name) => ({ name, weight: 1 })), punishments: [] }],
    }
    const taskIds = [...new Set(scores.map(({ taskId }) => taskId))]
    const verdicts = scores.flatMap(({ taskId, name, value, rationale }, index) =>
      value === 0
        ? []
        : [
            {
              taskId,
              event: verdictOf(
                { scoreSetId, measure, name: nameFrom(name), value, rationale },
                startedBy,
                eventId(String(index)),
              ),
            },
          ],
    )
    const events = 2 + verdicts.length
    if (dryRun) return events
    const finishedBy = eventId("finished")
    if (yield* isWritten(writing, scores)) return 0
    const isBegun = Option.isSome(yield* log.find(startedBy))
    let [from, to] = [Number.MAX_SAFE_INTEGER, 0]
    for (const taskId of taskIds) {
      const range = yield* rangeOf(log, taskId)
      ;[from, to] = [Math.min(from, range.from), Math.max(to, range.to)]
    }
    const taskId = taskIds.length === 1 ? (taskIds[0] ?? null) : null
    const actor = `critic:${critic}`
    const started: CoreNewEvent = {
      type: "ScoringStarted",
      id: startedBy,
      payload: {
        scoreSetId,
        taskIds,
        rubric,
        rubricDigest: digest(rubric),
        critic,
        criticDigest: digest({ critic }),
        label: measure,
        range: { from, to },
      },
    }
    const finished: CoreNewEvent = {
      type: "ScoringFinished",
      id: finishedBy,
      causationId: startedBy,
      payload: { scoreSetId, totals: totalsOf(scores) },
    }
    const shown = (event: CoreNewEvent) =>
      redact ? ({ ...event, payload: redacted(event.type, event.payload) } as CoreNewEvent) : event
    const request = (events: ReadonlyArray<CoreNewEvent>, of: string | null) => {
      const plain = { stream, taskId: of, actor, events }
      return subject === undefined ? plain : withSubject(plain, subject)
    }
    // Ids are fixed, so an interrupted set is completed without duplicates.
    if (!isBegun) yield* log.append(request([started], taskId))
    const parts = [...groupBy(verdicts, (verdict) => [verdict.taskId])].flatMap(([of, own]) =>
      Array.from({ length: Math.ceil(own.length / PART) }, (_, part) =>
        request(
          own.slice(part * PART, (part + 1) * PART).map(({ event }) => shown(event)),
          of,
        ),
      ),
    )
    // Concurrent appends share commits.
    yield* Effect.forEach(parts, (part) => log.append(part), { concurrency: AT_ONCE, discard: true })
    yield* log.append(request([finished], taskId))
    return events
  })

/** The positions of a run's first and last event, in all of its tasks. */
const rangeOf = (log: EventLog.Service, run: string) =>
  Effect.gen(function* () {
    let [from, to] = [0, 0]
    for (let part = 1; ; part++) {
      const stream = `task/${part === 1 ? run : `${run}+${part}`}`
      const version = yield* log.versionOf(stream)
      if (version === 0) return { from, to }
      const [first] = part === 1 ? yield* log.readPage({ stream }, 1) : []
      const [last] = yield* log.readPage({ stream, afterVersion: version - 1 }, 1)
      from = first?.position ?? from
      to = last?.position ?? to
    }
  })

const verdictOf = (
  {
    scoreSetId,
    measure,
    name,
    value,
    rationale,
  }: { scoreSetId: string; measure: string; name: string; value: number | null; rationale: string | null },
  causationId: string,
  id: string,
): CoreNewEvent => {
  if (value === null)
    return {
      type: "MeasureUnscored",
      id,
      causationId,
      payload: {
        scoreSetId,
        measure,
        name,
        reason: rationale === null ? "the source's value is no number" : plainText(rationale),
      },
    }
  const payload = {
    scoreSetId,
    measure,
    name,
    weight: 1,
    amount: Math.abs(value),
    because: [],
    ...(rationale === null ? {} : { rationale: plainText(rationale) }),
  }
  return { type: value < 0 ? "PunishmentGiven" : "RewardGiven", id, causationId, payload }
}

const totalsOf = (scores: ReadonlyArray<SourceScore>): JsonObject =>
  Object.fromEntries(
    [...groupBy(scores, ({ taskId }) => [taskId])].map(([taskId, own]) => {
      const values = own.map(({ value }) => value)
      const known = values.filter((value) => value !== null)
      const earned = Sum.of(known.filter((value) => value > 0))
      const lost = Sum.of(known.filter((value) => value < 0).map((value) => -value))
      return [taskId, { earned, lost, net: earned - lost, unscored: values.length - known.length }]
    }),
  )
