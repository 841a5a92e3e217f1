/**
 * Judges tasks by a rubric and a model after they have closed, one at a time. It follows the log, so that no task waits
 * for its judgement, and a judge that the end of a kernel interrupted continues in the next one.
 */

import { Cause, Deferred, Effect, Schema, type Scope, Stream } from "effect"
import { CaughtUp, type EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import type { Projector } from "../../projections/projector/Projector.ts"
import * as ScoreSets from "../../projections/state/ScoreSets.ts"
import * as Tasks from "../../projections/state/Tasks.ts"
import { defined } from "../../values/defined.ts"
import { JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as CriticAssignment from "../critics/CriticAssignment.ts"
import * as Model from "../critics/Model.ts"
import * as RecordedModel from "../critics/RecordedModel.ts"
import * as Rubric from "../rules/Rubric.ts"
import type * as Scoring from "../scoring/Scoring.ts"
import * as JudgeBudget from "./JudgeBudget.ts"

/** A judge of closed tasks. */
export interface JudgeOptions extends Pick<Model.ModelOptions, "repeats" | "settings"> {
  /** A rubric, or the path of a YAML or JSON file. */
  readonly rubric: Rubric.Rubric | string
  /** Judges rewards that neither a rule nor a plugin decides. `Models.judge` makes one from a language model. */
  readonly model: Model.Model
  /** Preferences of critics, as in `rescore`. Default: the first that can decide: rule, plugin, model. */
  readonly wishes?: ReadonlyArray<CriticAssignment.CriticPreference>
  /** The label of its score sets, one for each task. Default: `judged`. */
  readonly label?: string
  /** Default: 30 requests for each task, 3,000 for the kernel. */
  readonly budget?: JudgeBudget.JudgeBudget
  /** Longest wait for an answer, in milliseconds. Default: a minute. */
  readonly timeoutMs?: number
}

/** Schema of `JudgeOptions`. */
export const JudgeOptions = Options.of<JudgeOptions>({
  required: {
    rubric: Schema.Union(Options.Text, Rubric.Rubric) as Schema.Schema<Rubric.Rubric | string>,
    model: Model.ModelKind,
  },
  optional: {
    repeats: Options.wholeNumber(1, Model.MAX_REPEATS),
    settings: JsonObject,
    wishes: Schema.Array(CriticAssignment.CriticPreference),
    label: Options.Name,
    budget: JudgeBudget.JudgeBudget,
    timeoutMs: Options.Milliseconds,
  },
})

const LABEL = "judged"
const TIMEOUT_MS = 60_000

/** The label of a judge's score sets. */
export const labelOf = ({ label = LABEL }: Pick<JudgeOptions, "label">): string => label

/** A judge at work. */
export interface LiveJudge {
  /** Completes when all tasks that had closed by now are judged, or could not be. Fails if the judge has stopped. */
  readonly settled: Effect.Effect<void, LogError>
}

export const none: LiveJudge = { settled: Effect.void }

export interface Services {
  readonly log: EventLog.Service
  readonly scoring: Scoring.Service
  readonly projector: Projector.Service
}

/** Starts the judge, until the scope closes. Fails if its rubric cannot be read. */
export const start = (
  { rubric: given, model, label = LABEL, budget = {}, timeoutMs = TIMEOUT_MS, wishes, ...asking }: JudgeOptions,
  { log, scoring, projector }: Services,
): Effect.Effect<LiveJudge, Rubric.RubricInvalid | LogError, Scope.Scope> =>
  Effect.gen(function* () {
    const rubric = typeof given === "string" ? yield* Rubric.load(given) : given
    const judge = JudgeBudget.bounded(model, budget, timeoutMs)
    const options = { model: judge.model, ...asking }

    const scored = (taskId: string) =>
      Effect.map(projector.current(ScoreSets.projection), ({ sets }) =>
        Object.entries(sets).flatMap(([id, set]) =>
          set.label === label && set.taskIds.includes(taskId) ? [{ id, ...set }] : [],
        ),
      )

    const begin = (taskId: string) =>
      scoring.rescore({
        rubric,
        label,
        tasks: [taskId],
        critics: { model: options, ...defined({ wishes }) },
      })

    /** Counts what an interrupted judging has used. It is unknown of a request without an answer. */
    const countEarlier = (taskId: string, scoreSetId: string) =>
      Effect.gen(function* () {
        const unanswered = new Set<string>()
        const query = { stream: RecordedModel.streamOf(scoreSetId), types: ["ModelCalled", "ModelResponded"] }
        yield* Pages.forEach(log.readPage, query, (page) => {
          for (const event of page) {
            if (is(event, "ModelCalled")) unanswered.add(event.id)
            if (!is(event, "ModelResponded")) continue
            unanswered.delete(event.causationId ?? "")
            judge.count(taskId, event.payload.usage, event.payload.cost)
          }
        })
        for (const _ of unanswered) judge.count(taskId, undefined, undefined)
      })

    const judged = (taskId: string) =>
      Effect.gen(function* () {
        const sets = yield* scored(taskId)
        if (sets.some(({ finished }) => finished)) return
        const [unfinished] = sets
        if (unfinished === undefined) return yield* begin(taskId)
        yield* countEarlier(taskId, unfinished.id)
        return yield* scoring
          .resume(unfinished.id, { model: options })
          .pipe(
            Effect.catchTag("NotResumed", (cause) => Effect.zipRight(ProgramLog.warning(cause.message), begin(taskId))),
          )
      }).pipe(
        // The task stays unjudged, and the score set unfinished: neither says that it scored nothing.
        Effect.catchAll((cause) => ProgramLog.warning(`task ${taskId} was not judged: ${cause.message}`)),
        // A mistake of a program's own critic must not end the judging of all other tasks.
        Effect.catchAllDefect((defect) => ProgramLog.error(`task ${taskId} was not judged`, Cause.die(defect))),
        Effect.ensuring(Effect.sync(() => judge.forget(taskId))),
      )

    let reached = yield* firstPosition(label, { log, projector })
    const waiting = new Set<{ readonly position: number; readonly done: Deferred.Deferred<void, LogError> }>()
    let stopped: Cause.Cause<LogError> | undefined
    const stop = (cause: Cause.Cause<LogError>) =>
      Effect.sync(() => {
        stopped = cause
        for (const { done } of waiting) Deferred.unsafeDone(done, Effect.failCause(cause))
        waiting.clear()
      })
    const reach = (position: number) =>
      Effect.sync(() => {
        reached = Math.max(reached, position)
        for (const one of waiting) {
          if (one.position > reached) continue
          waiting.delete(one)
          Deferred.unsafeDone(one.done, Effect.void)
        }
      })
    yield* log.follow({ after: reached }).pipe(
      Stream.runForEach((item) =>
        Effect.zipRight(
          !(item instanceof CaughtUp) && isClosing(item, log) ? judged(item.taskId ?? "") : Effect.void,
          reach(item.position),
        ),
      ),
      // Nobody waits for a judge that has stopped.
      Effect.tapErrorCause(stop),
      Effect.catchAllCause((cause) => ProgramLog.error("the judge of closed tasks has stopped", cause)),
      Effect.forkScoped,
    )
    return {
      settled: Effect.gen(function* () {
        const { position } = yield* log.head
        if (position <= reached) return
        if (stopped !== undefined) return yield* Effect.failCause(stopped)
        const done = yield* Deferred.make<void, LogError>()
        waiting.add({ position, done })
        yield* Deferred.await(done)
      }),
    }
  })

const isClosing = (event: Event, log: EventLog.Service): boolean =>
  is(event, "TaskClosed") && event.taskId !== null && event.timeline === log.timeline

/**
 * The position after which tasks are judged: that of the last task of an earlier kernel's judge, which may be
 * unfinished; if none was judged, where a kernel with this judge started first: it may have died before it judged any.
 */
const firstPosition = (
  label: string,
  { log, projector }: Pick<Services, "log" | "projector">,
): Effect.Effect<number, LogError> =>
  Effect.gen(function* () {
    const { sets } = yield* projector.current(ScoreSets.projection)
    const tasks = yield* projector.current(Tasks.projection)
    // A long log has more judged tasks than a call may have arguments.
    let last: number | undefined
    for (const set of Object.values(sets)) {
      if (set.label !== label) continue
      for (const taskId of set.taskIds) {
        const to = SafeRecord.get(tasks, taskId)?.to
        if (to !== undefined) last = Math.max(last ?? to, to)
      }
    }
    if (last !== undefined) return last - 1
    let started: number | undefined
    yield* Pages.forEach(log.readPage, { types: ["KernelStarted"] }, (page) => {
      started ??= page.find((event) => is(event, "KernelStarted") && event.payload.judge === label)?.position
    })
    return started ?? (yield* log.head).position
  })
