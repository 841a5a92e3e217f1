import { type Context, Effect } from "effect"
import {
  type AppendError,
  type CoreNewEvent,
  type EventLog,
  Exact,
  type Expected,
  NoStream,
} from "../../events/log/EventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { JsonObject } from "../../values/Json.ts"
import { type Judgement, round } from "../critics/Judgement.ts"

/** A task's sums. */
export interface Totals {
  readonly earned: number
  readonly lost: number
  readonly net: number
  readonly unscored: number
}

/** What was decided about one task. */
export interface DecidedVerdict {
  readonly taskId: string
  readonly judgements: ReadonlyArray<Judgement>
}

/** Where a score set stands while it is written: whoever goes on with it writes there, and nobody else has meanwhile. */
export interface ScoreSetProgress {
  readonly scoreSetId: string
  /** The last version of its stream. */
  readonly version: number
  /** The event that says that it began: the cause of all that follows. */
  readonly startedBy: string
  /** The task that the whole set is about, where it is about one. */
  readonly taskId: string | null
  /** Sums of the tasks that were scored before. */
  readonly totals: ReadonlyMap<string, Totals>
}

/** Writes a score set: task by task what was decided, and its end. */
export interface SetWriter {
  readonly scoreSetId: string
  /** The id of the event that says that it began. */
  readonly startedBy: string
  /** Appends what was decided about some tasks, each task's verdicts at once or not at all. */
  readonly decided: (tasks: ReadonlyArray<DecidedVerdict>) => Effect.Effect<void, AppendError>
  /** Says that it is complete; answers the sums, task by task. */
  readonly finish: Effect.Effect<ReadonlyMap<string, Totals>, AppendError>
}

type Log = Context.Tag.Service<EventLog>

/** Begins a new score set. */
export const begin = (
  log: Log,
  started: Omit<PayloadOf<"ScoringStarted">, "scoreSetId">,
  { taskId, causationId }: { readonly taskId: string | null; readonly causationId: string | null },
): Effect.Effect<SetWriter, AppendError> =>
  Effect.gen(function* () {
    const scoreSetId = newId()
    const { events, version } = yield* log.append({
      ...{ stream: streamOf(scoreSetId), taskId, actor: actorOf(started.critic), expected: NoStream },
      events: [{ type: "ScoringStarted", causationId, payload: { scoreSetId, ...started } }],
    })
    const startedBy = events[0]?.id ?? (yield* Effect.dieMessage("an append answered without events"))
    return goOn(log, started.critic, { scoreSetId, version, startedBy, taskId, totals: new Map() })
  })

/**
 * Goes on with a score set from where it stands. Every append names the version that it expects: of two that go on with
 * the same one, the slower has a `VersionConflict`, and no task is counted twice.
 */
export const goOn = (log: Log, critic: string, standing: ScoreSetProgress): SetWriter => {
  const { scoreSetId, startedBy: causationId } = standing
  const totals = new Map(standing.totals)
  let version = standing.version

  const append = (taskId: string | null, expected: Expected, events: ReadonlyArray<CoreNewEvent>) =>
    log.append({ stream: streamOf(scoreSetId), taskId, actor: actorOf(critic), expected, events })

  return {
    scoreSetId,
    startedBy: standing.startedBy,
    decided: (tasks) =>
      Effect.suspend(() => {
        const appends = tasks.flatMap(({ taskId, judgements }) => {
          totals.set(taskId, totalsOf(judgements))
          if (judgements.length === 0) return []
          const events = judgements.map((judgement) => verdictEvent(scoreSetId, causationId, judgement))
          const appended = append(taskId, Exact(version), events)
          version += events.length
          return [appended]
        })
        // Under way at the same time, they are committed together, in this order.
        return Effect.all(appends, { concurrency: "unbounded", discard: true })
      }),
    finish: Effect.suspend(() =>
      append(standing.taskId, Exact(version), [
        {
          type: "ScoringFinished",
          causationId,
          // From entries, since a task may be called `__proto__`.
          payload: { scoreSetId, totals: Object.fromEntries([...totals].map(([id, sums]) => [id, { ...sums }])) },
        },
      ]),
    ).pipe(Effect.as(totals)),
  }
}

/** The stream of a score set. */
export const streamOf = (scoreSetId: string): string => `scores/${scoreSetId}`

const actorOf = (critic: string): string => `critic:${critic}`

const verdictEvent = (scoreSetId: string, causationId: string | null, judgement: Judgement): CoreNewEvent => {
  if (judgement.kind === "unscored") {
    const { measure, name, reason } = judgement
    return { type: "MeasureUnscored", causationId, payload: { scoreSetId, measure, name, reason } }
  }
  const { kind, ...verdict } = judgement
  const type = kind === "reward" ? "RewardGiven" : "PunishmentGiven"
  return { type, causationId, payload: { scoreSetId, ...verdict } }
}

/** The sums of what was decided about one task. */
export const totalsOf = (judgements: ReadonlyArray<Judgement>): Totals & JsonObject => {
  const sum = (kind: "reward" | "punishment") =>
    round(judgements.reduce((total, judged) => (judged.kind === kind ? total + judged.amount : total), 0))
  const earned = sum("reward")
  const lost = sum("punishment")
  const unscored = judgements.filter(({ kind }) => kind === "unscored").length
  return { earned, lost, net: round(earned - lost), unscored }
}
