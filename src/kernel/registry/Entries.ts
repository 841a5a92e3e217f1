import { Data, Effect, Either } from "effect"
import type { JsonObject } from "../../events/Json.ts"
import * as Manifest from "../../plugins/Manifest.ts"
import * as Keyed from "../../projections/Keyed.ts"
import type { Plugin, PluginRegistry } from "../../projections/PluginRegistry.ts"

/** There is no plugin or component of this name. */
export class NotInRegistry extends Data.TaggedError("NotInRegistry")<{
  readonly name: string
  /** What there is: plugins, or the components of the plugin that was named. */
  readonly known: ReadonlyArray<string>
}> {
  override get message() {
    const known = this.known.length === 0 ? "nothing is imported yet" : `expected one of ${this.known.join(", ")}`
    return `The registry has no "${this.name}": ${known}.`
  }
}

/** Whether a name is a component's (`plugin/component`) and not a plugin's. */
export const isComponent = (target: string): boolean => target.includes("/")

/** The plugin that a name speaks of. */
export const pluginOf = (target: string): string => target.split("/")[0] ?? target

/** What a name would have to be: a component. */
export const notAComponent = (registry: PluginRegistry, name: string) =>
  new NotInRegistry({ name, known: componentsIn(registry) })

const componentsIn = (registry: PluginRegistry): ReadonlyArray<string> =>
  Object.entries(registry).flatMap(([name, { components }]) =>
    Object.keys(components).map((component) => `${name}/${component}`),
  )

/** The plugin that a name speaks of, where the plugin and the component exist; or what there is, as near as can be. */
export const find = (registry: PluginRegistry, target: string) => {
  const name = pluginOf(target)
  const plugin = Keyed.get(registry, name)
  if (plugin === undefined) return Effect.fail(new NotInRegistry({ name: target, known: Object.keys(registry) }))
  const known = Object.keys(plugin.components).map((component) => `${name}/${component}`)
  return isComponent(target) && !known.includes(target)
    ? Effect.fail(new NotInRegistry({ name: target, known }))
    : Effect.succeed(plugin)
}

const decoded = new WeakMap<JsonObject, Manifest.Manifest>()

/** The manifest of an imported plugin. It is decoded once: folds share what does not change. */
export const manifestOf = ({ manifest }: Pick<Plugin, "manifest">): Manifest.Manifest => {
  const known = decoded.get(manifest)
  if (known !== undefined) return known
  // It was decoded when it was imported; a log that says otherwise is damaged, and this throws.
  const { manifest: made } = Either.getOrThrow(Manifest.decode(manifest, { lenient: true, accepted: true }))
  decoded.set(manifest, made)
  return made
}
