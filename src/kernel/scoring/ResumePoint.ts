/** Finds where an interrupted scoring stopped, from its score set. */

import { Data, Effect, Either, Schema } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { Verdict } from "../critics/Verdict.ts"
import { Rubric } from "../rules/Rubric.ts"
import * as ScoreSetWriter from "./ScoreSetWriter.ts"

/** The scoring cannot be resumed. Start a new one. */
export class NotResumed extends Data.TaggedError("NotResumed")<{
  readonly scoreSetId: string
  readonly reason: string
}> {
  override get message() {
    return `Score set ${this.scoreSetId} cannot be resumed: ${this.reason}. \`hindcast score ls\` lists the score sets; \`hindcast rescore --rubric FILE\` begins a new one.`
  }
}

/** An unfinished score set and its remaining work. */
export interface ResumePoint {
  readonly started: PayloadOf<"ScoringStarted">
  readonly rubric: Rubric
  readonly progress: ScoreSetWriter.ScoreSetProgress
  /** Tasks still to score, in order. */
  readonly left: ReadonlyArray<string>
}

/**
 * A scoring takes tasks in the order of its start event and appends a task's verdicts at once. It has therefore scored
 * all tasks up to the last one with a verdict, even those without.
 */
export const load = (log: EventLog.Service, scoreSetId: string): Effect.Effect<ResumePoint, NotResumed | LogError> =>
  Effect.gen(function* () {
    const refuse = (reason: string) => new NotResumed({ scoreSetId, reason })
    let start: { readonly event: Event; readonly payload: PayloadOf<"ScoringStarted"> } | undefined
    let version = 0
    let finished = false
    const judged = new Map<string, Array<Verdict>>()
    const query = { stream: ScoreSetWriter.streamOf(scoreSetId), timeline: log.timeline }
    yield* Pages.forEach(log.readPage, query, (page) => {
      for (const event of page) {
        version = event.version
        if (is(event, "ScoringStarted")) start ??= { event, payload: event.payload }
        else if (is(event, "ScoringFinished")) finished = true
        else if (event.taskId !== null) {
          const verdict = verdictOf(event)
          if (verdict !== undefined) judged.set(event.taskId, [...(judged.get(event.taskId) ?? []), verdict])
        }
      }
    })
    if (start === undefined) return yield* refuse("there is no such set")
    if (finished) return yield* refuse("it is finished")
    const { event, payload } = start
    const rubric = Schema.decodeUnknownEither(Rubric)(payload.rubric)
    if (Either.isLeft(rubric)) return yield* refuse(`this version cannot read its rubric: ${rubric.left.message}`)

    const { taskIds } = payload
    const done = taskIds.findLastIndex((taskId) => judged.has(taskId)) + 1
    const totals = new Map(
      taskIds.slice(0, done).map((taskId) => [taskId, ScoreSetWriter.totalsOf(judged.get(taskId) ?? [])] as const),
    )
    const progress = { scoreSetId, version, startedBy: event.id, taskId: event.taskId, totals }
    return { started: payload, rubric: rubric.right, progress, left: taskIds.slice(done) }
  })

const verdictOf = (event: Event): Verdict | undefined => {
  if (is(event, "MeasureUnscored")) return { ...event.payload, kind: "unscored" }
  if (is(event, "RewardGiven")) return { ...event.payload, kind: "reward" }
  return is(event, "PunishmentGiven") ? { ...event.payload, kind: "punishment" } : undefined
}
