/** Checks a manifest's environment beyond the types of its fields. */

import { type Json, valueAt } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"
import type { ManifestIssue } from "./characterChecks.ts"

/** Requires unique reward names, spaces wherever there is a mask, and a scenario or a configuration, not both. */
export const worldIssues = (document: Json): ReadonlyArray<ManifestIssue> => {
  const { rewards, mask, spaces, scenario, configuration } = asObject(valueAt(document, ["peas", "environment"]))
  const issue = (field: string, expected: string, found: string): ManifestIssue => ({
    path: `/peas/environment/${field}`,
    expected,
    found,
  })
  const names = Array.isArray(rewards) ? rewards : []
  const again = names.flatMap((name, index) => (names.indexOf(name) < index ? [{ name, index }] : []))
  return [
    ...again.map(({ name, index }) =>
      issue(`rewards/${index}`, "each reward to have a name of its own", `${JSON.stringify(name)} again`),
    ),
    ...(mask !== undefined && spaces === undefined
      ? [issue("mask", "spaces, of whose actions a mask says which are legal", "none")]
      : []),
    ...(scenario !== undefined && configuration !== undefined
      ? [issue("configuration", "a scenario or a configuration as what a reset is given", "both")]
      : []),
  ]
}
