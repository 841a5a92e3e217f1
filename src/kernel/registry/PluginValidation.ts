/** Validates a plugin's directory and reports all problems at once. */

import * as path from "node:path"
import { Effect, Either, Option, Schema } from "effect"
import * as Grants from "../../plugins/manifest/Grants.ts"
import * as Manifest from "../../plugins/manifest/Manifest.ts"
import type { PluginUnavailable } from "../../plugins/PluginError.ts"
import { type Json, JsonObject, pointerToken, valueAt } from "../../values/Json.ts"
import * as Rule from "../rules/Rule.ts"
import * as DefaultOptions from "./DefaultOptions.ts"
import type { CheckedPlugin, Registry } from "./Registry.ts"
import type { ImportOptions } from "./RegistryOptions.ts"

/** All problems with their places, or the plugin as an import would see it. */
export interface PluginReport {
  /** The absolute path of the manifest. */
  readonly file: string
  readonly problems: ReadonlyArray<Manifest.ManifestIssue>
  /** Defined if there are no problems. */
  readonly plugin: CheckedPlugin | undefined
}

type RegistryCheckError = Effect.Effect.Error<ReturnType<Registry.Service["check"]>>

/**
 * Checks a directory without importing or running it. An import stops at the first problem; this reports all of them.
 */
export const validatePlugin = (
  registry: Registry.Service,
  directory: string,
  { workspace, ...options }: ImportOptions & { readonly workspace: string },
): Effect.Effect<PluginReport, PluginUnavailable | RegistryCheckError> =>
  Effect.gen(function* () {
    const inspected = yield* Manifest.inspect(directory, { lenient: options.lenient ?? false })
    const { file, document, plugin, issues, placeOf } = inspected
    const asking = inspected.manifest ?? permissionsOnly(document)
    const more = [
      ...(document === undefined ? [] : ruleProblems(document)),
      ...(yield* optionProblems(path.dirname(file), document, issues)),
    ]
    if (plugin !== undefined && more.length === 0) {
      const checked = yield* Effect.either(registry.check(directory, options))
      if (Either.isRight(checked)) return { file, problems: [], plugin: checked.right }
      if (checked.left._tag !== "GrantRefused") return yield* checked.left
      return { file, problems: placed(checked.left.refusals.map(grantMissing(asking)), placeOf), plugin: undefined }
    }
    const granting = { directory: path.dirname(file), workspace, extra: options.grants ?? {} }
    const granted = asking === undefined ? undefined : Grants.resolve(asking, granting)
    const refusals = granted !== undefined && Either.isLeft(granted) ? granted.left.refusals : []
    const problems = [...issues, ...more, ...refusals.map(grantMissing(asking))]
    return { file, problems: placed(problems, placeOf), plugin: undefined }
  })

/** Keeps only the requested permissions, if they decode. */
const permissionsOnly = (document: Json | undefined): Manifest.Manifest | undefined => {
  const permissions = document === undefined ? undefined : valueAt(document, ["permissions"])
  const asked = Schema.decodeUnknownOption(Manifest.Permissions)(permissions)
  if (Option.isNone(asked)) return undefined
  const nothing = { name: "", description: "", version: "", entry: "", peas: { performance: [] } }
  return { ...nothing, permissions: asked.value }
}

const placed = (problems: ReadonlyArray<Manifest.ManifestIssue>, placeOf: Manifest.Inspected["placeOf"]) =>
  problems
    .map((problem) => ({ ...problem, place: problem.place ?? placeOf(problem.path) }))
    .sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)

/** Finds rules that do not compile, even in documents with other problems. */
const ruleProblems = (document: Json): ReadonlyArray<Manifest.ManifestIssue> =>
  indices(document, ["peas", "performance"]).flatMap((measure) =>
    ["rewards", "punishments"]
      .flatMap((list) => indices(document, [...measure, list]))
      .flatMap((reward) => {
        const rule = valueAt(document, [...reward, "rule"])
        const compiled = typeof rule === "string" ? Rule.compile(rule) : undefined
        if (compiled === undefined || Either.isRight(compiled)) return []
        const pointer = [...reward, "rule"].map((key) => `/${pointerToken(key)}`).join("")
        return [{ path: pointer, expected: "a CEL expression that is true or false", found: compiled.left.message }]
      }),
  )

const indices = (document: Json, keys: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const list = valueAt(document, keys)
  return Array.isArray(list) ? list.map((_, index) => [...keys, String(index)]) : []
}

/** Other checks report files that are missing or outside the plugin. */
const optionProblems = (
  directory: string,
  document: Json | undefined,
  known: ReadonlyArray<Manifest.ManifestIssue>,
): Effect.Effect<ReadonlyArray<Manifest.ManifestIssue>> =>
  Effect.map(
    Effect.forEach(["scenario", "configuration"] as const, (field) => {
      const name = document === undefined ? undefined : valueAt(document, ["peas", "environment", field])
      const pointer = `/peas/environment/${field}`
      const isRefused = known.some(({ path }) => path === pointer || path === "")
      if (typeof name !== "string" || isRefused) return Effect.succeed([])
      const schema = valueAt(document ?? null, ["peas", "environment", "options"])
      const options = known.length === 0 && Schema.is(JsonObject)(schema) ? { options: schema } : {}
      return Effect.match(DefaultOptions.read(directory, { [field]: name, ...options }), {
        onSuccess: () => [],
        onFailure: ({ reason }) => [
          { path: pointer, expected: `a readable ${field}`, found: reason.split("\n")[0] ?? reason },
        ],
      })
    }),
    (problems) => problems.flat(),
  )

const grantMissing =
  (manifest: Manifest.Manifest | undefined) =>
  ({ field, asked, reason, flag }: Grants.Refusal): Manifest.ManifestIssue => {
    const [, permission = ""] = field.split(".")
    const list: ReadonlyArray<string> =
      manifest === undefined ? [] : (Grants.requested(manifest)[permission as keyof Grants.RequestedPermissions] ?? [])
    const index = list.indexOf(asked)
    return {
      path: `/permissions/${permission}${index < 0 ? "" : `/${index}`}`,
      expected: flag === undefined ? "something that can be granted" : `a grant (${flag})`,
      found: `${JSON.stringify(asked)}: ${reason}`,
    }
  }
