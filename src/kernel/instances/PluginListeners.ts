/** Lets functions of plugins read requests, each in the plugin's process. */

import { Data, Effect, type Scope } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import { listenersOf, type PluginListener } from "../../plugins/manifest/Manifest.ts"
import type { CallError } from "../../plugins/PluginError.ts"
import { defined } from "../../values/defined.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { manifestOf, NotInRegistry, type Registry } from "../registry/Registry.ts"
import type { InstanceError } from "./Instance.ts"
import type { Instances } from "./Instances.ts"

/** The plugin is inactive, or its manifest declares no such listener. */
export class NoSuchListener extends Data.TaggedError("NoSuchListener")<{
  readonly plugin: string
  readonly listener: string
  readonly reason: string
}> {
  override get message() {
    return `Listener ${this.plugin}/${this.listener}: expected a listener of an active plugin, found that ${this.reason}.`
  }
}

/** A listener of a plugin at work. */
export interface OpenedListener {
  readonly declared: PluginListener
  /** Lets it read a request. Returns what it heard, unchecked; null for nothing. Starts the plugin if it does not run. */
  readonly hear: (request: JsonObject) => Effect.Effect<Json, CallError | InstanceError | NoSuchListener>
}

export interface Opening {
  readonly registry: Registry.Service
  readonly instances: Instances
  readonly seed: number
}

/** Finds a listener. Its plugin's process lasts as long as the scope. */
export const open = (
  { registry, instances, seed }: Opening,
  plugin: string,
  listener: string,
): Effect.Effect<OpenedListener, NotInRegistry | NoSuchListener | LogError, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const found = Effect.gen(function* () {
      const installed = yield* registry.state
      const entry = SafeRecord.get(installed, plugin)
      if (entry === undefined) return yield* new NotInRegistry({ name: plugin, known: Object.keys(installed) })
      if (!entry.active) return yield* new NoSuchListener({ plugin, listener, reason: "the plugin is inactive" })
      const all = listenersOf(manifestOf(entry))
      const declared = all.find(({ name }) => name === listener)
      const known = all.length === 0 ? "no listener" : `only ${all.map(({ name }) => name).join(", ")}`
      if (declared === undefined) {
        return yield* new NoSuchListener({ plugin, listener, reason: `its manifest declares ${known}` })
      }
      return { installed, declared }
    })
    const { declared } = yield* found
    const name = `listener-${listener}`
    return {
      declared,
      hear: (request) =>
        Effect.gen(function* () {
          const { installed, declared } = yield* found
          const instance = yield* instances.get(plugin, installed, { id: name, instanceName: name, seed, scope })
          const call = instance.process.hear(listener, request, defined({ timeoutMs: declared.timeout }))
          return yield* instance.use(call)
        }),
    }
  })
