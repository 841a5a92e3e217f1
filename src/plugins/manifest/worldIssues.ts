/** Checks a manifest's environment beyond the types of its fields. */

import { type Json, valueAt } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"
import type { ManifestIssue } from "./characterChecks.ts"

/**
 * Requires unique reward names, valid names of actions, spaces wherever there is a mask, and a scenario or a
 * configuration, not both.
 */
export const worldIssues = (document: Json): ReadonlyArray<ManifestIssue> => {
  const { rewards, mask, spaces, scenario, configuration } = asObject(valueAt(document, ENVIRONMENT))
  const issue = (field: string, expected: string, found: string): ManifestIssue => ({
    path: `/peas/environment/${field}`,
    expected,
    found,
  })
  const names = Array.isArray(rewards) ? rewards : []
  const again = names.flatMap((name, index) => (names.indexOf(name) < index ? [{ name, index }] : []))
  return [
    ...actionIssues(document),
    ...again.map(({ name, index }) =>
      issue(`rewards/${index}`, "a unique name for each reward", `${JSON.stringify(name)} again`),
    ),
    ...(mask !== undefined && spaces === undefined
      ? [issue("mask", "spaces, because a mask marks legal actions", "none")]
      : []),
    ...(scenario !== undefined && configuration !== undefined
      ? [issue("configuration", "a scenario or a configuration", "both")]
      : []),
  ]
}

const ENVIRONMENT = ["peas", "environment"]

/** Requires one name per action of a Discrete space, and unique names and keys. */
const actionIssues = (document: Json): ReadonlyArray<ManifestIssue> => {
  const named = valueAt(document, [...ENVIRONMENT, "actions"])
  if (!Array.isArray(named)) return []
  const issue = (index: number | undefined, expected: string, found: string): ManifestIssue => ({
    path: `/${[...ENVIRONMENT, "actions", ...(index === undefined ? [] : [index])].join("/")}`,
    expected,
    found,
  })
  const { type, n } = asObject(valueAt(document, [...ENVIRONMENT, "spaces", "action"]))
  const fits = type === "Discrete" && n === named.length
  const expected =
    type === "Discrete" ? `a name for each of the ${n} actions` : "names only for a Discrete action space"
  const names = named.map((one) => (typeof one === "string" ? one : asObject(one).name))
  const keys = named.map((one) => asObject(one).key)
  return [
    ...(fits ? [] : [issue(undefined, expected, `${named.length}`)]),
    ...repeated(names).map((index) => issue(index, "a unique name for each action", `${names[index]} again`)),
    ...repeated(keys).map((index) => issue(index, "a unique key for each action", `${keys[index]} again`)),
  ]
}

/** The indices of values that occur earlier in the list. */
const repeated = (values: ReadonlyArray<Json | undefined>): ReadonlyArray<number> =>
  values.flatMap((value, index) => (value !== undefined && values.indexOf(value) < index ? [index] : []))
