/** The plugins and measures of a recorded task, as when it was opened. */

import { manifestOf } from "../registry/Registry.ts"
import { measureName, ofManifests } from "../rules/Rubric.ts"
import type { Participants } from "../tasks/Environments.ts"
import type { Recording } from "./Recording.ts"

/** Who takes part in a task that goes on: the plugins, in the versions that it was opened with, and its measures. */
export const participantsOf = ({ opened, plugins, registryAt }: Recording): Participants => {
  const registry = registryAt(opened.position)
  const all = ofManifests(Object.values(registry).map(manifestOf))
  const measures = all.measures.filter((measure) => opened.payload.measures.includes(measureName(measure)))
  return { plugins, registry, rubric: { ...all, measures }, takesPart: (plugin) => plugins.includes(plugin) }
}
