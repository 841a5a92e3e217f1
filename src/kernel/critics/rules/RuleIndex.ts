/** Compiles the rules of a rubric, and indexes them by the paths that they read. */

import { Either } from "effect"
import type { Reward } from "../../../plugins/manifest/Manifest.ts"
import type { Read } from "../../../projections/patch/PathPattern.ts"
import { measureName, type Rubric } from "../../rules/Rubric.ts"
import * as Rule from "../../rules/Rule.ts"
import type { RuleDependencies, VariablePath } from "../../rules/RuleDependencies.ts"

export interface IndexedRule extends Pick<Reward, "name" | "weight" | "per"> {
  readonly measure: string
  readonly kind: "reward" | "punishment"
  readonly rule: Either.Either<Rule.Rule, string>
}

export interface RuleIndex {
  readonly all: ReadonlyArray<IndexedRule>
  readonly mentions: RuleDependencies["mentions"]
  /** The parts of the state that the rules read: `readings`, `environment` …; undefined if it may be any part. */
  readonly parts: ReadonlySet<string> | undefined
  readonly reads: ReadonlyArray<Read>
  /** Rules about events that may hold at an event of this type. */
  readonly at: (type: string) => ReadonlyArray<number>
  /** Rules that read neither `event` nor `command`, re-evaluated when one of their paths changes. */
  readonly stateRules: StateRules
}

export interface StateRules {
  readonly all: ReadonlyArray<number>
  readonly state: ReadonlyArray<Watched>
  readonly task: ReadonlyArray<Watched>
  /** By the event type that they count. */
  readonly counts: ReadonlyMap<string, ReadonlyArray<number>>
  /** Rules evaluated at every event: those that read `elapsed`, or paths that cannot be determined. */
  readonly always: ReadonlyArray<number>
}

interface Watched {
  readonly readPath: VariablePath
  readonly rules: ReadonlyArray<number>
}

interface CompiledRule {
  readonly index: number
  readonly rule: Rule.Rule
}

export const of = (rubric: Rubric): RuleIndex => {
  const all = rubric.measures.flatMap((measure) => {
    const named = (kind: IndexedRule["kind"], rewards: ReadonlyArray<Reward> = []) =>
      rewards.map((reward): IndexedRule => ({ ...reward, measure: measureName(measure), kind, rule: ruleOf(reward) }))
    return [...named("reward", measure.rewards), ...named("punishment", measure.punishments)]
  })
  const compiled = all.flatMap(
    ({ rule }, index): ReadonlyArray<CompiledRule> => (Either.isRight(rule) ? [{ index, rule: rule.right }] : []),
  )
  return {
    all,
    mentions: new Set(compiled.flatMap(({ rule }) => [...rule.mentions])),
    parts: partsOf(compiled),
    reads: [...new Map(compiled.flatMap(({ rule }) => rule.reads.map((read) => [read.text, read] as const))).values()],
    at: byType(compiled.filter(({ rule }) => rule.mentionsEvent)),
    stateRules: stateRulesOf(compiled.filter(({ rule }) => !rule.mentionsEvent)),
  }
}

const ruleOf = ({ rule }: Reward): IndexedRule["rule"] =>
  rule === undefined
    ? Either.left("it has no rule, and no other critic was asked")
    : Either.mapLeft(Rule.compile(rule), ({ message }) => message)

const partsOf = (compiled: ReadonlyArray<CompiledRule>): RuleIndex["parts"] => {
  const parts = new Set<string>()
  for (const { rule } of compiled) {
    if (!rule.mentions.has("state")) continue
    if (rule.readPaths === undefined) return undefined
    for (const readPath of rule.readPaths) {
      if (readPath.in !== "state") continue
      const [part] = readPath.path
      if (part === undefined) return undefined
      parts.add(part)
    }
  }
  return parts
}

const byType = (compiled: ReadonlyArray<CompiledRule>): RuleIndex["at"] => {
  const known = new Map<string, ReadonlyArray<number>>()
  return (type) => {
    const found =
      known.get(type) ??
      compiled.filter(({ rule: { types } }) => types === undefined || types.has(type)).map(({ index }) => index)
    known.set(type, found)
    return found
  }
}

const stateRulesOf = (compiled: ReadonlyArray<CompiledRule>): StateRules => {
  const paths = new Map<string, { readonly readPath: VariablePath; readonly rules: Array<number> }>()
  const counts = new Map<string, Array<number>>()
  const always: Array<number> = []
  for (const { index, rule } of compiled) {
    if (rule.readPaths === undefined || rule.mentions.has("elapsed")) {
      always.push(index)
      continue
    }
    for (const readPath of rule.readPaths) {
      if (readPath.in === "counts") counts.set(readPath.type, [...(counts.get(readPath.type) ?? []), index])
      else {
        const key = JSON.stringify([readPath.in, readPath.path])
        const watched = paths.get(key) ?? { readPath, rules: [] }
        watched.rules.push(index)
        paths.set(key, watched)
      }
    }
  }
  const within = (variable: "state" | "task") => [...paths.values()].filter(({ readPath }) => readPath.in === variable)
  return { all: compiled.map(({ index }) => index), state: within("state"), task: within("task"), counts, always }
}
