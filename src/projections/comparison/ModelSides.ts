/** Two language models as the sides of a comparison: the tasks of each, paired where both worked on the same. */

import { Data, Effect, Either } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import { SHREDDED } from "../../events/vocabulary/EventType.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as DidYouMean from "../../values/DidYouMean.ts"
import { digest } from "../../values/Digest.ts"
import { groupBy } from "../../values/groupBy.ts"
import * as ModelCallEnd from "../state/ModelCallEnd.ts"
import type { NamedScoring } from "./SetScores.ts"

/** What a task was given, and which models its agents asked. */
export interface ModelTask {
  readonly taskId: string
  /** By `provider/model`, as `audit --group model` names them. Those of critics are not among them. */
  readonly models: ReadonlySet<string>
  /** The digest of its goal and environment, and its seed; null where they cannot be read. */
  readonly given: { readonly digest: string; readonly seed: number | null } | null
}

/** One model, and what became of its tasks. */
export interface ModelSide {
  readonly model: string
  /** Tasks in which it was asked and the other was not: the sum of the following. */
  readonly tasks: number
  readonly paired: number
  /** Tasks that are scored, without one of the other model like it. */
  readonly unpaired: number
  /** Tasks that have no such score. */
  readonly unscored: number
  /** Tasks whose goal cannot be read: its key is not there, or it was imported without. */
  readonly unreadable: number
}

/** How tasks were divided between two models, and paired. */
export interface ModelSides {
  readonly a: ModelSide
  readonly b: ModelSide
  /** Tasks in which both were asked: they are of neither side. */
  readonly askedBoth: number
  /** Whether only tasks with the same seed are paired. */
  readonly sameSeed: boolean
  /** The two tasks of each pair. The comparison names a pair by its task of A. */
  readonly pairs: ReadonlyArray<{ readonly a: string; readonly b: string }>
}

/** Fix the name: no task asked this model, or the name stands for several. */
export class ModelNotFound extends Data.TaggedError("ModelNotFound")<{
  readonly model: string
  readonly known: ReadonlyArray<string>
  /** The models that it may stand for. */
  readonly several: ReadonlyArray<string>
}> {
  override get message() {
    const { model, known, several } = this
    if (several.length > 0) return `--model: expected one model, found that "${model}" stands for ${listed(several)}.`
    if (known.length === 0) return `--model: expected a model that was asked, found that no task of this log asked any.`
    return `--model: expected a model that was asked (${listed(known)}), found "${model}".${DidYouMean.question(model, known)}`
  }
}

/** There is nothing to compare two models by: no task of the one is scored and like a task of the other. */
export class NoTaskOfBoth extends Data.TaggedError("NoTaskOfBoth")<{
  readonly a: ModelSide
  readonly b: ModelSide
  readonly scoring: string
  readonly askedBoth: number
  /** Pairs that there would be if seeds did not matter. */
  readonly otherSeeds: number
}> {
  override get message() {
    const { a, b, scoring, askedBoth, otherSeeds } = this
    const of = ({ model, tasks, unpaired, unscored, unreadable }: ModelSide) =>
      `${model}: ${counted(tasks)}, ${unpaired} without one like it` +
      (unscored > 0 ? `, ${unscored} not scored by "${scoring}"` : "") +
      (unreadable > 0 ? `, ${unreadable} unreadable` : "")
    return (
      `Expected tasks that both models worked on, with the same goal, environment and seed, found none (${of(a)}; ${of(b)}). ` +
      (askedBoth > 0 ? `${counted(askedBoth)} asked both and count for neither. ` : "") +
      (otherSeeds > 0
        ? `With other seeds there are ${otherSeeds}: --any-seed pairs them.`
        : "`hindcast audit --all --group model` shows each model by itself.")
    )
  }
}

const counted = (tasks: number): string => `${tasks} ${tasks === 1 ? "task" : "tasks"}`

/** Most models that a message lists. */
const MAX_LISTED = 10

const listed = (names: ReadonlyArray<string>): string =>
  `${names.slice(0, MAX_LISTED).join(", ")}${names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : ""}`

/** Every task of a log's timeline with its models, in the order in which they were opened. */
export const tasksOf = (log: EventLog.Service): Effect.Effect<ReadonlyArray<ModelTask>, LogError> => {
  const tasks = new Map<string, { readonly given: ModelTask["given"]; readonly models: Set<string> }>()
  return Pages.forEach(log.readPage, { timeline: log.timeline, types: ["TaskOpened", "ModelCalled"] }, (page) => {
    for (const event of page) {
      const { taskId } = event
      if (taskId === null) continue
      if (is(event, "TaskOpened") && !tasks.has(taskId)) {
        const { goal, environment = {}, seed = null } = event.payload
        // What was left out of an import stands alike in every task.
        const isLegible = event.personal?.readable !== false && goal !== SHREDDED
        const given = isLegible ? { digest: digest({ goal, environment }), seed } : null
        tasks.set(taskId, { given, models: new Set() })
      } else if (is(event, "ModelCalled") && !ModelCallEnd.isOfCritic(event)) {
        tasks.get(taskId)?.models.add(`${event.payload.provider}/${event.payload.model}`)
      }
    }
  }).pipe(Effect.map(() => [...tasks].map(([taskId, task]) => ({ taskId, ...task }))))
}

/** The model of a name: `provider/model`, or the model's own name where one provider alone has it. */
export const named = (model: string, tasks: ReadonlyArray<ModelTask>): Either.Either<string, ModelNotFound> => {
  const known = [...new Set(tasks.flatMap(({ models }) => [...models]))].sort()
  if (known.includes(model)) return Either.right(model)
  const [one, ...others] = known.filter((name) => name.slice(name.indexOf("/") + 1) === model)
  if (one !== undefined && others.length === 0) return Either.right(one)
  return Either.left(new ModelNotFound({ model, known, several: one === undefined ? [] : [one, ...others] }))
}

/** What is compared: the two sides as scorings whose scores are paired by name, and what is to be known of them. */
export interface Sided {
  readonly a: NamedScoring
  readonly b: NamedScoring
  /** The group of a pair: pairs of tasks that were given the same are no evidence of their own. */
  readonly groupOf: (taskId: string) => string
  readonly models: ModelSides
}

/**
 * Divides the scores of tasks between two models. A task that asked both is of neither. Tasks with the same goal, environment
 * and, unless `anySeed`, seed are paired in the order in which they were opened: where one model worked on the same more often,
 * its last tasks are left.
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
    // What cannot be read cannot be compared: it is no task that only one of the two has.
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

/** What two tasks have in common that can be paired. */
const keyOf = ({ given }: ModelTask, withSeed: boolean): string =>
  JSON.stringify([given?.digest, withSeed ? given?.seed : null])
