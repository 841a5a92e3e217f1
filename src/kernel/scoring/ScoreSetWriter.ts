/** Appends the events of a score set. */

import { Effect } from "effect"
import { firstEvent } from "../../events/log/AppendRequest.ts"
import {
  type AppendError,
  type CoreNewEvent,
  type EventLog,
  Exact,
  type ExpectedVersion,
  NoStream,
} from "../../events/log/EventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { JsonObject } from "../../values/Json.ts"
import { round, type Verdict } from "../critics/Verdict.ts"

/** The sums of a task's verdicts. */
export interface Totals {
  readonly earned: number
  readonly lost: number
  readonly net: number
  readonly unscored: number
}

export interface TaskVerdicts {
  readonly taskId: string
  readonly verdicts: ReadonlyArray<Verdict>
}

/** Progress of a score set. One writer at a time continues from it. */
export interface ScoreSetProgress {
  readonly scoreSetId: string
  /** The last version of its stream. */
  readonly version: number
  /** The id of its `ScoringStarted` event, which causes all its events. */
  readonly startedBy: string
  /** The task, if the set is about a single one. */
  readonly taskId: string | null
  /** Sums of the tasks already scored. */
  readonly totals: ReadonlyMap<string, Totals>
}

/** Writes a score set: each task's verdicts, and the end. */
export interface ScoreSetWriter {
  readonly scoreSetId: string
  readonly startedBy: string
  /** Appends verdicts, those of one task atomically. */
  readonly appendVerdicts: (tasks: ReadonlyArray<TaskVerdicts>) => Effect.Effect<void, AppendError>
  /** Records that the set is complete. Returns the sums by task. */
  readonly finish: Effect.Effect<ReadonlyMap<string, Totals>, AppendError>
}

interface Beginning {
  readonly taskId: string | null
  readonly causationId: string | null
  /** The person who asked for it. */
  readonly by?: string | undefined
}

export const begin = (
  log: EventLog.Service,
  started: Omit<PayloadOf<"ScoringStarted">, "scoreSetId">,
  { taskId, causationId, by }: Beginning,
): Effect.Effect<ScoreSetWriter, AppendError> =>
  Effect.gen(function* () {
    const scoreSetId = newId()
    const appended = yield* log.append({
      stream: streamOf(scoreSetId),
      taskId,
      actor: by === undefined ? actorOf(started.critic) : `human:${by}`,
      expected: NoStream,
      events: [{ type: "ScoringStarted", causationId, payload: { scoreSetId, ...started } }],
    })
    const { id: startedBy } = yield* firstEvent(appended)
    return resume(log, started.critic, { scoreSetId, version: appended.version, startedBy, taskId, totals: new Map() })
  })

/**
 * Each append expects its stream's version: of two writers, the slower one gets a `VersionConflict`, and no task counts
 * twice.
 */
export const resume = (log: EventLog.Service, critic: string, progress: ScoreSetProgress): ScoreSetWriter => {
  const { scoreSetId, startedBy: causationId } = progress
  const totals = new Map(progress.totals)
  let version = progress.version

  const append = (taskId: string | null, expected: ExpectedVersion, events: ReadonlyArray<CoreNewEvent>) =>
    log.append({ stream: streamOf(scoreSetId), taskId, actor: actorOf(critic), expected, events })

  return {
    scoreSetId,
    startedBy: progress.startedBy,
    appendVerdicts: (tasks) =>
      Effect.suspend(() => {
        const appends = tasks.flatMap(({ taskId, verdicts }) => {
          totals.set(taskId, totalsOf(verdicts))
          if (verdicts.length === 0) return []
          const events = verdicts.map((verdict) => verdictEvent(scoreSetId, causationId, verdict))
          const appended = append(taskId, Exact(version), events)
          version += events.length
          return [appended]
        })
        // The log commits concurrent appends together, in this order.
        return Effect.all(appends, { concurrency: "unbounded", discard: true })
      }),
    finish: Effect.suspend(() =>
      append(progress.taskId, Exact(version), [
        {
          type: "ScoringFinished",
          causationId,
          // From entries, since a task id may be `__proto__`.
          payload: { scoreSetId, totals: Object.fromEntries([...totals].map(([id, sums]) => [id, { ...sums }])) },
        },
      ]),
    ).pipe(Effect.as(totals)),
  }
}

export const streamOf = (scoreSetId: string): string => `scores/${scoreSetId}`

const actorOf = (critic: string): string => `critic:${critic}`

const verdictEvent = (scoreSetId: string, causationId: string | null, verdict: Verdict): CoreNewEvent => {
  if (verdict.kind === "unscored") {
    const { measure, name, reason } = verdict
    return { type: "MeasureUnscored", causationId, payload: { scoreSetId, measure, name, reason } }
  }
  const { kind, ...given } = verdict
  const type = kind === "reward" ? "RewardGiven" : "PunishmentGiven"
  return { type, causationId, payload: { scoreSetId, ...given } }
}

export const totalsOf = (verdicts: ReadonlyArray<Verdict>): Totals & JsonObject => {
  const sum = (kind: "reward" | "punishment") =>
    round(verdicts.reduce((total, judged) => (judged.kind === kind ? total + judged.amount : total), 0))
  const earned = sum("reward")
  const lost = sum("punishment")
  const unscored = verdicts.filter(({ kind }) => kind === "unscored").length
  return { earned, lost, net: round(earned - lost), unscored }
}
