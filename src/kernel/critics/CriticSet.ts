import { Effect, Schema, type Scope } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import { optional, Sha256 } from "../../events/vocabulary/EventType.ts"
import { digest } from "../../values/Digest.ts"
import { JsonObject } from "../../values/Json.ts"
import type { Rubric } from "../rules/Rubric.ts"
import { type Critic, type Target, unscored } from "./Critic.ts"
import { type CriticAssignment, CriticPreference } from "./CriticAssignment.ts"
import * as RuleCritic from "./rules/RuleCritic.ts"

/** Those who decide a rubric's rewards, before they begin. */
export interface CriticSet extends Pick<Critic, "name" | "digest" | "exact"> {
  /** How many rewards and punishments each decides of a task. */
  readonly decides: { readonly [By in CriticAssignment["by"]]: number }
  /** Questions to a model that judging one task takes. */
  readonly modelCalls: number
  /** What it was chosen by, for the score set's start; undefined where rules alone decide, and nobody wanted otherwise. */
  readonly params: Params | undefined
  /** Begins to judge for a score set. What that needs of the machine goes with the scope. */
  readonly open: (scoreSet: ScoreSet) => Effect.Effect<Critic, LogError, Scope.Scope>
}

/** What a panel was chosen by, as a score set records it. */
export const Params = Schema.Struct({
  wishes: Schema.Array(CriticPreference),
  plugins: Schema.Record({ key: Schema.String, value: Sha256 }).annotations({
    description: "Digests of the plugins that judge",
  }),
  model: optional(
    Schema.Struct({ provider: Schema.String, model: Schema.String, repeats: Schema.Positive, settings: JsonObject }),
  ),
  answersOf: optional(Schema.String.annotations({ description: "The score set whose recorded answers were taken" })),
}).annotations({ identifier: "Params" })

export type Params = typeof Params.Type

/** The score set that is written: what critics have to record belongs to it. */
export interface ScoreSet {
  readonly scoreSetId: string
  /** The id of the event that says that it began. */
  readonly startedBy: string
}

/** One of a panel, and what it decides. */
export interface Member extends Pick<Critic, "name" | "digest" | "exact"> {
  readonly targets: ReadonlyArray<Target>
  readonly open: (scoreSet: ScoreSet) => Effect.Effect<Critic, LogError, Scope.Scope>
}

/** What decides by rules, as one of a panel. */
export const ruleMember = (rubric: Rubric, targets: ReadonlyArray<Target>): Member => ({
  ...{ name: RuleCritic.CRITIC, digest: RuleCritic.DIGEST, exact: true, targets },
  open: () => Effect.sync(() => RuleCritic.of(only(rubric, targets))),
})

/**
 * A panel of several: each decides its own, and what nobody can decide is unscored. Where it comes to what rules alone
 * come to, it is that critic, by name and digest.
 */
export const of = (
  choices: ReadonlyMap<Target, CriticAssignment>,
  members: ReadonlyArray<Member>,
  { modelCalls, params }: Pick<CriticSet, "modelCalls"> & { readonly params: Params },
): CriticSet => {
  const targets = [...choices.keys()]
  const byRules = ({ reward }: Target, choice: CriticAssignment | undefined) =>
    choice?.by === (reward.rule ? "rule" : "nobody")
  const undecided = [...choices].flatMap(([target, choice]) =>
    choice.by === "nobody" ? [unscored(target, choice.reason)] : [],
  )
  const rulesAlone = targets.every((target) => byRules(target, choices.get(target)))
  const identity = rulesAlone
    ? { name: RuleCritic.CRITIC, digest: RuleCritic.DIGEST, exact: true }
    : identityOf(targets, choices, members)
  const open = (scoreSet: ScoreSet) =>
    Effect.map(
      Effect.forEach(members, (member) => member.open(scoreSet)),
      (critics): Critic => ({
        ...identity,
        start: (task) => {
          const judgings = critics.map((critic) => critic.start(task))
          return {
            see: (event) => {
              for (const judging of judgings) judging.see(event)
            },
            decide: Effect.map(
              Effect.forEach(judgings, ({ decide }) => decide),
              (judged) => [...judged.flat(), ...undecided],
            ),
          }
        },
      }),
    )
  const decidedBy = (by: CriticAssignment["by"]) => [...choices.values()].filter((choice) => choice.by === by).length
  const decides = {
    ...{ rule: decidedBy("rule"), plugin: decidedBy("plugin") },
    ...{ model: decidedBy("model"), nobody: decidedBy("nobody") },
  }
  return {
    ...identity,
    decides,
    modelCalls,
    open,
    params: rulesAlone && params.wishes.length === 0 ? undefined : params,
  }
}

const identityOf = (
  targets: ReadonlyArray<Target>,
  choices: ReadonlyMap<Target, CriticAssignment>,
  members: ReadonlyArray<Member>,
) => ({
  name: members.map(({ name }) => name).join("+") || "nobody",
  digest: digest({
    members: members.map(({ name, digest }) => ({ name, digest })),
    choices: targets.map((target) => choices.get(target)?.by ?? "nobody"),
  }),
  exact: members.every(({ exact }) => exact),
})

/** A rubric of which only some rewards and punishments are left. */
const only = (rubric: Rubric, targets: ReadonlyArray<Target>): Rubric => {
  const left = new Set(targets.map(({ reward }) => reward))
  return {
    ...rubric,
    measures: rubric.measures.flatMap((measure) => {
      const { rewards = [], punishments = [] } = measure
      const narrowed = {
        rewards: rewards.filter((of) => left.has(of)),
        punishments: punishments.filter((of) => left.has(of)),
      }
      return narrowed.rewards.length + narrowed.punishments.length === 0 ? [] : [{ ...measure, ...narrowed }]
    }),
  }
}
