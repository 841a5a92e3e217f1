/**
 * The program's own plugin in the registry: the tools and sensors that the embedding program declares. It is trusted,
 * and it has no files.
 */

import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import { NO_GRANTS } from "../../plugins/manifest/Grants.ts"
import type { Manifest } from "../../plugins/manifest/Manifest.ts"
import { PluginUnavailable } from "../../plugins/PluginError.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"
import { asJson } from "./ImportEvents.ts"
import { SourceRefused } from "./SourceLimits.ts"

/** The name of the program's own plugin. Its components are `program/<name>`. */
export const PROGRAM = "program"

/** The sandbox tier of functions of the embedding program: nothing confines them. */
export const IN_PROCESS = "in-process"

/** What the program declares: a manifest, and the digest of the declaration. Code is neither copied nor digested. */
export interface Declaration {
  readonly manifest: Manifest
  readonly digest: string
}

/** Whether a plugin's components are functions of the embedding program. */
export const isInProcess = ({ origin }: Pick<Plugin, "origin">): boolean => origin?.kind === IN_PROCESS

/** The events of declaring the program's own plugin; none if nothing is new. A deactivation by a person holds. Pure. */
export const declaring = (
  before: Plugin | undefined,
  { manifest, digest }: Declaration,
): ReadonlyArray<CoreNewEvent> => {
  const plugin = manifest.name
  const imported: CoreNewEvent = {
    type: "PluginImported",
    payload: {
      plugin,
      version: manifest.version,
      manifest: asJson(manifest),
      digest,
      source: IN_PROCESS,
      origin: { kind: IN_PROCESS },
      // Nothing is granted, since no grant confines the program. The gate goes by the risk that the program declares.
      grants: asJson(NO_GRANTS),
    },
  }
  return [
    ...(before?.digest === digest ? [] : [imported]),
    ...(before === undefined ? [{ type: "PluginActivated", payload: { plugin } } as const] : []),
  ]
}

/** Why the program's plugin cannot be declared: another plugin has its name. */
export const nameTaken = ({ source }: Plugin): SourceRefused =>
  new SourceRefused({
    source: "What the program declares (its tools and sensors)",
    issues: [
      `expected a log without another plugin named ${PROGRAM}, found one that was imported from ${source}; \`hindcast plugin remove ${PROGRAM}\` removes it`,
    ],
  })

/** Why a plugin's directory cannot be imported: it has the name of the program's plugin. */
export const nameReserved = (source: string): SourceRefused =>
  new SourceRefused({
    source,
    issues: [
      `expected a plugin with a name of its own, found ${PROGRAM}, which is what the embedding program declares itself`,
    ],
  })

/** The error of starting the program's plugin from its files, or in a program that does not declare it. */
export const notDeclared = (plugin: string): PluginUnavailable =>
  new PluginUnavailable({
    plugin,
    reason:
      "its tools and sensors are functions of the embedding program, which this program does not declare. Run the program that does: `Hindcast.layer({ tools, sensors })`",
  })
