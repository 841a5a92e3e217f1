/** Pairs the tasks of two language models for a comparison. */

import { Data, Effect, Either } from "effect"
import { type EventLog, type LogError, MAIN } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import { SHREDDED } from "../../events/vocabulary/EventType.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as DidYouMean from "../../values/DidYouMean.ts"
import { digest } from "../../values/Digest.ts"
import { groupBy } from "../../values/groupBy.ts"
import * as ModelCallEnd from "../state/ModelCallEnd.ts"
import type { NamedScoring } from "./SetScores.ts"

/** A task's input, and the models that its agents called. */
export interface ModelTask {
  /** Of a forked task: `TIMELINE@TASK`. */
  readonly taskId: string
  /** As `provider/model`, the names of `audit --group model`, without the critics' models. */
  readonly models: ReadonlySet<string>
  /** The digest of its goal and environment, and its seed; null if they are unreadable. */
  readonly given: { readonly digest: string; readonly seed: number | null } | null
}

/** One model, with the number of its tasks by use. */
export interface ModelSide {
  readonly model: string
  /** Tasks that called it and not the other model: the sum of the following counts. */
  readonly tasks: number
  readonly paired: number
  /** Scored tasks without a matching one of the other model. */
  readonly unpaired: number
  /** Tasks without such a score. */
  readonly unscored: number
  /** Tasks whose goal is unreadable: its key is missing, or the import left it out. */
  readonly unreadable: number
}

/** The split of tasks between two models, and the pairs. */
export interface ModelSides {
  readonly a: ModelSide
  readonly b: ModelSide
  /** Tasks that called both, which belong to neither side. */
  readonly askedBoth: number
  /** Whether only tasks with the same seed are paired. */
  readonly sameSeed: boolean
  /** The tasks of each pair. The comparison names a pair by its task of A. */
  readonly pairs: ReadonlyArray<{ readonly a: string; readonly b: string }>
}

/** No task called this model, or the name is ambiguous. */
export class ModelNotFound extends Data.TaggedError("ModelNotFound")<{
  readonly model: string
  readonly known: ReadonlyArray<string>
  /** The models that an ambiguous name may stand for. */
  readonly several: ReadonlyArray<string>
}> {
  override get message() {
    const { model, known, several } = this
    if (several.length > 0)
      return `--model: expected one model, found "${model}", which matches several: ${listed(several)}.`
    if (known.length === 0) return `--model: no task of this log called a model.`
    return `--model: expected a model that a task called (${listed(known)}), found "${model}".${DidYouMean.question(model, known)}`
  }
}

/** No scored task of one model matches a task of the other. */
export class NoTaskOfBoth extends Data.TaggedError("NoTaskOfBoth")<{
  readonly a: ModelSide
  readonly b: ModelSide
  readonly scoring: string
  readonly askedBoth: number
  /** The number of pairs if seeds are ignored. */
  readonly otherSeeds: number
}> {
  override get message() {
    const { a, b, scoring, askedBoth, otherSeeds } = this
    const of = ({ model, tasks, unpaired, unscored, unreadable }: ModelSide) =>
      `${model}: ${counted(tasks)}, ${unpaired} without a match` +
      (unscored > 0 ? `, ${unscored} not scored by "${scoring}"` : "") +
      (unreadable > 0 ? `, ${unreadable} unreadable` : "")
    return (
      `The two models have no tasks to compare: expected some with the same goal, environment and seed, found none (${of(a)}; ${of(b)}). ` +
      (askedBoth > 0 ? `${counted(askedBoth)} called both and count for neither. ` : "") +
      (otherSeeds > 0
        ? `--any-seed pairs ${counted(otherSeeds)} with different seeds.`
        : "`hindcast audit --all --group model` shows each model by itself.")
    )
  }
}

const counted = (tasks: number): string => `${tasks} ${tasks === 1 ? "task" : "tasks"}`

/** Maximum number of models in a message. */
const MAX_LISTED = 10

const listed = (names: ReadonlyArray<string>): string =>
  `${names.slice(0, MAX_LISTED).join(", ")}${names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : ""}`

/**
 * All tasks of a log's timeline with their models, in order of opening. On `main`, the tasks of forks follow, with the models
 * that the forks called.
 */
export const tasksOf = (log: EventLog.Service): Effect.Effect<ReadonlyArray<ModelTask>, LogError> =>
  Effect.gen(function* () {
    const tasks = yield* ownTasksOf(log)
    if (log.timeline !== MAIN) return tasks
    const givenOf = new Map(tasks.map(({ taskId, given }) => [taskId, given]))
    const forked = yield* Effect.forEach(yield* Timelines.list(log), ({ name }) =>
      name === MAIN ? Effect.succeed([]) : forkedTasksOf(log, name, givenOf),
    )
    return [...tasks, ...forked.flat()]
  })

/** The name of a task on a fork's timeline. */
export const forkedId = (timeline: string, taskId: string): string => `${timeline}@${taskId}`

const forkedTasksOf = (log: EventLog.Service, timeline: string, givenOf: ReadonlyMap<string, ModelTask["given"]>) => {
  const models = new Map<string, Set<string>>()
  return Pages.forEach(log.readPage, { timeline, types: ["ModelCalled"] }, (page) => {
    for (const event of page) {
      const { taskId } = event
      if (taskId === null || !is(event, "ModelCalled") || ModelCallEnd.isOfCritic(event)) continue
      const { provider, model } = event.payload
      models.set(taskId, (models.get(taskId) ?? new Set()).add(`${provider}/${model}`))
    }
  }).pipe(
    Effect.map(
      (): ReadonlyArray<ModelTask> =>
        [...models].map(([taskId, called]) => ({
          taskId: forkedId(timeline, taskId),
          models: called,
          given: givenOf.get(taskId) ?? null,
        })),
    ),
  )
}

const ownTasksOf = (log: EventLog.Service): Effect.Effect<ReadonlyArray<ModelTask>, LogError> => {
  const tasks = new Map<string, { readonly given: ModelTask["given"]; readonly models: Set<string> }>()
  return Pages.forEach(log.readPage, { timeline: log.timeline, types: ["TaskOpened", "ModelCalled"] }, (page) => {
    for (const event of page) {
      const { taskId } = event
      if (taskId === null) continue
      if (is(event, "TaskOpened") && !tasks.has(taskId)) {
        const { goal, environment = {}, seed = null } = event.payload
        // A goal that an import left out would match every other one.
        const isLegible = event.personal?.readable !== false && goal !== SHREDDED
        const given = isLegible ? { digest: digest({ goal, environment }), seed } : null
        tasks.set(taskId, { given, models: new Set() })
      } else if (is(event, "ModelCalled") && !ModelCallEnd.isOfCritic(event)) {
        tasks.get(taskId)?.models.add(`${event.payload.provider}/${event.payload.model}`)
      }
    }
  }).pipe(Effect.map(() => [...tasks].map(([taskId, task]) => ({ taskId, ...task }))))
}

/** Resolves the name of a model: `provider/model`, or the model alone if only one provider has it. */
export const named = (model: string, tasks: ReadonlyArray<ModelTask>): Either.Either<string, ModelNotFound> => {
  const known = [...new Set(tasks.flatMap(({ models }) => [...models]))].sort()
  if (known.includes(model)) return Either.right(model)
  const [one, ...others] = known.filter((name) => name.slice(name.indexOf("/") + 1) === model)
  if (one !== undefined && others.length === 0) return Either.right(one)
  return Either.left(new ModelNotFound({ model, known, several: one === undefined ? [] : [one, ...others] }))
}

/** Two sides as scorings whose scores are paired by name. */
export interface Sided {
  readonly a: NamedScoring
  readonly b: NamedScoring
  /** The group of a pair: pairs of tasks with the same input are not independent evidence. */
  readonly groupOf: (taskId: string) => string
  readonly models: ModelSides
}

/**
 * Splits the scores of tasks between two models. A task that called both belongs to neither. Pairs tasks with the same
 * goal, environment and, unless `anySeed`, seed, in order of opening. A model's surplus tasks stay unpaired.
 */
export const of = (
  tasks: ReadonlyArray<ModelTask>,
  scoring: NamedScoring,
  [modelA, modelB]: readonly [string, string],
  { anySeed = false }: { readonly anySeed?: boolean } = {},
): Either.Either<Sided, NoTaskOfBoth> => {
  const asked = (one: string, other: string) => tasks.filter(({ models }) => models.has(one) && !models.has(other))
  const [ofA, ofB] = [asked(modelA, modelB), asked(modelB, modelA)]
  const comparable = ({ taskId, given }: ModelTask) => given !== null && scoring.scores.has(taskId)
  const paired = (withSeed: boolean) => pairsOf(ofA.filter(comparable), ofB.filter(comparable), withSeed)
  const pairs = paired(!anySeed)
  const sideOf = (model: string, own: ReadonlyArray<ModelTask>): ModelSide => {
    const unreadable = own.filter(({ given }) => given === null).length
    const unscored = own.filter(({ taskId, given }) => given !== null && !scoring.scores.has(taskId)).length
    const unpaired = own.length - unreadable - unscored - pairs.length
    return { model, tasks: own.length, paired: pairs.length, unpaired, unscored, unreadable }
  }
  const [a, b] = [sideOf(modelA, ofA), sideOf(modelB, ofB)]
  const askedBoth = tasks.filter(({ models }) => models.has(modelA) && models.has(modelB)).length
  if (pairs.length === 0) {
    const otherSeeds = anySeed ? 0 : paired(false).length
    return Either.left(new NoTaskOfBoth({ a, b, scoring: scoring.name, askedBoth, otherSeeds }))
  }
  const nameOf = new Map(pairs.map((pair) => [pair.b, pair.a]))
  const scoringOf = (name: string, own: ReadonlyArray<ModelTask>): NamedScoring => {
    // Unreadable tasks must not count as tasks of one side only.
    const scores = own.flatMap(({ taskId, given }) => {
      const score = given === null ? undefined : scoring.scores.get(taskId)
      return score === undefined ? [] : [[nameOf.get(taskId) ?? taskId, score] as const]
    })
    return { ...scoring, name, scores: new Map(scores) }
  }
  const groups = new Map(ofA.map((task) => [task.taskId, keyOf(task, !anySeed)]))
  return Either.right({
    a: scoringOf(modelA, ofA),
    b: scoringOf(modelB, ofB),
    groupOf: (taskId) => groups.get(taskId) ?? taskId,
    models: { a, b, askedBoth, sameSeed: !anySeed, pairs },
  })
}

const pairsOf = (
  ofA: ReadonlyArray<ModelTask>,
  ofB: ReadonlyArray<ModelTask>,
  withSeed: boolean,
): ModelSides["pairs"] => {
  const ofKey = groupBy(ofB, (task) => [keyOf(task, withSeed)])
  const taken = new Map<string, number>()
  return ofA.flatMap((task) => {
    const key = keyOf(task, withSeed)
    const next = taken.get(key) ?? 0
    taken.set(key, next + 1)
    const b = ofKey.get(key)?.[next]
    return b === undefined ? [] : [{ a: task.taskId, b: b.taskId }]
  })
}

/** Equal for tasks that can be paired. */
const keyOf = ({ given }: ModelTask, withSeed: boolean): string =>
  JSON.stringify([given?.digest, withSeed ? given?.seed : null])
