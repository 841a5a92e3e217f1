/**
 * Shows how an episode of a world begins: starts its process in its sandbox, resets it and ends it. Opens no task and
 * records nothing.
 */

import * as path from "node:path"
import { Effect } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import { filesOf } from "../../kernel/instances/ManagedProcess.ts"
import * as SandboxConsents from "../../kernel/instances/SandboxConsents.ts"
import { Registry } from "../../kernel/registry/Registry.ts"
import { NO_GRANTS } from "../../plugins/manifest/Grants.ts"
import { PluginUnavailable } from "../../plugins/PluginError.ts"
import { PluginHost } from "../../plugins/process/PluginHost.ts"
import { defined } from "../../values/defined.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"

export interface StartOfWorld {
  /** An active plugin. */
  readonly plugin: string
  readonly options: JsonObject
  readonly seed: number
  /** The agents, in a world for several. */
  readonly agents?: ReadonlyArray<string>
  /** The directory of the plugins' copies and their Deno caches. */
  readonly directory: string
  readonly workspace: string
}

const INSTANCE = "preview"

/** Returns the world's document after the reset. The process may read only its own directory, under any grants. */
export const document = ({ plugin, options, seed, agents, directory, workspace }: StartOfWorld) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const host = yield* PluginHost
    const registry = yield* Registry
    const found = SafeRecord.get(yield* registry.state, plugin)
    if (found?.active !== true) return yield* new PluginUnavailable({ plugin, reason: "it is not active" })
    const { manifest, directory: copy } = yield* registry.installed(plugin)
    const process = yield* host.start({
      manifest,
      grants: NO_GRANTS,
      directory: copy,
      workspace,
      seed,
      instance: INSTANCE,
      forbidden: [...(yield* filesOf(log.name, plugin)), directory],
      denoDir: path.join(directory, `${plugin}.deno`),
      metadata: { plugin: found.metadata, components: {} },
      record: () => Effect.void,
      consent: SandboxConsents.mayStart(log, { plugin, version: manifest.version, digest: found.digest }),
    })
    const reset: Json = yield* process.reset(options, { seed, ...defined({ agents }) })
    return reset
  }).pipe(Effect.scoped)
