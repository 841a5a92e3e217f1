/** Tells whether a score set would come out differently today. */

import * as AuditRubric from "../../projections/audit/Rubric.ts"
import type { PluginRegistry } from "../../projections/state/PluginRegistry.ts"
import type { ScoreSet, ScoreSets } from "../../projections/state/ScoreSets.ts"
import { digest } from "../../values/Digest.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as RuleCritic from "../critics/rules/RuleCritic.ts"
import { manifestOf } from "../registry/ComponentLookup.ts"
import * as Rubric from "../rules/Rubric.ts"

/**
 * Its critic or its plugins' measures have changed. Changes of a rubric file go unnoticed, since the log does not have
 * them.
 */
export const reasons = (
  set: Pick<ScoreSet, "critic" | "criticDigest" | "rubricDigest">,
  rubrics: ScoreSets["rubrics"],
  registry: PluginRegistry,
): ReadonlyArray<string> => [
  ...staleCritic(set),
  ...staleMeasures(SafeRecord.get(rubrics, set.rubricDigest) ?? {}, registry),
]

/** Compares only the rule critics. */
const staleCritic = ({ critic, criticDigest }: Pick<ScoreSet, "critic" | "criticDigest">): ReadonlyArray<string> => {
  const today = RULE_CRITICS.find(({ name }) => name.split("@")[0] === critic.split("@")[0])
  if (today === undefined || critic.includes("+") || criticDigest === today.digest) return []
  return [`it was scored by the critic ${critic}; today's is ${today.name}`]
}

const RULE_CRITICS = [RuleCritic.EXACT, RuleCritic.TIMED]

/** Checks only a rubric of the plugins' own measures. */
const staleMeasures = (rubric: ScoreSets["rubrics"][string], registry: PluginRegistry): ReadonlyArray<string> => {
  if (rubric.name !== Rubric.OF_PLUGINS) return []
  const listed = Array.isArray(rubric.measures) ? rubric.measures : []
  const plugins = [...new Set(AuditRubric.measuresOf(rubric).flatMap(({ plugin }) => plugin ?? []))]
  return plugins.flatMap((plugin) => {
    const now = SafeRecord.get(registry, plugin)
    if (now === undefined) return [`${plugin} is no longer imported`]
    const then = listed.filter((measure) => isOf(measure, plugin))
    const today = Rubric.asJson(Rubric.ofManifests([manifestOf(now)])).measures ?? []
    return digest(then) === digest(today) ? [] : [`the measures of ${plugin} have changed; it is ${now.version} today`]
  })
}

const isOf = (measure: unknown, plugin: string): boolean =>
  typeof measure === "object" && measure !== null && "plugin" in measure && measure.plugin === plugin
