/** Assigns a critic to each reward of a rubric: its rule, its plugin's function, or a model. */

import { Data, Either, Schema } from "effect"
import { optional } from "../../events/vocabulary/EventType.ts"
import { measureName } from "../rules/Rubric.ts"
import type { CriticKind, Target } from "./Critic.ts"

export interface AvailableCritics {
  /** Why the plugin of a measure has no function to judge it; undefined if it has one. */
  readonly pluginLacks: (measure: Target["measure"]) => string | undefined
  readonly model: boolean
}

/** A caller's preference of a critic: for one reward, for a measure, or for everything. */
export const CriticPreference = Schema.Struct({
  critic: Schema.Literal("rule", "plugin", "model"),
  of: optional(
    Schema.String.annotations({ description: "A measure's full name, or `measure/reward`; else everything" }),
  ),
})

export type CriticPreference = typeof CriticPreference.Type

/** The critic that decides a reward. `nobody`: none can, with the reason. */
export type CriticAssignment = { readonly by: CriticKind } | { readonly by: "nobody"; readonly reason: string }

/** A preference names a measure or reward that the rubric lacks. */
export class CriticPreferenceInvalid extends Data.TaggedError("CriticPreferenceInvalid")<{
  readonly found: string
  readonly known: ReadonlyArray<string>
}> {
  override get message() {
    return `critic for ${this.found}: expected a measure, or a measure's reward, of the rubric (${this.known.join(", ")}), found none of that name`
  }
}

/**
 * Assigns a critic to a reward: its rule, or else the measure's function in its plugin, or else the model. The most
 * specific preference overrides this order. If the preferred critic cannot decide, the reward is unscored, and no other
 * critic takes over. Pure.
 */
export const assign = (
  target: Target,
  available: AvailableCritics,
  preferences: ReadonlyArray<CriticPreference> = [],
): CriticAssignment => {
  const preferred = preferenceFor(target, preferences)
  const lacks = lacksOf(target, available)
  if (preferred !== undefined) {
    const reason = lacks[preferred]
    return reason === undefined
      ? { by: preferred }
      : { by: "nobody", reason: `${reason}, and ${preferred} was asked for` }
  }
  const by = ORDER.find((by) => lacks[by] === undefined)
  if (by !== undefined) return { by }
  const { measure } = target
  if (measure.critic === undefined) return { by: "nobody", reason: "it has no rule, and no other critic was asked" }
  return { by: "nobody", reason: `it has no rule, ${lacks.plugin}, and no model was asked` }
}

const ORDER: ReadonlyArray<CriticKind> = ["rule", "plugin", "model"]

const lacksOf = ({ measure, reward }: Target, { pluginLacks, model }: AvailableCritics) => ({
  rule: reward.rule === undefined ? "it has no rule" : undefined,
  plugin: pluginLacks(measure),
  model: model ? undefined : "there is no model",
})

const preferenceFor = (target: Target, preferences: ReadonlyArray<CriticPreference>): CriticKind | undefined => {
  const names = namesOf(target)
  const special = names.flatMap((name) => preferences.filter(({ of }) => of === name))
  return (special.at(-1) ?? preferences.filter(({ of }) => of === undefined).at(-1))?.critic
}

/** The names by which a preference can refer to a reward, from general to specific. */
const namesOf = ({ measure, reward }: Target): ReadonlyArray<string> => [
  measureName(measure),
  `${measureName(measure)}/${reward.name}`,
]

export const checked = (
  targets: ReadonlyArray<Target>,
  preferences: ReadonlyArray<CriticPreference>,
): Either.Either<ReadonlyArray<CriticPreference>, CriticPreferenceInvalid> => {
  const known = new Set(targets.flatMap(namesOf))
  const unknown = preferences.find(({ of }) => of !== undefined && !known.has(of))
  return unknown?.of === undefined
    ? Either.right(preferences)
    : Either.left(new CriticPreferenceInvalid({ found: unknown.of, known: [...known] }))
}
