/** Checks the names that a manifest gives to its world's actions. */

import { type Json, valueAt } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"
import type { ManifestIssue } from "./characterChecks.ts"

/** Requires one name per action of a Discrete space, and unique names and keys. */
export const actionIssues = (document: Json): ReadonlyArray<ManifestIssue> => {
  const named = valueAt(document, [...ENVIRONMENT, "actions"])
  if (!Array.isArray(named)) return []
  const issue = (index: number | undefined, expected: string, found: string): ManifestIssue => ({
    path: `/${[...ENVIRONMENT, "actions", ...(index === undefined ? [] : [index])].join("/")}`,
    expected,
    found,
  })
  const { type, n } = asObject(valueAt(document, [...ENVIRONMENT, "spaces", "action"]))
  const fits = type === "Discrete" && n === named.length
  const expected = type === "Discrete" ? `a name for each of the ${n} actions` : "names only where actions are Discrete"
  const names = named.map((one) => (typeof one === "string" ? one : asObject(one).name))
  const keys = named.map((one) => asObject(one).key)
  return [
    ...(fits ? [] : [issue(undefined, expected, `${named.length}`)]),
    ...repeated(names).map((index) => issue(index, "each action to have a name of its own", `${names[index]} again`)),
    ...repeated(keys).map((index) => issue(index, "each action to have a key of its own", `${keys[index]} again`)),
  ]
}

const ENVIRONMENT = ["peas", "environment"]

/** The indices of values that occur earlier in the list. */
const repeated = (values: ReadonlyArray<Json | undefined>): ReadonlyArray<number> =>
  values.flatMap((value, index) => (value !== undefined && values.indexOf(value) < index ? [index] : []))
