/** Checks the plugin names in a rubric. */

import { Effect } from "effect"
import * as AuditRubric from "../../projections/audit/Rubric.ts"
import type { PluginRegistry } from "../../projections/state/PluginRegistry.ts"
import type { ScoreSets } from "../../projections/state/ScoreSets.ts"
import { manifestOf } from "../registry/ComponentLookup.ts"
import { type Rubric, RubricInvalid } from "../rules/Rubric.ts"

/**
 * Fails if a measure names an unknown plugin or measure. The registry's measures are known, and those that have scored
 * tasks of this log.
 */
export const check = (
  rubric: Rubric,
  registry: PluginRegistry,
  sets: ScoreSets,
): Effect.Effect<void, RubricInvalid> => {
  const known = measuresByPlugin(registry, sets)
  const issues = rubric.measures.flatMap(({ plugin, name }, index) => {
    if (plugin === undefined) return []
    const names = known.get(plugin)
    if (names?.has(name) === true) return []
    const expected =
      names === undefined
        ? `a plugin of this log (${listed([...known.keys()])})`
        : `a measure of the plugin ${plugin} (${listed([...names])})`
    const found = names === undefined ? `plugin "${plugin}"` : `"${name}"`
    return [`measures[${index}]: expected ${expected}, found ${found}; leave \`plugin\` out for a measure of your own`]
  })
  return issues.length === 0 ? Effect.void : new RubricInvalid({ source: `"${rubric.name}"`, issues })
}

const MAX_LISTED = 10

const listed = (names: ReadonlyArray<string>): string => {
  const more = names.length - MAX_LISTED
  if (names.length === 0) return "there is none"
  return `${names.slice(0, MAX_LISTED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

const measuresByPlugin = (
  registry: PluginRegistry,
  { rubrics }: ScoreSets,
): ReadonlyMap<string, ReadonlySet<string>> => {
  const known = new Map<string, Set<string>>()
  const add = (plugin: string, name: string) => known.set(plugin, (known.get(plugin) ?? new Set()).add(name))
  for (const [plugin, found] of Object.entries(registry)) {
    for (const { name } of manifestOf(found).peas.performance) add(plugin, name)
  }
  for (const rubric of Object.values(rubrics)) {
    for (const { plugin, name } of AuditRubric.measuresOf(rubric)) if (plugin !== null) add(plugin, name)
  }
  return known
}
