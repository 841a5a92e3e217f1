/** Derives the events of an import. Pure. */

import { Schema } from "effect"
import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import type { GrantedPermissions, Origin } from "../../events/vocabulary/Plugins.ts"
import type { LoadedPlugin } from "../../plugins/manifest/Manifest.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"
import { defined } from "../../values/defined.ts"
import { JsonObject } from "../../values/Json.ts"
import * as GrantComputation from "./GrantComputation.ts"

export interface ImportCandidate extends LoadedPlugin {
  readonly origin: Origin
  /** The source for a later import. */
  readonly source: string
  readonly workspace: string
  readonly settlement: GrantComputation.SettledGrants
  readonly given: GrantedPermissions | undefined
  /** Grants of the installed code, if this is other code. */
  readonly kept: GrantedPermissions
}

/** Derives the events of an import; none if nothing is new. */
export const installing = (
  before: Plugin | undefined,
  candidate: ImportCandidate,
  activate: boolean,
): ReadonlyArray<CoreNewEvent> => {
  const { manifest, settlement, given } = candidate
  const plugin = manifest.name
  const grants = asJson(settlement.grants)
  const isKnown = before?.digest === candidate.digest && before.held === null && isSame(before.grants, grants)
  const events: Array<CoreNewEvent> = []
  if (!isKnown) events.push({ type: "PluginImported", payload: { ...release(candidate), grants } })
  else if (given !== undefined && addsTo(before.given, given)) {
    events.push({ type: "PluginGranted", payload: { plugin, given, grants } })
  }
  if (activate && before?.active !== true) events.push({ type: "PluginActivated", payload: { plugin } })
  return events
}

/** Derives the events of a held update; none if the plugin already holds the same one. */
export const holding = ({ held }: Plugin, candidate: ImportCandidate): ReadonlyArray<CoreNewEvent> => {
  const { refusals: missing } = candidate.settlement
  const isKnown = held?.digest === candidate.digest && isSame(held.missing, missing)
  if (isKnown && (candidate.given === undefined || !addsTo(held.given, candidate.given))) return []
  return [{ type: "PluginUpdateHeld", payload: { ...release(candidate), missing } }]
}

/** Manifests and grants are JSON by their schemas; decoding proves it to the compiler. */
export const asJson = Schema.decodeUnknownSync(JsonObject)

const release = ({ manifest, digest, source, origin, workspace, given, warnings }: ImportCandidate) => ({
  plugin: manifest.name,
  version: manifest.version,
  manifest: asJson(manifest),
  digest,
  source,
  origin,
  workspace,
  ...defined({ given }),
  ...(warnings.length === 0 ? {} : { warnings }),
})

const addsTo = (before: GrantedPermissions, now: GrantedPermissions): boolean =>
  !isSame(GrantComputation.withoutGrants(now, before), {})

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
