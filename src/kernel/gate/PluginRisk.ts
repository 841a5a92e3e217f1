/** The effective risk of a plugin's actuators, computed from its grants. */

import * as Grants from "../../plugins/manifest/Grants.ts"
import { actuatorsOf, type Risk } from "../../plugins/manifest/Manifest.ts"
import * as PluginRisk from "../../plugins/manifest/Risk.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"
import * as SchemaPredicate from "../../values/schema/SchemaPredicate.ts"
import { manifestOf } from "../registry/ComponentLookup.ts"

const isGrants = SchemaPredicate.is(Grants.Grants)

export const effectiveRisk = (
  declared: Risk | undefined,
  { grants }: Pick<Plugin, "grants">,
): PluginRisk.EffectiveRisk =>
  isGrants(grants)
    ? PluginRisk.effective(declared, grants)
    : {
        // Another program wrote these grants to the log. The kernel does not start such a plugin either.
        declared: declared ?? "undeclared",
        effective: "irreversible",
        because: ["what its plugin was granted cannot be read"],
      }

export const actuatorRisks = (plugin: Plugin): ReadonlyMap<string, PluginRisk.EffectiveRisk> =>
  new Map(actuatorsOf(manifestOf(plugin)).map(({ name, risk }) => [name, effectiveRisk(risk, plugin)]))

export const mayDoMore = (now: Pick<Plugin, "grants">, before: Pick<Plugin, "grants">): boolean =>
  now.grants !== before.grants &&
  !(isGrants(now.grants) && isGrants(before.grants) && Grants.covers(before.grants, now.grants))
