/** The commands `hindcast plugin ls`, `list` and `show`: the registry now or at a past position. */
import { Command } from "@effect/cli"
import { Data, Effect, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import { manifestOf, NotInRegistry, Registry } from "../../kernel/registry/Registry.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as PluginRegistry from "../../projections/state/PluginRegistry.ts"
import type { PluginVersion } from "../../projections/state/PluginVersions.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { argument, common, optionalText } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as PluginPage from "../pages/plugins/PluginPage.ts"

const at = optionalText("at", "The moment: a position (@412), an event's id, or a time with its zone. Default: now")

const registryAt = (at: Option.Option<string>) =>
  Effect.gen(function* () {
    const position = Option.isNone(at) ? (yield* (yield* EventLog).head).position : yield* Moment.resolve(at.value)
    return { position, registry: yield* (yield* Projector).stateAt(PluginRegistry.projection, position) }
  })

/** A plugin's status. An inactive plugin comes with the permissions that it lacks. */
const statusOf = (name: string, plugin: PluginRegistry.Plugin) =>
  Effect.gen(function* () {
    const missing = plugin.active ? [] : yield* (yield* Registry).missing(name, plugin)
    return { name, plugin, missing }
  })

const listing = (word: "ls" | "list") =>
  Command.make(word, { ...common, at }, ({ log, json, at }) =>
    Effect.gen(function* () {
      const { position, registry } = yield* registryAt(at)
      const plugins = yield* Effect.forEach(Object.entries(registry), ([name, plugin]) => statusOf(name, plugin))
      const document = plugins.map(PluginPage.listed)
      yield* Output.show(json, { at: position, plugins: document }, (style) =>
        PluginPage.list(style, plugins, Option.isNone(at)),
      )
    }).pipe(Effect.provide(OpenLog.forReading(log))),
  ).pipe(Command.withDescription("List plugins and their components, active or not, by priority, now or at a moment"))

export const ls = listing("ls")

export const list = listing("list")

export class VersionNotFound extends Data.TaggedError("VersionNotFound")<{
  readonly plugin: string
  readonly version: string
  readonly known: ReadonlyArray<PluginVersion>
}> {
  override get message() {
    const known = this.known.map(({ version, digest }) => `${version} (${digest.slice(0, 12)})`).join(", ")
    return `Plugin ${this.plugin} has no version "${this.version}" in this log: expected one of ${known}, or the beginning of a digest.`
  }
}

const named = argument(
  "plugin",
  "The plugin's name, or NAME@VERSION: a version of its history, or the beginning of its digest",
)

export const show = Command.make("show", { ...common, named, at }, ({ log, json, named, at }) =>
  Effect.gen(function* () {
    const separator = named.indexOf("@")
    const name = separator < 0 ? named : named.slice(0, separator)
    const { position, registry } = yield* registryAt(at)
    const versions = yield* (yield* Registry).versions(name, position)
    const plugin =
      separator < 0 || versions.length === 0
        ? SafeRecord.get(registry, name)
        : yield* ofVersion(name, yield* versionOf(name, versions, named.slice(separator + 1)))
    if (plugin === undefined) return yield* new NotInRegistry({ name, known: Object.keys(registry) })
    const status = yield* statusOf(name, plugin)
    yield* Output.show(json, { name, at: position, ...plugin, missing: status.missing, versions }, (style) =>
      PluginPage.show(style, { ...status, manifest: manifestOf(plugin), versions }),
    )
  }).pipe(Effect.provide(OpenLog.forReading(log))),
).pipe(Command.withDescription("Show one plugin: its declarations, grants, settings and versions"))

/** The latest version with this name, or with a digest that begins with it. */
const versionOf = (plugin: string, versions: ReadonlyArray<PluginVersion>, requested: string) => {
  const isDigest = /^[0-9a-f]{6,64}$/.test(requested)
  const found =
    versions.findLast(({ version }) => version === requested) ??
    versions.findLast(({ digest }) => isDigest && digest.startsWith(requested))
  return found === undefined
    ? Effect.fail(new VersionNotFound({ plugin, version: requested, known: versions }))
    : Effect.succeed(found)
}

/** The plugin right after a version was imported. For a held update, the plugin as its installation would leave it. */
const ofVersion = (name: string, { at, status }: PluginVersion) =>
  Effect.gen(function* () {
    const registry = yield* (yield* Projector).stateAt(PluginRegistry.projection, at)
    const plugin = SafeRecord.get(registry, name)
    return plugin?.held != null && (status === "held" || plugin.held.heldAt === at)
      ? PluginRegistry.inVersionOf(plugin, { ...plugin, ...plugin.held, grants: {}, importedAt: plugin.held.heldAt })
      : plugin
  })
