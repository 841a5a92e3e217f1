/**
 * Folds the log into the plugin registry: the imported plugins with their grants, components, settings and processes.
 */

import { Schema } from "effect"
import { Position } from "../../events/vocabulary/Event.ts"
import { optional } from "../../events/vocabulary/EventType.ts"
import { GrantedPermissions, MissingGrant, Origin } from "../../events/vocabulary/Plugins.ts"
import { evolveBy, type Handlers } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import { Json, JsonObject } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { Projection } from "../fold/Projection.ts"
import { type Declared, declaredComponents, declaredMetadata } from "./registry/DeclaredComponents.ts"
import * as GrantHistory from "./registry/GrantHistory.ts"

/** People's settings, which override a manifest's defaults and survive an update. */
const Overrides = Schema.Struct({
  priority: Schema.NullOr(Schema.Finite),
  metadata: Schema.Record({ key: Schema.String, value: Schema.NullOr(Schema.Struct({ value: Json })) }).annotations({
    description: "By key: the value that was set, or null where the key was unset",
  }),
})

type Overrides = typeof Overrides.Type

/** A sensor or an actuator of an imported plugin. */
export const Component = Schema.Struct({
  kind: Schema.Literal("sensor", "actuator"),
  active: Schema.Boolean.annotations({ description: "Whether it takes part while its plugin does" }),
  priority: Schema.Finite.annotations({ description: "Higher goes first" }),
  metadata: JsonObject,
  overrides: Overrides,
}).annotations({ identifier: "Component" })

export type Component = typeof Component.Type

/** An update that waits for a grant; the installed version stays in use. */
export const Held = Schema.Struct({
  version: Schema.String,
  digest: Schema.String,
  source: Schema.String,
  origin: Schema.NullOr(Origin),
  workspace: Schema.NullOr(Schema.String),
  manifest: JsonObject,
  given: GrantedPermissions.annotations({ description: "What people granted it by name" }),
  missing: Schema.Array(MissingGrant).annotations({ description: "What it asks for and was not granted" }),
  heldAt: Position.annotations({ description: "Position of its import" }),
}).annotations({ identifier: "Held" })

export type Held = typeof Held.Type

/** An imported plugin. */
export const Plugin = Schema.Struct({
  version: Schema.String,
  digest: Schema.String,
  source: Schema.String,
  origin: Schema.NullOr(Origin).annotations({ description: "What the source was; null where an old log does not say" }),
  workspace: Schema.NullOr(Schema.String).annotations({ description: 'What "." in its permissions is' }),
  manifest: JsonObject,
  grants: JsonObject.annotations({ description: "What this version may do" }),
  given: GrantedPermissions.annotations({
    description: "What people granted by name, to this code or to earlier code: it does not count for other code",
  }),
  revoked: GrantedPermissions.annotations({
    description: "What people took back: it needs a grant by name, whatever the version",
  }),
  held: Schema.NullOr(Held),
  active: Schema.Boolean,
  importedAt: Position.annotations({ description: "Position of its import, or of its last update" }),
  quarantined: Schema.NullOr(Schema.String).annotations({
    description: "Why it is not started, until it is activated",
  }),
  components: Schema.Record({ key: Schema.String, value: Component }).annotations({
    description: "By the component's name within the plugin",
  }),
  metadata: JsonObject,
  overrides: Overrides,
  running: Schema.Record({
    key: Schema.String,
    value: Schema.Struct({
      instance: Schema.String.annotations({ description: "`kernel`, or a task's id" }),
      birth: optional(Schema.String),
    }),
  }).annotations({
    description: "Its processes by their id: an instance has two, while versions run side by side",
  }),
}).annotations({ identifier: "Plugin" })

export type Plugin = typeof Plugin.Type

/** Every imported plugin, by name. */
export const PluginRegistry = Schema.Record({ key: Schema.String, value: Plugin }).annotations({
  identifier: "PluginRegistry",
})

export type PluginRegistry = typeof PluginRegistry.Type

/** An active component of an active plugin that is not quarantined. */
export interface ActiveComponent {
  /** `plugin/component` */
  readonly name: string
  readonly plugin: string
  readonly component: string
  readonly priority: number
  readonly metadata: JsonObject
}

/** The active sensors by descending priority, then by name. */
export const activeSensors = (registry: PluginRegistry): ReadonlyArray<ActiveComponent> => activeIn(registry).sensor

/** The active actuators by descending priority, then by name. */
export const activeActuators = (registry: PluginRegistry): ReadonlyArray<ActiveComponent> => activeIn(registry).actuator

type Active = { readonly [Kind in "sensor" | "actuator"]: ReadonlyArray<ActiveComponent> }

/** Cached per registry: every step of an agent asks, and the registry hardly ever changes. */
const known = new WeakMap<PluginRegistry, Active>()

const activeIn = (registry: PluginRegistry): Active => {
  const found = known.get(registry) ?? { sensor: active(registry, "sensor"), actuator: active(registry, "actuator") }
  known.set(registry, found)
  return found
}

const active = (registry: PluginRegistry, kind: Component["kind"]): ReadonlyArray<ActiveComponent> =>
  Object.entries(registry)
    .filter(([, plugin]) => plugin.active && plugin.quarantined === null)
    .flatMap(([plugin, { components }]) =>
      Object.entries(components)
        .filter(([, component]) => component.active && component.kind === kind)
        .map(([component, { priority, metadata }]) => ({
          name: `${plugin}/${component}`,
          plugin,
          component,
          priority,
          metadata,
        })),
    )
    .sort((a, b) => b.priority - a.priority || (a.name < b.name ? -1 : 1))

const noOverrides: Overrides = { priority: null, metadata: {} }

const handlers: Handlers<PluginRegistry> = {
  PluginImported: (registry, payload, { position }) => {
    const { plugin: name, version, digest, source, manifest, grants, given = {} } = payload
    const { origin = null, workspace = null } = payload
    const before = SafeRecord.get(registry, name)
    return SafeRecord.set(registry, name, {
      version,
      digest,
      source,
      origin,
      workspace,
      ...declaredBy(manifest, before),
      grants,
      ...GrantHistory.installed(
        before ?? GrantHistory.none,
        given,
        Schema.is(GrantedPermissions)(grants) ? grants : {},
      ),
      held: null,
      active: before?.active ?? false,
      importedAt: position,
      quarantined: before?.quarantined ?? null,
      overrides: before?.overrides ?? noOverrides,
      running: before?.running ?? {},
    })
  },
  PluginUpdateHeld: (registry, payload, { position }) => {
    const { plugin, version, digest, source, manifest, given = {}, missing } = payload
    const { origin = null, workspace = null } = payload
    const held: Held = { version, digest, source, origin, workspace, manifest, given, missing, heldAt: position }
    return SafeRecord.change(registry, plugin, (found) => ({ ...found, held }))
  },
  PluginGranted: (registry, { plugin, given, grants, missing }) =>
    SafeRecord.change(registry, plugin, (found) => ({
      ...found,
      ...GrantHistory.grant(found, given),
      grants,
      held: withMissing(found.held, missing, (of) => GrantHistory.union(of, given)),
    })),
  PluginGrantRevoked: (registry, { plugin, revoked, grants, missing }) =>
    SafeRecord.change(registry, plugin, (found) => ({
      ...found,
      ...GrantHistory.revoke(found, revoked),
      grants,
      held: withMissing(found.held, missing, (of) => GrantHistory.without(of, revoked)),
    })),
  PluginRemoved: (registry, { plugin }) => SafeRecord.remove(registry, plugin),
  PluginActivated: (registry, { plugin }) => update(registry, plugin, { active: true, quarantined: null }),
  PluginDeactivated: (registry, { plugin }) => update(registry, plugin, { active: false }),
  PluginQuarantined: (registry, { plugin, reason }) => update(registry, plugin, { quarantined: reason }),
  ComponentActivated: (registry, { component }) =>
    changeComponent(registry, component, (found) => ({ ...found, active: true })),
  ComponentDeactivated: (registry, { component }) =>
    changeComponent(registry, component, (found) => ({ ...found, active: false })),
  PriorityChanged: (registry, { component, priority }) =>
    changeComponent(registry, component, (found) => ({
      ...found,
      priority,
      overrides: { ...found.overrides, priority },
    })),
  MetadataSet: (registry, { target, key, value }) => overrideMetadata(registry, target, key, { value }),
  MetadataUnset: (registry, { target, key }) => overrideMetadata(registry, target, key, null),
  PluginStarted: (registry, { plugin, instance, pid, birth }) =>
    SafeRecord.change(registry, plugin, (found) => ({
      ...found,
      running: SafeRecord.set(found.running, String(pid), { instance, ...defined({ birth }) }),
    })),
  PluginExited: (registry, { plugin, pid }) =>
    SafeRecord.change(registry, plugin, (found) =>
      Object.hasOwn(found.running, pid) ? { ...found, running: SafeRecord.remove(found.running, String(pid)) } : found,
    ),
  KernelStarted: (registry) =>
    Object.keys(registry).reduce(
      (cleared, plugin) =>
        SafeRecord.change(cleared, plugin, (found) =>
          Object.keys(found.running).length === 0 ? found : { ...found, running: {} },
        ),
      registry,
    ),
}

/**
 * The registry. A new plugin is inactive until it is activated; its components are active. An update (another import
 * under the same name) keeps people's settings: activation, grants by name, and the priorities and metadata of
 * components that still exist. Everything else comes from the new manifest. A held update does not change the installed
 * version, and the next import discards it. Activation lifts a plugin's quarantine. Events about an unknown plugin or
 * component have no effect. The start of a kernel ends all processes of the previous kernel.
 */
export const projection: Projection<PluginRegistry> = {
  name: "PluginRegistry",
  version: 3,
  state: PluginRegistry,
  initial: {},
  types: Object.keys(handlers),
  evolve: evolveBy(handlers),
}

const withMissing = (
  held: Held | null,
  missing: Held["missing"] | undefined,
  given: (of: GrantedPermissions) => GrantedPermissions,
): Held | null => (held === null ? null : { ...held, given: given(held.given), missing: missing ?? held.missing })

/**
 * A plugin in an earlier version with today's settings: files, manifest and grants from `then`, activation and
 * overrides from `now`.
 */
export const inVersionOf = (now: Plugin, then: Plugin): Plugin => {
  if (now.digest === then.digest) return now
  const { version, digest, source, origin, workspace, manifest, grants, importedAt } = then
  return { ...now, version, digest, source, origin, workspace, ...declaredBy(manifest, now, then), grants, importedAt }
}

/** A manifest with its components and metadata, after applying the overrides of an earlier import. */
const declaredBy = (manifest: JsonObject, before: Plugin | undefined, earlier = before) => ({
  manifest,
  metadata: override(declaredMetadata(manifest), before?.overrides ?? noOverrides),
  components: Object.fromEntries(
    Object.entries(declaredComponents(manifest)).map(([name, component]) => [
      name,
      imported(
        component,
        SafeRecord.get(before?.components ?? {}, name) ?? SafeRecord.get(earlier?.components ?? {}, name),
      ),
    ]),
  ),
})

const imported = (declared: Declared, before: Component | undefined): Component => {
  const overrides = before?.overrides ?? noOverrides
  return {
    kind: declared.kind,
    active: before?.active ?? true,
    priority: overrides.priority ?? declared.priority,
    metadata: override(declared.metadata, overrides),
    overrides,
  }
}

const override = (defaults: JsonObject, { metadata }: Overrides): JsonObject =>
  Object.entries(metadata).reduce<JsonObject>(
    (merged, [key, set]) => (set === null ? SafeRecord.remove(merged, key) : SafeRecord.set(merged, key, set.value)),
    defaults,
  )

const update = (registry: PluginRegistry, plugin: string, changes: Partial<Plugin>): PluginRegistry =>
  SafeRecord.change(registry, plugin, (found) => ({ ...found, ...changes }))

const changeComponent = (
  registry: PluginRegistry,
  fullName: string,
  how: (component: Component) => Component,
): PluginRegistry => {
  const slash = fullName.indexOf("/")
  const name = fullName.slice(slash + 1)
  return SafeRecord.change(registry, fullName.slice(0, slash), (plugin) => {
    const components = SafeRecord.change(plugin.components, name, how)
    return components === plugin.components ? plugin : { ...plugin, components }
  })
}

const overrideMetadata = (
  registry: PluginRegistry,
  target: string,
  key: string,
  set: { readonly value: Json } | null,
): PluginRegistry => {
  const how = <Of extends Plugin | Component>(found: Of): Of => ({
    ...found,
    metadata: set === null ? SafeRecord.remove(found.metadata, key) : SafeRecord.set(found.metadata, key, set.value),
    overrides: { ...found.overrides, metadata: SafeRecord.set(found.overrides.metadata, key, set) },
  })
  return target.includes("/") ? changeComponent(registry, target, how) : SafeRecord.change(registry, target, how)
}
