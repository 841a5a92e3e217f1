/** Grants and revokes permissions of an installed plugin: computes the events and the resulting state. */

import { Data, Effect } from "effect"
import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import type { GrantedPermissions } from "../../events/vocabulary/Plugins.ts"
import * as Grants from "../../plugins/manifest/Grants.ts"
import type { PluginUnavailable } from "../../plugins/PluginError.ts"
import type { Held, Plugin } from "../../projections/state/PluginRegistry.ts"
import { manifestOf } from "./ComponentLookup.ts"
import * as PluginCopies from "./copies/PluginCopies.ts"
import * as GrantComputation from "./GrantComputation.ts"
import { asJson } from "./ImportEvents.ts"
import { isInProcess } from "./InProcess.ts"
import type { RegistryOptions } from "./RegistryOptions.ts"

/** A revocation names grants that the plugin does not have. */
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

/** A plugin's grants after a change. */
export interface GrantStatus {
  readonly grants: Grants.Grants
  /** Requests without a grant. The plugin stays inactive until it has them. */
  readonly missing: ReadonlyArray<Grants.Refusal>
  /** The held update that this change installed. */
  readonly updated?: { readonly version: string; readonly digest: string }
  /** The update that still waits for grants. */
  readonly held?: { readonly version: string; readonly missing: ReadonlyArray<Grants.Refusal> }
}

export interface GrantChange {
  readonly events: ReadonlyArray<CoreNewEvent>
  readonly status: GrantStatus
}

/** Gives grants by name, and installs the held update once it lacks nothing. */
export const granting = (
  options: RegistryOptions,
  name: string,
  plugin: Plugin,
  grants: GrantedPermissions,
): Effect.Effect<GrantChange, GrantComputation.GrantInvalid | PluginCopies.CopyChanged | PluginUnavailable> =>
  Effect.gen(function* () {
    if (isInProcess(plugin)) {
      const issue = "it is the embedding program itself, which no grant confines"
      return yield* new GrantComputation.GrantInvalid({ plugin: name, issues: [issue] })
    }
    const given = (yield* GrantComputation.grantedTo(name, grants)) ?? {}
    const { installed, waiting } = yield* settleBoth(options, name, plugin, { given })
    const missing = waiting === undefined ? {} : { missing: waiting.refusals }
    const granted: CoreNewEvent = {
      type: "PluginGranted",
      payload: { plugin: name, given, grants: asJson(installed.grants), ...missing },
    }
    if (waiting === undefined || waiting.refusals.length > 0) {
      return { events: [granted], status: statusOf(installed, waiting) }
    }
    const { held, grants: updated } = waiting
    // Plugins start from this copy from now on: check it for damage first.
    yield* PluginCopies.load(options.directory, name, { ...held, grants: asJson(updated) })
    return {
      events: [granted, importOf(name, held, Grants.merge(held.given, given), updated)],
      status: { grants: updated, missing: [], updated: { version: held.version, digest: held.digest } },
    }
  })

/** Revokes grants, and deactivates the plugin if it requests them. */
export const revoking = (
  options: RegistryOptions,
  name: string,
  plugin: Plugin,
  grants: GrantedPermissions,
): Effect.Effect<GrantChange, GrantComputation.GrantInvalid | NotGranted> =>
  Effect.gen(function* () {
    const revoked = (yield* GrantComputation.grantedTo(name, grants)) ?? {}
    const before = grantsOf(plugin)
    const named = GrantComputation.flags(GrantComputation.withoutGrants(revoked, before.has))
    if (named.length > 0) return yield* new NotGranted({ plugin: name, named, has: GrantComputation.flags(before.has) })
    const { installed, waiting } = yield* settleBoth(options, name, plugin, { revoked })
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
      status: statusOf(installed, waiting),
    }
  })

/** Finds requests that lost their grant to a revocation. */
export const missing = (
  options: RegistryOptions,
  name: string,
  plugin: Plugin,
): Effect.Effect<ReadonlyArray<Grants.Refusal>, GrantComputation.GrantInvalid> =>
  Effect.map(settleBoth(options, name, plugin, {}), ({ installed }) => installed.refusals)

const grantsOf = (plugin: Plugin) => GrantComputation.currentGrants(manifestOf(plugin), plugin)

interface HeldUpdate extends Grants.GrantDecision {
  readonly held: Held
}

const settleBoth = (
  options: RegistryOptions,
  name: string,
  plugin: Plugin,
  { given = {}, revoked = {} }: { readonly given?: GrantedPermissions; readonly revoked?: GrantedPermissions },
) =>
  Effect.gen(function* () {
    const settle = (version: Pick<Plugin, "manifest" | "digest" | "workspace" | "importedAt">) => {
      const workspace = version.workspace ?? options.workspace
      const before = GrantComputation.grantsFor(version.digest, workspace, manifestOf(plugin), plugin)
      return GrantComputation.computeGrants({
        manifest: manifestOf(version),
        directory: PluginCopies.pathOf(options.directory, name, version.digest),
        workspace,
        now: given,
        before: GrantComputation.afterRevoking(before, revoked),
      })
    }
    const { held } = plugin
    const waiting: HeldUpdate | undefined =
      held === null ? undefined : { ...(yield* settle({ ...held, importedAt: held.heldAt })), held }
    return { installed: yield* settle(plugin), waiting }
  })

const statusOf = (installed: Grants.GrantDecision, waiting: HeldUpdate | undefined): GrantStatus => ({
  grants: installed.grants,
  missing: installed.refusals,
  ...(waiting === undefined ? {} : { held: { version: waiting.held.version, missing: waiting.refusals } }),
})

const importOf = (plugin: string, held: Held, given: GrantedPermissions, grants: Grants.Grants): CoreNewEvent => {
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
      ...(Grants.granted(given) === undefined ? {} : { given }),
      grants: asJson(grants),
    },
  }
}
