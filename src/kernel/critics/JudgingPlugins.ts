/** Finds the plugins that can judge a rubric's measures, each in one version. */

import { Data, Effect } from "effect"
import { judgedOf, type Manifest } from "../../plugins/manifest/Manifest.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { manifestOf, type Registry } from "../registry/Registry.ts"
import type { Rubric } from "../rules/Rubric.ts"
import type { CriticRequest } from "./CriticOptions.ts"

/** This version cannot judge. Name another one, or none. */
export class VersionUnknown extends Data.TaggedError("VersionUnknown")<{
  readonly plugin: string
  readonly version: string
  readonly reason: string
}> {
  override get message() {
    return `No version "${this.version}" of ${this.plugin} can judge: ${this.reason}.`
  }
}

/** The part of the registry that knows plugin versions. */
export type PluginVersions = Pick<Registry.Service, "state" | "versions" | "installed">

/** A plugin of the rubric in its judging version. Without a version, it is not in the registry. */
export interface JudgingPlugin {
  readonly version?: Plugin
  readonly manifest?: Manifest
}

export const of = (registry: PluginVersions, rubric: Rubric, versions: NonNullable<CriticRequest["versions"]>) =>
  Effect.gen(function* () {
    const current = yield* registry.state
    const names = new Set(rubric.measures.flatMap(({ plugin }) => plugin ?? []))
    const plugins = new Map<string, JudgingPlugin>()
    for (const name of names) {
      const installed = SafeRecord.get(current, name)
      const wanted = SafeRecord.get(versions, name)
      if (installed === undefined) plugins.set(name, {})
      else if (wanted === undefined) plugins.set(name, { version: installed, manifest: manifestOf(installed) })
      else plugins.set(name, yield* inVersion(registry, name, installed, wanted))
    }
    for (const [plugin, version] of Object.entries(versions)) {
      const reason = names.has(plugin) ? "it is not in the registry" : "the rubric has no measure of it"
      if (plugins.get(plugin)?.version === undefined) return yield* new VersionUnknown({ plugin, version, reason })
    }
    return plugins
  })

/** The last imported version with this name, or whose digest starts with it. */
const inVersion = (registry: PluginVersions, plugin: string, installed: Plugin, wanted: string) =>
  Effect.gen(function* () {
    const versions = yield* registry.versions(plugin)
    const found = versions.findLast(
      ({ version, digest }) => version === wanted || (wanted.length >= MIN_DIGEST_PREFIX && digest.startsWith(wanted)),
    )
    if (found === undefined) {
      const known = versions.map(({ version, digest }) => `${version} (${digest.slice(0, MIN_DIGEST_PREFIX)})`)
      return yield* new VersionUnknown({ plugin, version: wanted, reason: `expected one of ${known.join(", ")}` })
    }
    const { version, digest, source } = found
    const then = { ...installed, version, digest, source }
    return yield* registry.installed(plugin, then).pipe(
      Effect.map(({ manifest }): JudgingPlugin => ({ version: then, manifest })),
      Effect.catchTags({
        PluginUnavailable: () => Effect.succeed<JudgingPlugin>({ version: then }),
        CopyChanged: () => Effect.succeed<JudgingPlugin>({ version: then }),
      }),
      Effect.catchTag("NotInRegistry", Effect.die),
    )
  })

const MIN_DIGEST_PREFIX = 8

export const lackOf = (plugins: ReadonlyMap<string, JudgingPlugin>, plugin: string | undefined, measure: string) => {
  if (plugin === undefined) return "its measure is of no plugin"
  const { version, manifest } = plugins.get(plugin) ?? {}
  if (version === undefined) return `${plugin} is not in the registry`
  // Whether its copy is usable shows when judging starts. A broken copy does not hand the reward to another critic.
  if (manifest === undefined || judgedOf(manifest).some(({ name }) => name === measure)) return undefined
  return `${plugin} ${version.version} has no function for it`
}
