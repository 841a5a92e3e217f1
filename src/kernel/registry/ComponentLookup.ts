/** Finds plugins and components in the registry, and decodes recorded manifests. */

import { Data, Effect, Either } from "effect"
import * as Manifest from "../../plugins/manifest/Manifest.ts"
import type { Plugin, PluginRegistry } from "../../projections/state/PluginRegistry.ts"
import * as DidYouMean from "../../values/DidYouMean.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"

/** The registry has no plugin or component of this name. */
export class NotInRegistry extends Data.TaggedError("NotInRegistry")<{
  readonly name: string
  /** Plugins, or the components of the named plugin. */
  readonly known: ReadonlyArray<string>
}> {
  override get message() {
    const known = this.known.length === 0 ? "nothing is imported yet" : `expected one of ${this.known.join(", ")}`
    return `The registry has no "${this.name}": ${known}.${DidYouMean.question(this.name, this.known)}`
  }
}

/** Tells a component's name (`plugin/component`) from a plugin's. */
export const isComponent = (target: string): boolean => target.includes("/")

export const pluginOf = (target: string): string => target.split("/")[0] ?? target

export const notAComponent = (registry: PluginRegistry, name: string) =>
  new NotInRegistry({ name, known: componentsIn(registry) })

const componentsIn = (registry: PluginRegistry): ReadonlyArray<string> =>
  Object.entries(registry).flatMap(([name, { components }]) =>
    Object.keys(components).map((component) => `${name}/${component}`),
  )

/** Finds a plugin by its own or a component's name. Fails with the known names. */
export const find = (registry: PluginRegistry, target: string) => {
  const name = pluginOf(target)
  const plugin = SafeRecord.get(registry, name)
  if (plugin === undefined) return Effect.fail(new NotInRegistry({ name: target, known: Object.keys(registry) }))
  const known = Object.keys(plugin.components).map((component) => `${name}/${component}`)
  return isComponent(target) && !known.includes(target)
    ? Effect.fail(new NotInRegistry({ name: target, known }))
    : Effect.succeed(plugin)
}

const decoded = new WeakMap<JsonObject, Manifest.Manifest>()

/**
 * An event imports a plugin with an invalid manifest. Hindcast appends no such event, so another program wrote the log.
 * Thrown as a defect.
 */
export class ManifestUnreadable extends Data.TaggedError("ManifestUnreadable")<{
  readonly at: number
  readonly reason: string
}> {
  override get message() {
    return (
      `@${this.at} imports a plugin whose manifest cannot be read: ${this.reason}\n` +
      "Hindcast records no such import, so another program wrote this log. None of its plugins is started: use a log from a source that you trust."
    )
  }
}

/** Decodes an imported manifest, once per object. Throws `ManifestUnreadable`. */
export const manifestOf = ({ manifest, importedAt }: Pick<Plugin, "manifest" | "importedAt">): Manifest.Manifest => {
  const known = decoded.get(manifest)
  if (known !== undefined) return known
  // The import validated it, unless another program wrote the log.
  const { manifest: valid } = Either.getOrThrowWith(
    Manifest.decode(manifest, { lenient: true, accepted: true }),
    ({ message }) => new ManifestUnreadable({ at: importedAt, reason: message }),
  )
  decoded.set(manifest, valid)
  return valid
}
