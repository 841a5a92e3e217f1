/** The service that imports, activates, configures and grants plugins. */

import { Context, Effect, Layer, Stream } from "effect"
import { type AppendError, type CoreNewEvent, EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import { GrantedPermissions, type Origin } from "../../events/vocabulary/Plugins.ts"
import * as Grants from "../../plugins/manifest/Grants.ts"
import type * as Manifest from "../../plugins/manifest/Manifest.ts"
import type { PluginUnavailable } from "../../plugins/PluginError.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as PluginRegistry from "../../projections/state/PluginRegistry.ts"
import { type PluginVersion, TYPES, versionsOf } from "../../projections/state/PluginVersions.ts"
import { defined } from "../../values/defined.ts"
import type { Json } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { FileUnreadable } from "../rules/Rubric.ts"
import { find, isComponent, manifestOf, type NotInRegistry, notAComponent, pluginOf } from "./ComponentLookup.ts"
import * as PluginCopies from "./copies/PluginCopies.ts"
import type * as StoredCopies from "./copies/StoredCopies.ts"
import * as GrantChanges from "./GrantChanges.ts"
import { type GrantInvalid, UpdateHeld } from "./GrantComputation.ts"
import * as ImportEvents from "./ImportEvents.ts"
import * as InProcess from "./InProcess.ts"
import { ImportOptions, RegistryOptions } from "./RegistryOptions.ts"
import type { SourceRefused } from "./SourceLimits.ts"
import { granted, isHeld, type RulesInvalid, validateSource, withGrants } from "./SourceValidation.ts"
import * as UpdateChanges from "./UpdateChanges.ts"
import * as VouchedCode from "./VouchedCode.ts"

export { find, manifestOf, NotInRegistry } from "./ComponentLookup.ts"
export { CopyChanged, type InstalledPlugin } from "./copies/PluginCopies.ts"
export { type GrantStatus, NotGranted } from "./GrantChanges.ts"
export { GrantInvalid, grantCommand, UpdateHeld } from "./GrantComputation.ts"
export type { Declaration } from "./InProcess.ts"
export { ImportOptions, RegistryOptions } from "./RegistryOptions.ts"
export { SourceRefused } from "./SourceLimits.ts"
export { RulesInvalid } from "./SourceValidation.ts"
export type { UpdateChanges } from "./UpdateChanges.ts"

/** A plugin that passed all checks of an import. */
export interface CheckedPlugin extends PluginCopies.InstalledPlugin {
  readonly origin: Origin
  readonly changes?: UpdateChanges.UpdateChanges
}

/** An imported manifest with the digest of its plugin. */
export interface ImportedManifest {
  readonly manifest: Manifest.Manifest
  readonly digest: string
}

/** Why a plugin cannot be imported. */
export type CheckError =
  | Options.InvalidOptions
  | SourceRefused
  | Manifest.ManifestInvalid
  | PluginUnavailable
  | Grants.GrantRefused
  | GrantInvalid
  | RulesInvalid
  | FileUnreadable
/** Why an import failed. At most it has recorded a held update. */
export type ImportError = CheckError | UpdateHeld | AppendError
/** Why a change of the registry failed. */
export type ChangeError = NotInRegistry | AppendError
/** Why a change of grants failed. */
export type GrantError =
  | Options.InvalidOptions
  | ChangeError
  | GrantInvalid
  | PluginCopies.CopyChanged
  | PluginUnavailable

/**
 * The plugins and components of a log, with their activity, priorities and metadata. Each change is an event, so time
 * travel includes it. Any process may change it; a running kernel follows at the next turn.
 */
export class Registry extends Context.Tag("hindcast/Registry")<Registry, Registry.Service>() {}

/** The type of the service: `Registry.Service`. */
export declare namespace Registry {
  /** The registry of a log. */
  export interface Service {
    /** The current registry. */
    readonly state: Effect.Effect<PluginRegistry.PluginRegistry, LogError>
    /** Imported versions, oldest first, up to a position (default: the head). */
    readonly versions: (plugin: string, until?: number) => Effect.Effect<ReadonlyArray<PluginVersion>, LogError>
    /** Checks a source as `import` does, without importing it. */
    readonly check: (source: string, options?: ImportOptions) => Effect.Effect<CheckedPlugin, CheckError | LogError>
    /**
     * Imports a plugin from a directory, an archive or a Git repository (see `PluginSource.open`). Copies the files
     * next to the log under their digest, so that runs stay reproducible (for a log on a server, also into the log, for
     * other machines), and records requested and granted
     * permissions. The same digest again changes nothing; another digest is an update.
     *
     * An update that requests more than people granted, or changes code with grants by name, fails with `UpdateHeld`:
     * the log holds it until `grant`, and the installed version stays. To avoid that, repeat the grants or set
     * `keepGrants`. A first import that lacks a grant fails and records nothing.
     */
    readonly import: (source: string, options?: ImportOptions) => Effect.Effect<CheckedPlugin, ImportError>
    /**
     * Imports and activates the embedding program's tools and sensors as the plugin `program`. Records only the
     * declaration; another declaration is an update. Fails if a plugin of that name came from files.
     */
    readonly declare: (declaration: InProcess.Declaration) => Effect.Effect<void, SourceRefused | AppendError>
    /** Removes a plugin from the registry. Its recorded events and its copy stay. */
    readonly remove: (plugin: string) => Effect.Effect<void, ChangeError>
    /** Grants by name, to the installed code and the held update, which is installed once it lacks nothing. */
    readonly grant: (plugin: string, grants: GrantedPermissions) => Effect.Effect<GrantChanges.GrantStatus, GrantError>
    /** Revokes grants by name. A plugin that requests them is inactive until it has them again. */
    readonly revoke: (
      plugin: string,
      grants: GrantedPermissions,
    ) => Effect.Effect<GrantChanges.GrantStatus, GrantError | GrantChanges.NotGranted>
    /** Activates a plugin (`plugin`) or a component (`plugin/component`). */
    readonly activate: (target: string) => Effect.Effect<void, GrantError | Grants.GrantRefused>
    /** Deactivates a plugin or a component: its processes stop, and the kernel ignores it. */
    readonly deactivate: (target: string) => Effect.Effect<void, ChangeError>
    /** The permissions that a plugin requests but lost to a revocation. */
    readonly missing: (
      name: string,
      plugin: PluginRegistry.Plugin,
    ) => Effect.Effect<ReadonlyArray<Grants.Refusal>, GrantInvalid>
    /** Sets a component's priority. Higher ones go first. */
    readonly setPriority: (component: string, priority: number) => Effect.Effect<void, ChangeError>
    /** Sets a value under a key of a plugin or a component. */
    readonly setMetadata: (target: string, key: string, value: Json) => Effect.Effect<void, ChangeError>
    /** Removes a value that `setMetadata` set. */
    readonly unsetMetadata: (target: string, key: string) => Effect.Effect<void, ChangeError>
    /** An imported plugin's manifest, with its digest. */
    readonly manifest: (plugin: string) => Effect.Effect<ImportedManifest, NotInRegistry | LogError>
    /**
     * The installed version, or another by its registry entry, ready to start. It checks that the copy has the recorded
     * digest and that only its owner can write it. A machine without a copy takes it from a log on a server.
     */
    readonly installed: (
      plugin: string,
      version?: PluginRegistry.Plugin,
    ) => Effect.Effect<
      PluginCopies.InstalledPlugin,
      NotInRegistry | PluginCopies.CopyChanged | PluginUnavailable | LogError
    >
  }
}

/** `Registry.Service`, shorter where a module imports this one as a namespace. */
export type Service = Registry.Service

/** The service over a log. */
export const layer = (input: RegistryOptions): Layer.Layer<Registry, Options.InvalidOptions, EventLog | Projector> =>
  Layer.effect(
    Registry,
    Effect.gen(function* () {
      const options = yield* Options.decode("Registry.layer", RegistryOptions, input)
      const log = yield* EventLog
      const projector = yield* Projector
      const state = projector.current(PluginRegistry.projection)
      // Grants follow from the current state: record them before this registry's next change.
      const oneAtATime = (yield* Effect.makeSemaphore(1)).withPermits(1)

      const append = (plugin: string, events: ReadonlyArray<CoreNewEvent>) =>
        events.length === 0
          ? Effect.void
          : Effect.asVoid(log.append({ stream: `plugin/${plugin}`, actor: options.actor ?? "kernel", events }))

      const change = (target: string, event: CoreNewEvent) =>
        Effect.gen(function* () {
          yield* find(yield* state, target)
          yield* append(pluginOf(target), [event])
        })

      const check = (source: string, importing: ImportOptions = {}) =>
        Effect.gen(function* () {
          const importOptions = yield* Options.decode("check", ImportOptions, importing)
          const found = yield* validateSource(options, source, importOptions)
          const before = SafeRecord.get(yield* state, found.manifest.name)
          yield* assertNotReserved(before, source)
          return yield* granted(yield* withGrants(options, before, found, importOptions.keepGrants ?? false))
        }).pipe(Effect.scoped)

      const assertNotReserved = (before: PluginRegistry.Plugin | undefined, source: string) =>
        before !== undefined && InProcess.isInProcess(before) ? InProcess.nameReserved(source) : Effect.void

      const declare = (declaration: InProcess.Declaration) =>
        oneAtATime(
          Effect.gen(function* () {
            const { name } = declaration.manifest
            const before = SafeRecord.get(yield* state, name)
            if (before !== undefined && !InProcess.isInProcess(before)) return yield* InProcess.nameTaken(before)
            yield* append(name, InProcess.declaring(before, declaration))
          }),
        )

      /** A log in a file has its copies next to it. */
      const onServer = <E>(work: (stored: typeof StoredCopies) => Effect.Effect<void, E>) =>
        ServerUrl.isAddress(log.name)
          ? Effect.flatMap(
              Effect.promise(() => import("./copies/StoredCopies.ts")),
              work,
            )
          : Effect.void

      const keep = (plugin: Manifest.LoadedPlugin) =>
        Effect.zipRight(
          PluginCopies.keep(options.directory, plugin),
          onServer(({ store }) => store(log, options.directory, plugin)),
        )

      const importFrom = (source: string, importing: ImportOptions = {}) =>
        Effect.gen(function* () {
          const importOptions = yield* Options.decode("import", ImportOptions, importing)
          const found = yield* validateSource(options, source, importOptions)
          return yield* oneAtATime(
            Effect.gen(function* () {
              const before = SafeRecord.get(yield* state, found.manifest.name)
              yield* assertNotReserved(before, source)
              const candidate = yield* withGrants(options, before, found, importOptions.keepGrants ?? false)
              const changes = yield* UpdateChanges.between(options.directory, before, found)
              const { manifest, digest, settlement } = candidate
              if (before !== undefined && changes !== undefined && isHeld(before, candidate)) {
                yield* keep(found)
                yield* append(manifest.name, ImportEvents.holding(before, candidate))
                return yield* new UpdateHeld({
                  plugin: manifest.name,
                  version: manifest.version,
                  digest,
                  installed: before.version,
                  missing: settlement.refusals,
                  lapsed: settlement.lapsed,
                  kept: candidate.kept,
                  changes,
                })
              }
              const checked = yield* granted(candidate)
              yield* keep(found)
              yield* append(manifest.name, ImportEvents.installing(before, candidate, importOptions.activate ?? true))
              yield* VouchedCode.vouch(log, [{ plugin: manifest.name, digest, grants: checked.grants }])
              return {
                ...checked,
                directory: PluginCopies.pathOf(options.directory, manifest.name, digest),
                ...defined({ changes }),
              }
            }),
          )
        }).pipe(Effect.scoped)

      const regrant = <E>(
        name: string,
        change: (plugin: PluginRegistry.Plugin) => Effect.Effect<GrantChanges.GrantChange, E>,
      ) =>
        oneAtATime(
          Effect.gen(function* () {
            const found = yield* find(yield* state, name)
            const { events, status } = yield* change(found)
            yield* append(name, events)
            const { grants, updated } = status
            yield* VouchedCode.vouch(log, [{ plugin: name, digest: updated?.digest ?? found.digest, grants }])
            return status
          }),
        )

      const activatePlugin = (name: string) =>
        Effect.gen(function* () {
          const refusals = yield* GrantChanges.missing(options, name, yield* find(yield* state, name))
          if (refusals.length > 0) return yield* new Grants.GrantRefused({ plugin: name, refusals })
          yield* append(name, [{ type: "PluginActivated", payload: { plugin: name } }])
        })

      return {
        state,
        versions: (plugin, until) =>
          log.read({ stream: `plugin/${plugin}`, types: TYPES, ...defined({ until }) }).pipe(
            Stream.runCollect,
            Effect.map((events) => versionsOf([...events])),
          ),
        check,
        import: importFrom,
        declare,
        grant: (name, input) =>
          Effect.flatMap(Options.decode("grant", GrantedPermissions, input), (grants) =>
            regrant(name, (plugin) => GrantChanges.granting(options, name, plugin, grants)),
          ),
        revoke: (name, input) =>
          Effect.flatMap(Options.decode("revoke", GrantedPermissions, input), (grants) =>
            regrant(name, (plugin) => GrantChanges.revoking(options, name, plugin, grants)),
          ),
        manifest: (plugin) =>
          Effect.gen(function* () {
            const found = yield* find(yield* state, plugin)
            return { manifest: manifestOf(found), digest: found.digest }
          }),
        remove: (plugin) => change(plugin, { type: "PluginRemoved", payload: { plugin } }),
        activate: (target) =>
          isComponent(target)
            ? change(target, { type: "ComponentActivated", payload: { component: target } })
            : oneAtATime(activatePlugin(target)),
        missing: (name, plugin) => GrantChanges.missing(options, name, plugin),
        deactivate: (target) =>
          change(
            target,
            isComponent(target)
              ? { type: "ComponentDeactivated", payload: { component: target } }
              : { type: "PluginDeactivated", payload: { plugin: target } },
          ),
        setPriority: (component, priority) =>
          Effect.gen(function* () {
            // Only components have a priority.
            if (!isComponent(component)) return yield* notAComponent(yield* state, component)
            yield* change(component, { type: "PriorityChanged", payload: { component, priority } })
          }),
        setMetadata: (target, key, value) => change(target, { type: "MetadataSet", payload: { target, key, value } }),
        unsetMetadata: (target, key) => change(target, { type: "MetadataUnset", payload: { target, key } }),
        installed: (plugin, version) =>
          Effect.gen(function* () {
            const found = version ?? (yield* find(yield* state, plugin))
            if (InProcess.isInProcess(found)) return yield* InProcess.notDeclared(plugin)
            yield* VouchedCode.assertStartable(log, plugin, found)
            yield* onServer(({ restore }) => restore(log, options.directory, plugin, found))
            return yield* PluginCopies.load(options.directory, plugin, found)
          }),
      }
    }),
  )
