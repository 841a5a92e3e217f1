/** The embedding program's own plugin: its declared tools and sensors. It is trusted and has no files. */

import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import { NO_GRANTS } from "../../plugins/manifest/Grants.ts"
import type { Manifest } from "../../plugins/manifest/Manifest.ts"
import { PluginUnavailable } from "../../plugins/PluginError.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { asJson } from "./ImportEvents.ts"
import { SourceRefused } from "./SourceLimits.ts"

/** The plugin's name. Its components are `program/<name>`. */
export const PROGRAM = "program"

/** The sandbox tier of the embedding program's functions: none. */
export const IN_PROCESS = "in-process"

/** The program's manifest and the digest of its declaration. Nothing copies or digests its code. */
export interface Declaration {
  readonly manifest: Manifest
  readonly digest: string
}

/** Tells whether a plugin's components are functions of the embedding program. */
export const isInProcess = ({ origin }: Pick<Plugin, "origin">): boolean => origin?.kind === IN_PROCESS

/** The agent behind a tool of the program, as `name@version`; undefined for other tools. */
export const calledAgent = (plugin: Pick<Plugin, "origin" | "components">, component: string): string | undefined => {
  const agent = isInProcess(plugin) ? SafeRecord.get(plugin.components, component)?.metadata[AGENT] : undefined
  return typeof agent === "string" ? agent : undefined
}

/** The metadata of a tool that calls an agent. */
export const AGENT = "agent"

/** Derives the events of a declaration; none if nothing is new. A plugin that a person deactivated stays inactive. */
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
      // No grants, since none could confine the program. The gate uses the risks that the program declares.
      grants: asJson(NO_GRANTS),
    },
  }
  return [
    ...(before?.digest === digest ? [] : [imported]),
    ...(before === undefined ? [{ type: "PluginActivated", payload: { plugin } } as const] : []),
  ]
}

/** Refuses a declaration: another plugin has the reserved name. */
export const nameTaken = ({ source }: Plugin): SourceRefused =>
  new SourceRefused({
    source: "The program's tools and sensors",
    issues: [
      `expected a log without another plugin named ${PROGRAM}, found one that was imported from ${source}; \`hindcast plugin remove ${PROGRAM}\` removes it`,
    ],
  })

/** Refuses an import: the plugin has the reserved name. */
export const nameReserved = (source: string): SourceRefused =>
  new SourceRefused({
    source,
    issues: [
      `expected another name than ${PROGRAM}, which is reserved for the tools and sensors of the embedding program`,
    ],
  })

/** Refuses a start: this program does not declare the plugin. */
export const notDeclared = (plugin: string): PluginUnavailable =>
  new PluginUnavailable({
    plugin,
    reason:
      "its tools and sensors are functions of the embedding program, which this program does not declare. Run the program that does: `Hindcast.layer({ tools, sensors })`",
  })
