/** The plugins and measures of a recorded task, as at its opening. */

import { manifestOf } from "../registry/Registry.ts"
import { measureName, ofManifests } from "../rules/Rubric.ts"
import type { Participants } from "../tasks/Environments.ts"
import type { Recording } from "./Recording.ts"

/** The participants of a task that continues, with the plugin versions of its opening. */
export const participantsOf = ({ opened, plugins, registryAt }: Recording): Participants => {
  const registry = registryAt(opened.position)
  const all = ofManifests(Object.values(registry).map(manifestOf))
  const measures = all.measures.filter((measure) => opened.payload.measures.includes(measureName(measure)))
  return { plugins, registry, rubric: { ...all, measures }, takesPart: (plugin) => plugins.includes(plugin) }
}
