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
  /** The types of events of steps on which the rules depend; undefined for all. */
  readonly stepTypes: ReadonlyArray<string> | undefined
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
  const mentions = new Set(compiled.flatMap(({ rule }) => [...rule.mentions]))
  const parts = partsOf(compiled)
  return {
    all,
    mentions,
    parts,
    stepTypes: stepTypesOf(all, compiled, mentions, parts),
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

/** Other events of steps change nothing that the rules read. */
const stepTypesOf = (
  all: RuleIndex["all"],
  compiled: ReadonlyArray<CompiledRule>,
  mentions: RuleIndex["mentions"],
  parts: RuleIndex["parts"],
): RuleIndex["stepTypes"] => {
  if (parts === undefined || ANY_EVENT.some((variable) => mentions.has(variable))) return undefined
  const types = new Set<string>()
  for (const { rule } of compiled) {
    if (!rule.mentionsEvent) {
      if (rule.readPaths === undefined) return undefined
      continue
    }
    if (rule.types === undefined) return undefined
    for (const type of rule.types) types.add(type)
  }
  const countsSteps = all.some(({ per }) => per === "step")
  if (countsSteps || mentions.has("command") || mentions.has("commands")) types.add("ActuatorCommanded")
  if (mentions.has("commands")) for (const type of ["CommandSucceeded", "CommandFailed"]) types.add(type)
  if (mentions.has("state")) {
    for (const [type, changed] of Object.entries(STATE_PARTS))
      if (changed.some((part) => parts.has(part))) types.add(type)
  }
  return [...types]
}

/** Variables that any event may change. */
const ANY_EVENT = ["counts", "elapsed", "task"] as const

/** The parts of the state that each event type changes. An unlisted type may change any. */
export const STATE_PARTS: { readonly [type: string]: ReadonlyArray<string> } = {
  SensorRead: ["readings", "agents"],
  EnvironmentReset: ["environment", "outOfStep", "agents"],
  EnvironmentChanged: ["environment", "outOfStep"],
  ActuatorCommanded: ["pending"],
  CommandAllowed: ["pending"],
  ConfirmationRequested: ["pending"],
  CommandDispatched: ["pending"],
  CommandDenied: ["pending"],
  CommandSucceeded: ["pending"],
  CommandFailed: ["pending"],
  CommandOutcomeUnknown: ["pending"],
  AgentJoined: ["agents"],
  AgentSuspended: ["agents"],
  AgentContinued: ["agents"],
  AgentLeft: ["agents"],
  AgentStateChanged: ["agents"],
  RewardGiven: ["agents"],
  PunishmentGiven: ["agents"],
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
