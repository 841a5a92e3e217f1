import * as crypto from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Context, Data, Effect, Either, Layer, Schema } from "effect"
import { type AppendError, type CoreNewEvent, EventLog, type LogError } from "../events/EventLog.ts"
import { type Json, JsonObject } from "../events/Json.ts"
import * as Grants from "../plugins/Grants.ts"
import * as Manifest from "../plugins/Manifest.ts"
import { PluginUnavailable } from "../plugins/PluginError.ts"
import * as Keyed from "../projections/Keyed.ts"
import * as PluginRegistry from "../projections/PluginRegistry.ts"
import { Projector } from "../projections/Projector.ts"
import * as Rubric from "./Rubric.ts"

/** How a plugin is imported. */
export interface ImportOptions {
  /** Accept what real manifests in the wild have, with a warning each. Default: false. */
  readonly lenient?: boolean
  /** What the person who imports grants beyond what needs no grant. */
  readonly grants?: Partial<Grants.Grants>
  /** Whether it takes part at once. Default: true. */
  readonly activate?: boolean
}

/** A plugin that was found fit to be imported. */
export interface CheckedPlugin extends Manifest.LoadedPlugin {
  readonly grants: Grants.Grants
}

/** A manifest as it was imported. */
export interface ImportedManifest {
  readonly manifest: Manifest.Manifest
  readonly digest: string
}

/** Fix the plugin: rules of its measures do not compile. */
export class RulesInvalid extends Data.TaggedError("RulesInvalid")<{
  readonly plugin: string
  readonly issues: ReadonlyArray<string>
}> {
  override get message() {
    return `Plugin ${this.plugin}: its measures cannot be used:${this.issues.map((issue) => `\n  - ${issue}`).join("")}`
  }
}

/** There is no plugin or component of this name. */
export class NotInRegistry extends Data.TaggedError("NotInRegistry")<{
  readonly name: string
  readonly known: ReadonlyArray<string>
}> {
  override get message() {
    const known = this.known.length === 0 ? "nothing is imported yet" : `expected one of ${this.known.join(", ")}`
    return `The registry has no "${this.name}": ${known}.`
  }
}

export type CheckError =
  | Manifest.ManifestInvalid
  | PluginUnavailable
  | Grants.GrantRefused
  | RulesInvalid
  | Rubric.FileUnreadable
export type ImportError = CheckError | AppendError

/**
 * Which plugins and components exist, are active, with which priority and metadata. Everything here is an event, and the
 * state a projection of them: it time-travels, and any process may change it while a kernel runs; a change takes effect
 * at the next turn.
 */
export class Registry extends Context.Tag("hindcast/Registry")<
  Registry,
  {
    /** The registry as it stands now. */
    readonly state: Effect.Effect<PluginRegistry.PluginRegistry, LogError>
    /** Checks a plugin's directory without importing it: manifest, entry, grants, rules, scenario. */
    readonly check: (directory: string, options?: ImportOptions) => Effect.Effect<CheckedPlugin, CheckError>
    /**
     * Imports a plugin: copies its files beside the log under their digest, so that a run stays reproducible when the
     * source changes, and records what it asked for and was granted. The same digest again changes nothing; another
     * digest under the same name is an update.
     */
    readonly import: (directory: string, options?: ImportOptions) => Effect.Effect<CheckedPlugin, ImportError>
    readonly remove: (plugin: string) => Effect.Effect<void, NotInRegistry | AppendError>
    /** Lets a plugin (`plugin`) or a component (`plugin/component`) take part again. */
    readonly activate: (target: string) => Effect.Effect<void, NotInRegistry | AppendError>
    readonly deactivate: (target: string) => Effect.Effect<void, NotInRegistry | AppendError>
    /** Higher goes first. */
    readonly setPriority: (component: string, priority: number) => Effect.Effect<void, NotInRegistry | AppendError>
    readonly setMetadata: (target: string, key: string, value: Json) => Effect.Effect<void, NotInRegistry | AppendError>
    readonly unsetMetadata: (target: string, key: string) => Effect.Effect<void, NotInRegistry | AppendError>
    /** An imported plugin's manifest, and the digest that tells which one it is. */
    readonly manifest: (plugin: string) => Effect.Effect<ImportedManifest, NotInRegistry | LogError>
    /** The imported plugin as it is run: its copy, checked against the digest that was recorded. */
    readonly installed: (plugin: string) => Effect.Effect<CheckedPlugin, NotInRegistry | PluginUnavailable | LogError>
  }
>() {}

export interface RegistryOptions {
  /** Where copies of plugins are kept: a directory beside the log. */
  readonly directory: string
  /** The workspace that `"."` in permissions speaks of. */
  readonly workspace: string
  /** Who makes the changes, such as `human:ada`. Default: `kernel`. */
  readonly actor?: string
}

export const layer = (options: RegistryOptions): Layer.Layer<Registry, never, EventLog | Projector> =>
  Layer.effect(
    Registry,
    Effect.gen(function* () {
      const log = yield* EventLog
      const projector = yield* Projector
      const state = projector.current(PluginRegistry.projection)

      const append = (plugin: string, ...events: ReadonlyArray<CoreNewEvent>) =>
        Effect.asVoid(log.append({ stream: `plugin/${plugin}`, actor: options.actor ?? "kernel", events }))

      /** Appends an event about a plugin or component that exists. */
      const change = (target: string, event: CoreNewEvent) =>
        Effect.gen(function* () {
          yield* find(yield* state, target)
          yield* append(pluginOf(target), event)
        })

      const check = (directory: string, { lenient = false, grants }: ImportOptions = {}) =>
        Effect.gen(function* () {
          const loaded = yield* Manifest.load(directory, { lenient })
          const { manifest } = loaded
          const issues = Rubric.ruleIssues(Rubric.ofManifests([manifest]))
          if (issues.length > 0) return yield* new RulesInvalid({ plugin: manifest.name, issues })
          const { scenario } = manifest.peas.environment ?? {}
          if (scenario !== undefined) yield* Rubric.readYaml(path.join(loaded.directory, scenario))
          const granted = yield* Grants.resolve(manifest, {
            directory: copyOf(options, loaded),
            workspace: options.workspace,
            ...(grants === undefined ? {} : { extra: grants }),
          })
          return { ...loaded, grants: granted }
        })

      const imported = (plugin: string) =>
        Effect.gen(function* () {
          const registry = yield* state
          const found = Keyed.get(registry, plugin)
          if (found === undefined) return yield* new NotInRegistry({ name: plugin, known: Object.keys(registry) })
          return found
        })

      return {
        state,
        check,
        manifest: (plugin) =>
          Effect.map(imported(plugin), (found) => ({ manifest: manifestOf(found), digest: found.digest })),
        import: (directory, importOptions = {}) =>
          Effect.gen(function* () {
            const checked = yield* check(directory, importOptions)
            yield* copyFiles(options, checked)
            const { manifest, digest, grants, warnings } = checked
            const before = Keyed.get(yield* state, manifest.name)
            const known = before?.digest === digest && sameGrants(before.grants, grants)
            const activate = importOptions.activate ?? true
            const events: Array<CoreNewEvent> = []
            if (!known) {
              events.push({
                type: "PluginImported",
                payload: {
                  plugin: manifest.name,
                  version: manifest.version,
                  manifest: asJson(manifest),
                  digest,
                  source: checked.directory,
                  grants: asJson(grants),
                  ...(warnings.length === 0 ? {} : { warnings }),
                },
              })
            }
            if (activate && before?.active !== true) {
              events.push({ type: "PluginActivated", payload: { plugin: manifest.name } })
            }
            if (events.length > 0) yield* append(manifest.name, ...events)
            return { ...checked, directory: copyOf(options, checked) }
          }),
        remove: (plugin) => change(plugin, { type: "PluginRemoved", payload: { plugin } }),
        activate: (target) =>
          change(
            target,
            isComponent(target)
              ? { type: "ComponentActivated", payload: { component: target } }
              : { type: "PluginActivated", payload: { plugin: target } },
          ),
        deactivate: (target) =>
          change(
            target,
            isComponent(target)
              ? { type: "ComponentDeactivated", payload: { component: target } }
              : { type: "PluginDeactivated", payload: { plugin: target } },
          ),
        setPriority: (component, priority) =>
          Effect.gen(function* () {
            // A plugin has no priority of its own; its components have.
            if (!isComponent(component)) return yield* notAComponent(yield* state, component)
            yield* change(component, { type: "PriorityChanged", payload: { component, priority } })
          }),
        setMetadata: (target, key, value) => change(target, { type: "MetadataSet", payload: { target, key, value } }),
        unsetMetadata: (target, key) => change(target, { type: "MetadataUnset", payload: { target, key } }),
        installed: (plugin) => Effect.flatMap(imported(plugin), (found) => loadCopy(options, plugin, found)),
      }
    }),
  )

const isComponent = (target: string): boolean => target.includes("/")

const pluginOf = (target: string): string => target.split("/")[0] ?? target

const notAComponent = (registry: PluginRegistry.PluginRegistry, name: string) =>
  new NotInRegistry({ name, known: componentsIn(registry) })

const componentsIn = (registry: PluginRegistry.PluginRegistry): ReadonlyArray<string> =>
  Object.entries(registry).flatMap(([name, { components }]) =>
    Object.keys(components).map((component) => `${name}/${component}`),
  )

/** The plugin that a name speaks of, where the plugin and the component exist. */
const find = (registry: PluginRegistry.PluginRegistry, target: string) => {
  const plugin = Keyed.get(registry, pluginOf(target))
  const known = isComponent(target) ? componentsIn(registry) : Object.keys(registry)
  const exists = plugin !== undefined && (!isComponent(target) || known.includes(target))
  return exists ? Effect.succeed(plugin) : Effect.fail(new NotInRegistry({ name: target, known }))
}

const decoded = new WeakMap<JsonObject, Manifest.Manifest>()

/** The manifest of an imported plugin. It is decoded once: folds share what does not change. */
export const manifestOf = ({ manifest }: PluginRegistry.Plugin): Manifest.Manifest => {
  const known = decoded.get(manifest)
  if (known !== undefined) return known
  // It was decoded when it was imported; a log that says otherwise is damaged, and this throws.
  const { manifest: made } = Either.getOrThrow(Manifest.decode(manifest, { lenient: true }))
  decoded.set(manifest, made)
  return made
}

/** The digest's first digits are enough to tell copies apart at a glance; the whole digest is checked on loading. */
const copyOf = ({ directory }: RegistryOptions, { manifest, digest }: Manifest.LoadedPlugin): string =>
  copyPath(directory, manifest.name, digest)

const copyPath = (directory: string, name: string, digest: string): string =>
  path.join(directory, `${name}-${digest.slice(0, 16)}`)

/**
 * Copies into a directory of another name first, so that a copy is there whole or not at all. A copy that is there and
 * was damaged is replaced; where another import was faster, its copy is as good.
 */
const copyFiles = (options: RegistryOptions, plugin: Manifest.LoadedPlugin) => {
  const target = copyOf(options, plugin)
  const besides = () => `${target}.partial-${crypto.randomUUID()}`
  const partial = besides()
  const attempt = (run: () => Promise<void>) =>
    Effect.tryPromise({
      try: run,
      catch: (cause) =>
        new PluginUnavailable({
          plugin: plugin.manifest.name,
          reason: `its files cannot be copied to ${target}: ${cause instanceof Error ? cause.message : String(cause)}`,
        }),
    })
  const isWhole = Manifest.load(target, { lenient: true }).pipe(
    Effect.map(({ digest }) => digest === plugin.digest),
    Effect.orElseSucceed(() => false),
  )
  const copy = attempt(async () => {
    for (const file of plugin.files) {
      await fs.mkdir(path.dirname(path.join(partial, file)), { recursive: true })
      await fs.copyFile(path.join(plugin.directory, file), path.join(partial, file))
    }
  })
  // By renaming, for that happens at once: another import's copy may come in between.
  const clear = attempt(async () => {
    const aside = besides()
    await fs.rename(target, aside)
    await fs.rm(aside, { recursive: true, force: true })
  })
  const moveIn = attempt(() => fs.rename(partial, target)).pipe(
    Effect.catchAll((error) => Effect.unlessEffect(Effect.zipRight(Effect.ignore(clear), error), isWhole)),
    Effect.retry({ times: MOVES }),
  )
  return Effect.zipRight(copy, moveIn).pipe(
    Effect.ensuring(Effect.ignore(attempt(() => fs.rm(partial, { recursive: true, force: true })))),
    Effect.uninterruptible,
    Effect.unlessEffect(isWhole),
  )
}

/** How often a copy is moved in again, after what stood in its place was cleared away. */
const MOVES = 8

const loadCopy = (options: RegistryOptions, name: string, plugin: PluginRegistry.Plugin) =>
  Effect.gen(function* () {
    const directory = copyPath(options.directory, name, plugin.digest)
    const unavailable = (found: string) =>
      new PluginUnavailable({
        plugin: name,
        reason: `expected its copy in ${directory}, found ${found}. Import it again from ${plugin.source}`,
      })
    const loaded = yield* Manifest.load(directory, { lenient: true }).pipe(
      Effect.mapError((error) => unavailable(error.message)),
    )
    if (loaded.digest !== plugin.digest) return yield* unavailable("files that were changed since the import")
    const grants = yield* Schema.decodeUnknown(Grants.Grants)(plugin.grants).pipe(
      Effect.mapError((error) => unavailable(`grants that cannot be read (${error.message})`)),
    )
    return { ...loaded, grants }
  })

const sameGrants = (before: JsonObject, now: Grants.Grants): boolean => JSON.stringify(before) === JSON.stringify(now)

/** Manifests and grants are JSON by their schemas; this proves it to the compiler. */
const asJson = Schema.decodeUnknownSync(JsonObject)
