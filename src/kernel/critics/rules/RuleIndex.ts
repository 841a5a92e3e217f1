import { Either } from "effect"
import type { Reward } from "../../../plugins/manifest/Manifest.ts"
import { measureName, type Rubric } from "../../rules/Rubric.ts"
import * as Rule from "../../rules/Rule.ts"
import type { PathPlace, RuleDependencies } from "../../rules/RuleDependencies.ts"

/** One reward or punishment of a rubric, with its rule, or with why it has none. */
export interface IndexedRule extends Pick<Reward, "name" | "weight" | "per"> {
  /** As verdicts name it. */
  readonly measure: string
  readonly kind: "reward" | "punishment"
  readonly rule: Either.Either<Rule.Rule, string>
}

/** All that a rubric asks, compiled. Criteria are named by their index. */
export interface RuleIndex {
  /** In the rubric's order. */
  readonly all: ReadonlyArray<IndexedRule>
  /** All that their rules look at. */
  readonly mentions: RuleDependencies["mentions"]
  /** The parts of the state that they look at: `readings`, `environment` …; undefined where it may be any. */
  readonly parts: ReadonlySet<string> | undefined
  /** Those about events which can be anything but false at an event of this type. */
  readonly at: (type: string) => ReadonlyArray<number>
  /** Those about no event: looked at when something is another that they look at. */
  readonly still: StateRules
}

/** Criteria by what they look at, each place once. */
export interface StateRules {
  readonly all: ReadonlyArray<number>
  readonly state: ReadonlyArray<Watched>
  readonly task: ReadonlyArray<Watched>
  /** By the type of events that they count. */
  readonly counts: ReadonlyMap<string, ReadonlyArray<number>>
  /** What time alone changes, and whatever cannot be told. */
  readonly always: ReadonlyArray<number>
}

interface Watched {
  readonly place: PathPlace
  readonly criteria: ReadonlyArray<number>
}

interface Ruled {
  readonly index: number
  readonly rule: Rule.Rule
}

/** Compiles a rubric's rules, each once. */
export const of = (rubric: Rubric): RuleIndex => {
  const all = rubric.measures.flatMap((measure) => {
    const named = (kind: IndexedRule["kind"], rewards: ReadonlyArray<Reward> = []) =>
      rewards.map((reward): IndexedRule => ({ ...reward, measure: measureName(measure), kind, rule: ruleOf(reward) }))
    return [...named("reward", measure.rewards), ...named("punishment", measure.punishments)]
  })
  const ruled = all.flatMap(
    ({ rule }, index): ReadonlyArray<Ruled> => (Either.isRight(rule) ? [{ index, rule: rule.right }] : []),
  )
  return {
    all,
    mentions: new Set(ruled.flatMap(({ rule }) => [...rule.mentions])),
    parts: partsOf(ruled),
    at: byType(ruled.filter(({ rule }) => rule.mentionsEvent)),
    still: stillOf(ruled.filter(({ rule }) => !rule.mentionsEvent)),
  }
}

const ruleOf = ({ rule }: Reward): IndexedRule["rule"] =>
  rule === undefined
    ? Either.left("it has no rule, and no other critic was asked")
    : Either.mapLeft(Rule.compile(rule), ({ message }) => message)

const partsOf = (ruled: ReadonlyArray<Ruled>): RuleIndex["parts"] => {
  const parts = new Set<string>()
  for (const { rule } of ruled) {
    if (!rule.mentions.has("state")) continue
    if (rule.places === undefined) return undefined
    for (const place of rule.places) {
      if (place.in !== "state") continue
      const [part] = place.path
      if (part === undefined) return undefined
      parts.add(part)
    }
  }
  return parts
}

const byType = (ruled: ReadonlyArray<Ruled>): RuleIndex["at"] => {
  const known = new Map<string, ReadonlyArray<number>>()
  return (type) => {
    const found =
      known.get(type) ??
      ruled.filter(({ rule: { types } }) => types === undefined || types.has(type)).map(({ index }) => index)
    known.set(type, found)
    return found
  }
}

const stillOf = (ruled: ReadonlyArray<Ruled>): StateRules => {
  const paths = new Map<string, { readonly place: PathPlace; readonly criteria: Array<number> }>()
  const counts = new Map<string, Array<number>>()
  const always: Array<number> = []
  for (const { index, rule } of ruled) {
    if (rule.places === undefined || rule.mentions.has("elapsed")) {
      always.push(index)
      continue
    }
    for (const place of rule.places) {
      if (place.in === "counts") counts.set(place.type, [...(counts.get(place.type) ?? []), index])
      else {
        const key = JSON.stringify([place.in, place.path])
        const watched = paths.get(key) ?? { place, criteria: [] }
        watched.criteria.push(index)
        paths.set(key, watched)
      }
    }
  }
  const within = (variable: "state" | "task") => [...paths.values()].filter(({ place }) => place.in === variable)
  return { all: ruled.map(({ index }) => index), state: within("state"), task: within("task"), counts, always }
}
