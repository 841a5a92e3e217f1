import { Effect, Schema } from "effect"
import * as Grants from "../../plugins/manifest/Grants.ts"
import { inVersionOf, type Plugin, type PluginRegistry } from "../../projections/state/PluginRegistry.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { asJson } from "../registry/ImportEvents.ts"
import type { KernelContext } from "./OpenTask.ts"

/**
 * The kernel as one task sees it: every plugin stays in the version that it had when the task was opened, whatever is
 * imported meanwhile. Whether it takes part, its priorities and its metadata are those of now, and what was taken back
 * meanwhile it no longer may.
 *
 * @param began the registry as it stood when the task was opened
 */
export const pin = (kernel: KernelContext, began: PluginRegistry): KernelContext => {
  const { registry } = kernel
  let last = { now: began, seen: began }
  const state = Effect.map(registry.state, (now) => {
    // What did not change is the very same for whoever compares.
    if (last.now !== now) last = { now, seen: asBegun(now, began) }
    return last.seen
  })
  return {
    ...kernel,
    registry: {
      ...registry,
      state,
      installed: (plugin, version) =>
        Effect.flatMap(state, (seen) => registry.installed(plugin, version ?? SafeRecord.get(seen, plugin))),
    },
  }
}

/** The very registry of now where no version differs. */
export const asBegun = (now: PluginRegistry, began: PluginRegistry): PluginRegistry =>
  Object.keys(began).reduce((seen, name) => {
    const then = SafeRecord.get(began, name)
    return then === undefined ? seen : SafeRecord.change(seen, name, (plugin) => kept(plugin, then))
  }, now)

const kept = (now: Plugin, then: Plugin): Plugin => {
  const version = inVersionOf(now, then)
  const { grants } = version
  // Where nothing was taken back the grants stay the very same.
  if (version === now || now.revoked === then.revoked || !Schema.is(Grants.Grants)(grants)) return version
  return { ...version, grants: asJson(Grants.withoutRevoked(grants, now)) }
}
