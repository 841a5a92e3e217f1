import { Data, Effect } from "effect"
import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import type { GrantedPermissions } from "../../events/vocabulary/Plugins.ts"
import type * as Grants from "../../plugins/manifest/Grants.ts"
import type { PluginUnavailable } from "../../plugins/PluginError.ts"
import type { Held, Plugin } from "../../projections/state/PluginRegistry.ts"
import { manifestOf } from "./ComponentLookup.ts"
import * as GrantComputation from "./GrantComputation.ts"
import { asJson } from "./ImportEvents.ts"
import * as PluginCopies from "./PluginCopies.ts"
import type { RegistryOptions } from "./RegistryOptions.ts"

/** Name what it has: this was not granted, so that it cannot be taken back. */
export class NotGranted extends Data.TaggedError("NotGranted")<{
  readonly plugin: string
  readonly named: ReadonlyArray<string>
  readonly has: ReadonlyArray<string>
}> {
  override get message() {
    const has = this.has.length === 0 ? "it has nothing" : `it has ${this.has.join(" ")}`
    return `Plugin ${this.plugin} was not granted ${this.named.join(" ")}: ${has}.`
  }
}

/** How a plugin's grants stand after some were given or taken back. */
export interface GrantStatus {
  /** What the installed version may do. */
  readonly grants: Grants.Grants
  /** What the installed version asks for and lacks: it takes no part until it is granted. */
  readonly missing: ReadonlyArray<Grants.Refusal>
  /** The update that is installed now, because nothing is missing any more. */
  readonly updated?: { readonly version: string; readonly digest: string }
  /** The update that still waits. */
  readonly held?: { readonly version: string; readonly missing: ReadonlyArray<Grants.Refusal> }
}

/** What a change of grants says to the log, and how they stand after it. */
export interface GrantChange {
  readonly events: ReadonlyArray<CoreNewEvent>
  readonly standing: GrantStatus
}

/** Gives grants to an installed plugin by name, and installs the update that waited for nothing else. */
export const granting = (
  options: RegistryOptions,
  name: string,
  plugin: Plugin,
  grants: GrantedPermissions,
): Effect.Effect<GrantChange, GrantComputation.GrantInvalid | PluginCopies.CopyChanged | PluginUnavailable> =>
  Effect.gen(function* () {
    const given = (yield* GrantComputation.grantedTo(name, grants)) ?? {}
    const { installed, waiting } = yield* settleBoth(options, name, plugin, standingOf(plugin), given)
    const missing = waiting === undefined ? {} : { missing: waiting.refusals }
    const granted: CoreNewEvent = {
      type: "PluginGranted",
      payload: { plugin: name, given, grants: asJson(installed.grants), ...missing },
    }
    if (waiting === undefined || waiting.refusals.length > 0) {
      return { events: [granted], standing: standingWith(installed, waiting) }
    }
    const { held, grants: updated } = waiting
    // It is what will run from now on: a copy that was damaged meanwhile is not installed.
    yield* PluginCopies.load(options.directory, name, { ...held, grants: asJson(updated) })
    return {
      events: [granted, importOf(name, held, updated)],
      standing: { grants: updated, missing: [], updated: { version: held.version, digest: held.digest } },
    }
  })

/** Takes grants back that a plugin has. One that asks for them is deactivated. */
export const revoking = (
  options: RegistryOptions,
  name: string,
  plugin: Plugin,
  grants: GrantedPermissions,
): Effect.Effect<GrantChange, GrantComputation.GrantInvalid | NotGranted> =>
  Effect.gen(function* () {
    const revoked = (yield* GrantComputation.grantedTo(name, grants)) ?? {}
    const before = standingOf(plugin)
    const named = GrantComputation.flags(GrantComputation.less(revoked, before.has))
    if (named.length > 0) return yield* new NotGranted({ plugin: name, named, has: GrantComputation.flags(before.has) })
    const after = GrantComputation.takenBack(before, revoked)
    const { installed, waiting } = yield* settleBoth(options, name, plugin, after, {})
    const missing = waiting === undefined ? {} : { missing: waiting.refusals }
    const deactivated: ReadonlyArray<CoreNewEvent> =
      installed.refusals.length > 0 && plugin.active ? [{ type: "PluginDeactivated", payload: { plugin: name } }] : []
    return {
      events: [
        {
          type: "PluginGrantRevoked",
          payload: { plugin: name, revoked, grants: asJson(installed.grants), ...missing },
        },
        ...deactivated,
      ],
      standing: standingWith(installed, waiting),
    }
  })

/** What an installed plugin asks for and lacks, because it was taken back. */
export const missing = (
  options: RegistryOptions,
  name: string,
  plugin: Plugin,
): Effect.Effect<ReadonlyArray<Grants.Refusal>, GrantComputation.GrantInvalid> =>
  Effect.map(settleBoth(options, name, plugin, standingOf(plugin), {}), ({ installed }) => installed.refusals)

const standingOf = (plugin: Plugin) => GrantComputation.standing(manifestOf(plugin), plugin)

/** An update that waits, and what it may do as things stand. */
interface Waiting extends Grants.Settlement {
  readonly held: Held
}

const settleBoth = (
  options: RegistryOptions,
  name: string,
  plugin: Plugin,
  before: GrantComputation.Before,
  now: GrantedPermissions,
) =>
  Effect.gen(function* () {
    const settle = (version: Pick<Plugin, "manifest" | "digest" | "workspace" | "importedAt">) =>
      GrantComputation.settle({
        manifest: manifestOf(version),
        directory: PluginCopies.pathOf(options.directory, name, version.digest),
        workspace: version.workspace ?? options.workspace,
        now,
        before,
      })
    const { held } = plugin
    const waiting: Waiting | undefined =
      held === null ? undefined : { ...(yield* settle({ ...held, importedAt: held.heldAt })), held }
    return { installed: yield* settle(plugin), waiting }
  })

const standingWith = (installed: Grants.Settlement, waiting: Waiting | undefined): GrantStatus => ({
  grants: installed.grants,
  missing: installed.refusals,
  ...(waiting === undefined ? {} : { held: { version: waiting.held.version, missing: waiting.refusals } }),
})

const importOf = (plugin: string, held: Held, grants: Grants.Grants): CoreNewEvent => {
  const { version, digest, source, manifest, origin, workspace } = held
  return {
    type: "PluginImported",
    payload: {
      plugin,
      version,
      manifest,
      digest,
      source,
      ...(origin === null ? {} : { origin }),
      ...(workspace === null ? {} : { workspace }),
      grants: asJson(grants),
    },
  }
}
