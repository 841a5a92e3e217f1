/** Checks a manifest's environment beyond the types of its fields. */

import { type Json, valueAt } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"
import type { ManifestIssue } from "./characterChecks.ts"
import { DERIVED } from "./world.ts"

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

/** A module and a name in it, with dots. */
const ENTRY = /^[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*$/u

/** Whether a document is a manifest with an environment written in Python. */
export const isPython = (document: Json): boolean => valueAt(document, ["runtime"]) === "python"

/**
 * Requires of an environment written in Python a module and a class, a version, the spaces of one agent, a process for
 * each task, and no grants but reading: its class gets no context with host requests.
 */
export const pythonIssues = (document: Json): ReadonlyArray<ManifestIssue> => {
  const { entry, python, permissions, peas, instance, precomputed } = asObject(document)
  if (!isPython(document)) {
    if (python === undefined) return []
    return [{ path: "/python", expected: 'a manifest with the runtime "python"', found: "another runtime" }]
  }
  const { spaces, max_agents = 1, rewind } = asObject(valueAt(document, ["peas", "environment"]))
  const measures = valueAt(document, ["peas", "performance"])
  const critics = Array.isArray(measures) ? measures.map((measure) => asObject(measure).critic) : []
  const missing = (path: string, expected: string) => ({ path, expected, found: "none" })
  const NOTHING = "no such field, because the class has an environment and nothing else"
  return [
    ...(typeof entry === "string" && entry !== "" && !ENTRY.test(entry)
      ? [{ path: "/entry", expected: "a module and a class of Python, module:Class", found: JSON.stringify(entry) }]
      : []),
    ...(python === undefined ? [missing("/python", 'the version of Python, such as ">=3.9"')] : []),
    ...(spaces === undefined
      ? [missing("/peas/environment/spaces", "the spaces of the class; `hindcast plugin new --python` writes them")]
      : []),
    ...(max_agents === 1
      ? []
      : [
          {
            path: "/peas/environment/max_agents",
            expected: "1, the agent of gymnasium.Env",
            found: String(max_agents),
          },
        ]),
    ...(Array.isArray(rewind) && rewind.includes("stateless")
      ? [{ path: "/peas/environment/rewind", expected: "snapshot or re-execution", found: "stateless" }]
      : []),
    ...["sensors", "actuators"].flatMap((field) => {
      const parts = asObject(peas)[field]
      // A manifest from the log has those that follow from the spaces.
      const own = (Array.isArray(parts) ? parts : []).filter((part) => !DERIVED.includes(String(asObject(part).name)))
      return own.length > 0 ? [{ path: `/peas/${field}`, expected: NOTHING, found: `${own.length}` }] : []
    }),
    ...critics.flatMap((critic, index) =>
      critic === "plugin"
        ? [
            {
              path: `/peas/performance/${index}/critic`,
              expected: "rules, because the class judges nothing",
              found: '"plugin"',
            },
          ]
        : [],
    ),
    ...(precomputed === undefined ? [] : [{ path: "/precomputed", expected: NOTHING, found: "one" }]),
    ...(instance === "kernel"
      ? [{ path: "/instance", expected: '"task", because an environment holds one episode', found: '"kernel"' }]
      : []),
    ...["run", "write", "net", "env"].flatMap((field) => {
      const asked = asObject(permissions)[field]
      return field !== "env" && Array.isArray(asked) && asked.length > 0
        ? [
            {
              path: `/permissions/${field}`,
              expected: "nothing: Python code makes no requests to the host",
              found: JSON.stringify(asked),
            },
          ]
        : []
    }),
  ]
}
