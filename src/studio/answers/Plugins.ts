/** Answers `/api/plugins`. */

import { Effect, Schema } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { CoreName } from "../../events/vocabulary/Vocabulary.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as PluginRegistry from "../../projections/state/PluginRegistry.ts"
import * as EventSummary from "../../projections/summary/EventSummary.ts"
import { type JsonObject, valueAt } from "../../values/Json.ts"
import { isBad } from "../course/EventKind.ts"
import type { PluginRow } from "../wire/Log.ts"

export const PluginsQuery = Schema.Struct({})

/** Events about a plugin's failures and its requests to the host. */
const TELLING: ReadonlyArray<CoreName> = [
  ...(["PluginStartRefused", "PluginExited", "PluginMisbehaved", "PluginQuarantined"] as const),
  ...(["BrokerRequested", "BrokerAllowed", "BrokerDenied", "BrokerAnswered"] as const),
]

const MAX_LISTED = 20

export const plugins = (_: typeof PluginsQuery.Type) =>
  Effect.gen(function* () {
    const registry = yield* (yield* Projector).current(PluginRegistry.projection)
    const told = yield* toldOf(yield* EventLog)
    return Object.entries(registry).map(([name, plugin]) => rowOf(name, plugin, told.get(name) ?? nothing()))
  })

interface Told {
  crashes: Array<PluginRow["crashes"][number]>
  requested: number
  denied: number
  last: Array<PluginRow["requests"]["last"][number]>
}

const nothing = (): Told => ({ crashes: [], requested: 0, denied: 0, last: [] })

const toldOf = (log: EventLog.Service): Effect.Effect<ReadonlyMap<string, Told>, LogError> =>
  Effect.suspend(() => {
    const byPlugin = new Map<string, Told>()
    const take = (page: ReadonlyArray<Event>) => {
      for (const event of page) {
        const { plugin } = event.payload
        if (typeof plugin !== "string") continue
        const told = byPlugin.get(plugin) ?? nothing()
        byPlugin.set(plugin, told)
        note(told, event)
      }
    }
    return Effect.map(Pages.forEach(log.readPage, { timeline: log.timeline, types: TELLING }, take), () => byPlugin)
  })

const note = (told: Told, event: Event): void => {
  const { position, type, recordedAt: at, payload } = event
  if (type.startsWith("Broker")) {
    if (type === "BrokerRequested") told.requested += 1
    if (type === "BrokerDenied") told.denied += 1
    told.last = [{ position, line: `${type} ${EventSummary.of(event)}`, bad: isBad(event) }, ...told.last].slice(
      0,
      MAX_LISTED,
    )
  } else if (isBad(event)) {
    const reason = typeof payload.reason === "string" ? payload.reason : EventSummary.of(event)
    told.crashes = [{ position, at, reason }, ...told.crashes].slice(0, MAX_LISTED)
  }
}

const rowOf = (name: string, plugin: PluginRegistry.Plugin, told: Told): PluginRow => ({
  name,
  version: plugin.version,
  active: plugin.active,
  quarantined: plugin.quarantined !== null,
  grants: grantsOf(plugin.grants),
  components: Object.keys(plugin.components),
  crashes: told.crashes,
  requests: { allowed: told.requested - told.denied, denied: told.denied, last: told.last },
})

const FIELDS = ["read", "write", "net", "env", "run"]

/** A version's grants as text: `read .`, `run git`, `run any command`. */
const grantsOf = (grants: JsonObject): ReadonlyArray<string> => [
  ...FIELDS.flatMap((field) => {
    const named = valueAt(grants, [field])
    return Array.isArray(named) ? named.map((name) => `${field} ${String(name)}`) : []
  }),
  ...(grants.runAny === true ? ["run any command"] : []),
]
