/** Combines the critics of a rubric, each with its own rewards, into one critic. */

import { Effect, Schema, type Scope } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import { optional, Sha256 } from "../../events/vocabulary/EventType.ts"
import { digest } from "../../values/Digest.ts"
import { JsonObject } from "../../values/Json.ts"
import type { Rubric } from "../rules/Rubric.ts"
import { type Critic, type Target, unscored } from "./Critic.ts"
import { type CriticAssignment, CriticPreference } from "./CriticAssignment.ts"
import * as RuleCritic from "./rules/RuleCritic.ts"

/** The critics of a rubric's rewards, before judging starts. */
export interface CriticSet extends Pick<Critic, "name" | "digest" | "exact"> {
  /** Number of rewards and punishments that each kind of critic decides. */
  readonly decides: { readonly [By in CriticAssignment["by"]]: number }
  readonly modelCalls: number
  /**
   * The request behind the choice, for `ScoringStarted`. Undefined if only rules decide and the caller has no
   * preference.
   */
  readonly params: Params | undefined
  /** Starts judging for a score set. The processes that this starts end with the scope. */
  readonly open: (scoreSet: ScoreSet) => Effect.Effect<Critic, LogError, Scope.Scope>
}

/** The request behind a critic set, as a score set records it. */
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

/** The score set in progress. Events that critics record belong to it. */
export interface ScoreSet {
  readonly scoreSetId: string
  readonly startedBy: string
}

export interface Member extends Pick<Critic, "name" | "digest" | "exact"> {
  readonly targets: ReadonlyArray<Target>
  readonly open: (scoreSet: ScoreSet) => Effect.Effect<Critic, LogError, Scope.Scope>
}

export const ruleMember = (rubric: Rubric, targets: ReadonlyArray<Target>): Member => {
  const decided = only(rubric, targets)
  return { ...RuleCritic.identityOf(decided), targets, open: () => Effect.sync(() => RuleCritic.of(decided)) }
}

/**
 * Combines critics: each reward goes to its critic; unassigned rewards are `unscored`. A set of rules alone has the
 * rule critic's name and digest, so that it equals a rules-only scoring.
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
  const rulesOnly = targets.every((target) => byRules(target, choices.get(target)))
  const identity = rulesOnly ? ofRules(members) : identityOf(targets, choices, members)
  const open = (scoreSet: ScoreSet) =>
    Effect.map(
      Effect.forEach(members, (member) => member.open(scoreSet)),
      (critics): Critic => ({
        ...identity,
        stepTypes: stepTypesOf(critics),
        start: (task) => {
          const judgings = critics.map((critic) => critic.start(task))
          return {
            observe: (event) => {
              for (const judging of judgings) judging.observe(event)
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
    rule: decidedBy("rule"),
    plugin: decidedBy("plugin"),
    model: decidedBy("model"),
    nobody: decidedBy("nobody"),
  }
  return {
    ...identity,
    decides,
    modelCalls,
    open,
    params: rulesOnly && params.wishes.length === 0 ? undefined : params,
  }
}

const stepTypesOf = (critics: ReadonlyArray<Critic>): ReadonlyArray<string> | undefined => {
  const types = new Set<string>()
  for (const { stepTypes } of critics) {
    if (stepTypes === undefined) return undefined
    for (const type of stepTypes) types.add(type)
  }
  return [...types]
}

const ofRules = ([member]: ReadonlyArray<Member>): Pick<Critic, "name" | "digest" | "exact"> =>
  member === undefined ? RuleCritic.EXACT : { name: member.name, digest: member.digest, exact: member.exact }

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
