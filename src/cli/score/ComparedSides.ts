/** The two sides of `hindcast compare`: two scorings of the same tasks, or one scoring of two models' tasks. */
import { Args, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { EventLog, MAIN } from "../../events/log/EventLog.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Score } from "../../projections/audit/Scores.ts"
import * as Dependence from "../../projections/comparison/Dependence.ts"
import * as ModelSides from "../../projections/comparison/ModelSides.ts"
import * as SetScores from "../../projections/comparison/SetScores.ts"
import { LIVE, OFFICIAL } from "../../projections/report/CountingScore.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, flag, optionalText, repeatedText } from "../command/CommonOptions.ts"

export const SCORE_SET_HELP = "A pointer, a score set's id or the end of it, or a label such as `live`"

export const options = {
  a: argument("a", `${SCORE_SET_HELP}; of another timeline as in fork-1/coding`).pipe(Args.optional),
  b: argument("b", "The second scoring, in the same forms; differences are B minus A").pipe(Args.optional),
  model: repeatedText(
    "model",
    "Twice, instead of A and B: compare the tasks of two models, as `audit --group model` names them",
  ).pipe(Options.withPseudoName("provider/model")),
  scores: optionalText(
    "scores",
    "With --model: the scores to compare. Default: official, else live, else the newest that covers both models",
  ),
  anySeed: flag("any-seed", "With --model: also pair tasks with different seeds"),
}

export interface Given {
  readonly a: Option.Option<string>
  readonly b: Option.Option<string>
  readonly model: ReadonlyArray<string>
  readonly scores: Option.Option<string>
  readonly anySeed: boolean
}

export type Asked =
  | { readonly kind: "scorings"; readonly a: string; readonly b: string }
  | { readonly kind: "models"; readonly names: readonly [string, string]; readonly given: Given }

export const asked = (given: Given): Effect.Effect<Asked, BadInput> => {
  const { a, b, model, scores, anySeed } = given
  if (model.length === 0) {
    if (Option.isSome(scores) || anySeed) {
      return new BadInput({
        input: Option.isSome(scores) ? "--scores" : "--any-seed",
        expected: "--model A --model B with it",
        found: "none",
      })
    }
    if (Option.isSome(a) && Option.isSome(b)) return Effect.succeed({ kind: "scorings", a: a.value, b: b.value })
    return new BadInput({
      input: "compare",
      expected: "two scorings, or --model twice",
      found: Option.isSome(a) ? `"${a.value}" alone` : "neither",
      advice: "`hindcast score ls` lists the scorings, `hindcast audit --all --group model` the models.",
    })
  }
  const [first, second, ...more] = model
  if (first === undefined || second === undefined || more.length > 0) {
    return new BadInput({ input: "--model", expected: "two models", found: `${model.length}` })
  }
  if (Option.isSome(a) || Option.isSome(b)) {
    const found = [...Option.toArray(a), ...Option.toArray(b)].map((name) => `"${name}"`).join(" and ")
    return new BadInput({
      input: "--model",
      expected: "no scorings A and B with it",
      found,
      advice: "--scores names the scoring that two models are compared by.",
    })
  }
  return Effect.succeed({ kind: "models", names: [first, second], given })
}

/** Loads both sides with their scores. Runs `tasks` only to compare models. */
export const load = <E, R>(asked: Asked, tasks: Effect.Effect<ReadonlyArray<ModelSides.ModelTask>, E, R>) =>
  Effect.gen(function* () {
    if (asked.kind === "scorings") {
      return { a: yield* SetScores.load(asked.a), b: yield* SetScores.load(asked.b), models: null } as const
    }
    const known = yield* tasks
    const [a, b] = [yield* ModelSides.named(asked.names[0], known), yield* ModelSides.named(asked.names[1], known)]
    if (a === b) return yield* new BadInput({ input: "--model", expected: "two models", found: `${a} twice` })
    const { anySeed, scores } = asked.given
    const names = Option.isSome(scores) ? [scores.value] : yield* scoringsByChoice
    const sidedBy = (name: string) =>
      Effect.gen(function* () {
        const sided = yield* ModelSides.of(known, yield* scoringOf(name), [a, b], { anySeed })
        return { ...sided, scoring: name } as const
      })
    // Without a choice, the first scoring that covers both models counts. If none does, the error is about the first.
    const [first = LIVE, ...others] = names
    return yield* others.reduce(
      (tried, name) =>
        Effect.catchTag(tried, "NoTaskOfBoth", (missing) => Effect.mapError(sidedBy(name), () => missing)),
      sidedBy(first),
    )
  })

/** The scorings to compare by if none is named: the official one, else the live ones, else all others from the newest on. */
const scoringsByChoice = Effect.gen(function* () {
  const { pointers, sets } = yield* SetScores.sets
  if (Object.hasOwn(pointers, OFFICIAL)) return [OFFICIAL]
  const labels = [
    ...new Set(
      Object.values(sets)
        .reverse()
        .map(({ label }) => label),
    ),
  ]
  return (labels.includes(LIVE) ? [LIVE, ...labels.filter((label) => label !== LIVE)] : labels).slice(0, MAX_TRIED)
})

const MAX_TRIED = 10

/** A scoring of this timeline, together with those of the same name on forks. */
const scoringOf = (name: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const own = yield* SetScores.load(name)
    if (log.timeline !== MAIN) return own
    const scores = new Map(own.scores)
    for (const { name: timeline } of yield* Timelines.list(log)) {
      if (timeline === MAIN) continue
      const forked = yield* SetScores.load(`${timeline}/${name}`).pipe(
        Effect.map((found) => found.scores),
        Effect.catchTag("ScoringNotFound", () => Effect.succeed(new Map<string, Score>())),
      )
      for (const [taskId, score] of forked) scores.set(ModelSides.forkedId(timeline, taskId), score)
    }
    return { ...own, scores }
  })

/**
 * The group of a pair. Two models' pairs with the same input depend on each other regardless of family, and a pair
 * belongs to the family of either of its tasks.
 *
 * @param familyOf the family of a task, if requested
 */
export const groupOf = (
  sides: { readonly models: null } | Pick<ModelSides.Sided, "models" | "groupOf">,
  familyOf: ((taskId: string) => string) | undefined,
): ((taskId: string) => string) => {
  if (sides.models === null) return familyOf ?? ((taskId) => taskId)
  const { models, groupOf } = sides
  if (familyOf === undefined) return groupOf
  const ofB = new Map(models.pairs.map(({ a, b }) => [a, b]))
  return Dependence.groupsBy([...ofB.keys()], (a) => [
    JSON.stringify(["given", groupOf(a)]),
    ...[a, ofB.get(a) ?? a].map((taskId) => JSON.stringify(["family", familyOf(taskId)])),
  ])
}
