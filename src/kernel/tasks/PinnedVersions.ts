/** Keeps an open task's plugins at the versions of its opening. */

import { Effect, Schema } from "effect"
import * as Grants from "../../plugins/manifest/Grants.ts"
import { inVersionOf, type Plugin, type PluginRegistry } from "../../projections/state/PluginRegistry.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { asJson } from "../registry/ImportEvents.ts"
import type { KernelContext } from "./OpenTask.ts"

/**
 * Each plugin keeps the version of the task's opening, even after a new import. Activation, priorities, metadata and
 * revocations are current.
 *
 * @param began the registry's state at the opening
 */
export const pin = (kernel: KernelContext, began: PluginRegistry): KernelContext => {
  const { registry } = kernel
  let last = { now: began, view: began }
  const state = Effect.map(registry.state, (now) => {
    // Return an unchanged registry as the same object, for comparison by identity.
    if (last.now !== now) last = { now, view: withVersionsOf(now, began) }
    return last.view
  })
  return {
    ...kernel,
    registry: {
      ...registry,
      state,
      installed: (plugin, version) =>
        Effect.flatMap(state, (view) => registry.installed(plugin, version ?? SafeRecord.get(view, plugin))),
    },
  }
}

/** Gives plugins their versions of the opening. Returns `now` itself if none differs. */
export const withVersionsOf = (now: PluginRegistry, began: PluginRegistry): PluginRegistry =>
  Object.keys(began).reduce((view, name) => {
    const then = SafeRecord.get(began, name)
    return then === undefined ? view : SafeRecord.change(view, name, (plugin) => pinned(plugin, then))
  }, now)

const pinned = (now: Plugin, then: Plugin): Plugin => {
  const version = inVersionOf(now, then)
  const { grants } = version
  // Without a revocation the grants stay the same object.
  if (version === now || now.revoked === then.revoked || !Schema.is(Grants.Grants)(grants)) return version
  return { ...version, grants: asJson(Grants.withoutRevoked(grants, now)) }
}
