/** Runs a plugin under test in its real sandbox. */
import * as path from "node:path"
import { Effect, Either } from "effect"
import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import { defined } from "../../values/defined.ts"
import type { Json } from "../../values/Json.ts"
import * as Grants from "../manifest/Grants.ts"
import * as Manifest from "../manifest/Manifest.ts"
import * as PluginHost from "../process/PluginHost.ts"
import { isShipped } from "../Shipped.ts"
import { SandboxConsentMissing } from "../sandbox/Consent.ts"
import { type BrokeredCall, intercepting } from "./Answers.ts"
import { makeDirectories } from "./directories.ts"
import * as PrecomputedBytes from "./PrecomputedBytes.ts"
import type { LoadPluginOptions } from "./TestOptions.ts"

/** A reading from `context.emit`. */
export interface PushedReading {
  readonly sensor: string
  readonly reading: Json
}

/**
 * Starts the process, which runs until the scope closes. The returned lists grow as it works.
 *
 * @param say how to consent, for the error about missing consent
 */
export const start = (directory: string, options: LoadPluginOptions, say: string) =>
  Effect.gen(function* () {
    const loaded = yield* Manifest.load(directory, { lenient: options.lenient ?? false })
    const { manifest } = loaded
    const { workspace, denoDir } = yield* makeDirectories(options.workspace)
    const grants = yield* grantsOf(loaded, workspace)
    const events: Array<CoreNewEvent> = []
    const brokered: Array<BrokeredCall> = []
    const pushed: Array<PushedReading> = []
    const { sandbox = "auto", consent } = options
    const host = PluginHost.layerOf({ sandbox, ...defined({ consent }) })
    const { start } = yield* Effect.provide(PluginHost.PluginHost, host)
    yield* PrecomputedBytes.lend(manifest, denoDir)
    const process = yield* start({
      manifest,
      directory: loaded.directory,
      grants,
      workspace,
      denoDir,
      seed: options.seed ?? 1,
      instance: "test",
      metadata: metadataOf(manifest),
      record: (event) => Effect.sync(() => events.push(event)),
      onEmit: (sensor, reading) => Effect.sync(() => pushed.push({ sensor, reading })),
      intercept: intercepting(grants, options.answers ?? {}, brokered),
      consent: (hostConsents) => Effect.succeed(hostConsents || isShipped(loaded.digest)),
    }).pipe(
      Effect.catchTag("SandboxConsentMissing", ({ plugin, version, why, improve, runtime }) => {
        const better = improve === undefined ? {} : { improve }
        return new SandboxConsentMissing({ plugin, version, why, runtime, ...better, say })
      }),
    )
    yield* PrecomputedBytes.keep(manifest, denoDir)
    return { loaded, process, workspace, events, brokered, pushed }
  })

/** Grants every request of the manifest, because authors test their own plugins. */
const grantsOf = ({ manifest, directory }: Manifest.LoadedPlugin, workspace: string) => {
  const { read, write, net, env, run } = Grants.requested(manifest)
  const inDirectory = (place: string) => path.resolve(directory, place)
  const extra = { read: read.map(inDirectory), write: write.map(inDirectory), net, env, run, runAny: true }
  const granted = Grants.resolve(manifest, { directory, workspace, extra })
  return Either.isRight(granted) ? Effect.succeed(granted.right) : Effect.fail(granted.left)
}

const metadataOf = (manifest: Manifest.Manifest) => ({
  plugin: manifest.metadata ?? {},
  components: Object.fromEntries(
    [...Manifest.sensorsOf(manifest), ...Manifest.actuatorsOf(manifest)].map(({ name, metadata = {} }) => [
      name,
      metadata,
    ]),
  ),
})
