import { Data, Either, Schema } from "effect"
import { optional } from "../../events/vocabulary/EventType.ts"
import { measureName } from "../rules/Rubric.ts"
import type { By, Target } from "./Critic.ts"

/** What there is to decide with. */
export interface Available {
  /** Why the plugin of a measure has no function that could judge it; undefined where it has one. */
  readonly pluginLacks: (measure: Target["measure"]) => string | undefined
  /** Whether there is a model to be asked. */
  readonly model: boolean
}

/** What the caller wants: the critic for one reward, for all of a measure, or for everything. */
export const CriticPreference = Schema.Struct({
  critic: Schema.Literal("rule", "plugin", "model"),
  of: optional(
    Schema.String.annotations({ description: "A measure's full name, or `measure/reward`; else everything" }),
  ),
})

export type CriticPreference = typeof CriticPreference.Type

/** Who decides a reward; `nobody`: nothing can, with the reason. */
export type CriticAssignment = { readonly by: By } | { readonly by: "nobody"; readonly reason: string }

/** Fix the call: critics were asked for what the rubric does not have. */
export class CriticPreferenceInvalid extends Data.TaggedError("WishInvalid")<{
  readonly found: string
  readonly known: ReadonlyArray<string>
}> {
  override get message() {
    return `critic for ${this.found}: expected a measure, or a measure's reward, of the rubric (${this.known.join(", ")}), found none of that name`
  }
}

/**
 * Who decides a reward: its rule where it has one, else the function that its plugin has for the measure, else the model.
 * What the caller wants goes first, the more special wish before the more general one: then nothing else decides, and what
 * was wanted and cannot decide leaves the reward unscored. Pure.
 */
export const assign = (
  target: Target,
  available: Available,
  wishes: ReadonlyArray<CriticPreference> = [],
): CriticAssignment => {
  const wanted = wishFor(target, wishes)
  const lacks = lacksOf(target, available)
  if (wanted !== undefined) {
    const reason = lacks[wanted]
    return reason === undefined ? { by: wanted } : { by: "nobody", reason: `${reason}, and ${wanted} was asked for` }
  }
  const by = ORDER.find((by) => lacks[by] === undefined)
  if (by !== undefined) return { by }
  const { measure } = target
  // Nobody expects that a rubric's own measure, or one without a function, is judged by a plugin.
  if (measure.critic === undefined) return { by: "nobody", reason: "it has no rule, and no other critic was asked" }
  return { by: "nobody", reason: `it has no rule, ${lacks.plugin}, and no model was asked` }
}

/** The first that can, decides. */
const ORDER: ReadonlyArray<By> = ["rule", "plugin", "model"]

/** Why each of them cannot decide a reward. */
const lacksOf = ({ measure, reward }: Target, { pluginLacks, model }: Available) => ({
  rule: reward.rule === undefined ? "it has no rule" : undefined,
  plugin: pluginLacks(measure),
  model: model ? undefined : "there is no model",
})

const wishFor = (target: Target, wishes: ReadonlyArray<CriticPreference>): By | undefined => {
  const names = namesOf(target)
  const special = names.flatMap((name) => wishes.filter(({ of }) => of === name))
  return (special.at(-1) ?? wishes.filter(({ of }) => of === undefined).at(-1))?.critic
}

/** What a wish may call a reward by, the more general name first. */
const namesOf = ({ measure, reward }: Target): ReadonlyArray<string> => [
  measureName(measure),
  `${measureName(measure)}/${reward.name}`,
]

/** Checks that wishes speak of what there is. */
export const checked = (
  targets: ReadonlyArray<Target>,
  wishes: ReadonlyArray<CriticPreference>,
): Either.Either<ReadonlyArray<CriticPreference>, CriticPreferenceInvalid> => {
  const known = new Set(targets.flatMap(namesOf))
  const unknown = wishes.find(({ of }) => of !== undefined && !known.has(of))
  return unknown?.of === undefined
    ? Either.right(wishes)
    : Either.left(new CriticPreferenceInvalid({ found: unknown.of, known: [...known] }))
}
