import { Context, Data, Effect, Layer } from "effect"
import { uuidv7 } from "uuidv7"
import type { Event } from "../events/Event.ts"
import { type AppendError, type CoreNewEvent, EventLog, type LogError } from "../events/EventLog.ts"
import type { JsonObject } from "../events/Json.ts"
import * as Pages from "../events/Pages.ts"
import { Projector } from "../projections/Projector.ts"
import * as ScoreSets from "../projections/ScoreSets.ts"
import { TaskNotFound } from "../projections/TaskAudit.ts"
import * as Tasks from "../projections/Tasks.ts"
import { asJson, digestOf, type Rubric } from "./Rubric.ts"
import * as RuleCritic from "./RuleCritic.ts"

/** What a re-scoring is asked for. */
export interface RescoreOptions {
  readonly rubric: Rubric
  /** Default: every closed task. One that is named twice is scored once. */
  readonly tasks?: ReadonlyArray<string>
  /** Default: the rubric's name. */
  readonly label?: string
  /** Told after each task. */
  readonly onProgress?: (done: number, all: number) => Effect.Effect<void>
}

/** A score set as it was written. */
export interface ScoreSetSummary {
  readonly scoreSetId: string
  readonly label: string
  readonly taskIds: ReadonlyArray<string>
  readonly totals: { readonly [taskId: string]: Totals }
}

/** A task's sums. */
export interface Totals {
  readonly earned: number
  readonly lost: number
  readonly net: number
  readonly unscored: number
}

/** Which score set a pointer is to name, and on whose word. */
export interface Promotion {
  /** A name of the caller's choice, such as `official` or `baseline`. */
  readonly pointer: string
  /** One id; what stands for several sets cannot be pointed at. */
  readonly scoreSetIds: ReadonlyArray<string>
  readonly actor: string
}

/** Fix the call: a pointer names one score set that is complete. */
export class NotPromoted extends Data.TaggedError("NotPromoted")<{
  readonly pointer: string
  readonly found: string
}> {
  override get message() {
    return `"${this.pointer}" names nothing new: expected one finished score set, found ${this.found}. \`hindcast score ls\` lists them.`
  }
}

/** Scores tasks. It reads the log and nothing else, and adds a new score set; what was scored before stands. */
export class Scoring extends Context.Tag("hindcast/Scoring")<
  Scoring,
  {
    readonly rescore: (options: RescoreOptions) => Effect.Effect<ScoreSetSummary, TaskNotFound | AppendError>
    /** Moves a pointer: answers the event that says so. What the pointer named before stands as it is. */
    readonly promote: (promotion: Promotion) => Effect.Effect<Event, NotPromoted | AppendError>
  }
>() {}

export const layer: Layer.Layer<Scoring, never, EventLog | Projector> = Layer.effect(
  Scoring,
  Effect.gen(function* () {
    const log = yield* EventLog
    const projector = yield* Projector
    return {
      rescore: ({ rubric, tasks, label = rubric.name, onProgress = () => Effect.void }) =>
        Effect.gen(function* () {
          const known = yield* projector.current(Tasks.projection)
          const closed = () => Object.keys(known).filter((id) => known[id]?.outcome !== null)
          const taskIds = [...new Set(tasks ?? closed())]
          const unknown = taskIds.find((id) => !Object.hasOwn(known, id))
          if (unknown !== undefined) return yield* new TaskNotFound({ taskId: unknown })
          const { position } = yield* log.head
          const range = { from: Math.min(1, position), to: position }
          return yield* write(log, { rubric, taskIds, label, range, taskId: null, causationId: null, onProgress })
        }),
      promote: ({ pointer, scoreSetIds: [scoreSetId, ...others], actor }) =>
        Effect.gen(function* () {
          const refuse = (found: string) => new NotPromoted({ pointer, found })
          if (scoreSetId === undefined) return yield* refuse("none")
          if (others.length > 0) return yield* refuse(`${others.length + 1} of that name`)
          const { sets } = yield* projector.current(ScoreSets.projection)
          const set = Object.hasOwn(sets, scoreSetId) ? sets[scoreSetId] : undefined
          if (set === undefined) return yield* refuse(`no score set ${scoreSetId}`)
          if (!set.finished) return yield* refuse(`${scoreSetId}, which was not finished`)
          const { events } = yield* log.append({
            stream: `scores/${scoreSetId}`,
            actor,
            events: [{ type: "ScoreSetPromoted", payload: { pointer, scoreSetId } }],
          })
          return events[0] ?? (yield* Effect.dieMessage("an append answered without events"))
        }),
    }
  }),
)

/** Scores a task that was just closed by its plugins' measures: the score set with the label `live`. */
export const scoreClosed = (
  log: Context.Tag.Service<EventLog>,
  taskId: string,
  rubric: Rubric,
  causationId: string,
): Effect.Effect<void, AppendError> =>
  Effect.gen(function* () {
    if (rubric.measures.length === 0) return
    const [first] = yield* log.readPage({ taskId }, 1)
    const { position } = yield* log.head
    const range = { from: first?.position ?? position, to: position }
    const onProgress = () => Effect.void
    yield* write(log, { rubric, taskIds: [taskId], label: "live", range, taskId, causationId, onProgress })
  })

interface Plan {
  readonly rubric: Rubric
  readonly taskIds: ReadonlyArray<string>
  readonly label: string
  readonly range: { readonly from: number; readonly to: number }
  /** The task that the whole set is about, where it is about one. */
  readonly taskId: string | null
  readonly causationId: string | null
  readonly onProgress: NonNullable<RescoreOptions["onProgress"]>
}

/** Writes a score set: its start, task by task what was decided, its end. Interrupted, it stays unfinished. */
const write = (log: Context.Tag.Service<EventLog>, plan: Plan): Effect.Effect<ScoreSetSummary, AppendError> =>
  Effect.gen(function* () {
    const { rubric, taskIds, label, range, taskId, causationId, onProgress } = plan
    const scoreSetId = uuidv7()
    const append = (taskId: string | null, ...events: ReadonlyArray<CoreNewEvent>) =>
      log.append({ stream: `scores/${scoreSetId}`, taskId, actor: `critic:${RuleCritic.CRITIC}`, events })

    const started = yield* append(taskId, {
      type: "ScoringStarted",
      causationId,
      payload: {
        scoreSetId,
        taskIds,
        rubric: asJson(rubric),
        rubricDigest: digestOf(rubric),
        critic: RuleCritic.CRITIC,
        criticDigest: RuleCritic.DIGEST,
        label,
        range,
      },
    })
    const cause = started.events[0]?.id ?? null
    const sums = new Map<string, JsonObject & Totals>()
    for (const [index, taskId] of taskIds.entries()) {
      const judgements = yield* judge(log, rubric, taskId, range.to)
      const events = judgements.map((judgement) => verdictEvent(scoreSetId, cause, judgement))
      if (events.length > 0) yield* append(taskId, ...events)
      sums.set(taskId, totalsOf(judgements))
      yield* onProgress(index + 1, taskIds.length)
    }
    // From entries, since a task may be called `__proto__`.
    const totals = Object.fromEntries(sums)
    yield* append(taskId, {
      type: "ScoringFinished",
      causationId: cause,
      payload: { scoreSetId, totals },
    })
    return { scoreSetId, label, taskIds, totals }
  })

const judge = (
  log: Context.Tag.Service<EventLog>,
  rubric: Rubric,
  taskId: string,
  until: number,
): Effect.Effect<ReadonlyArray<RuleCritic.Judgement>, LogError> =>
  Effect.gen(function* () {
    const judgement = RuleCritic.start(rubric, taskId)
    yield* Pages.forEach(log.readPage, { taskId, until }, (page) => {
      for (const event of page) judgement.see(event)
    })
    return judgement.decide()
  })

const verdictEvent = (
  scoreSetId: string,
  causationId: string | null,
  judgement: RuleCritic.Judgement,
): CoreNewEvent => {
  const { measure, name } = judgement
  if (judgement.kind === "unscored") {
    return { type: "MeasureUnscored", causationId, payload: { scoreSetId, measure, name, reason: judgement.reason } }
  }
  const { weight, amount, because } = judgement
  const type = judgement.kind === "reward" ? "RewardGiven" : "PunishmentGiven"
  return { type, causationId, payload: { scoreSetId, measure, name, weight, amount, because } }
}

const totalsOf = (judgements: ReadonlyArray<RuleCritic.Judgement>): JsonObject & Totals => {
  const sum = (kind: "reward" | "punishment") =>
    RuleCritic.round(judgements.reduce((total, judged) => (judged.kind === kind ? total + judged.amount : total), 0))
  const earned = sum("reward")
  const lost = sum("punishment")
  const unscored = judgements.filter(({ kind }) => kind === "unscored").length
  return { earned, lost, net: RuleCritic.round(earned - lost), unscored }
}
