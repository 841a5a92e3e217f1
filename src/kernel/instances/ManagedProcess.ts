import * as path from "node:path"
import { type Context, Effect, ExecutionStrategy, Exit, Option, Scope } from "effect"
import { type CoreNewEvent, type EventLog, MAIN } from "../../events/log/EventLog.ts"
import { closeScope } from "../../platform/closeScope.ts"
import { realpathOfExisting } from "../../platform/realpath.ts"
import { recordOrTell } from "../../plugins/channel/EventRecorder.ts"
import type { ProcessExit } from "../../plugins/channel/Session.ts"
import { PluginUnavailable } from "../../plugins/PluginError.ts"
import type { PluginProcess } from "../../plugins/process/PluginProcess.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"
import { type Json, plainText } from "../../values/Json.ts"
import { visible } from "../../values/PlainText.ts"
import * as RequestGate from "../gate/RequestGate.ts"
import type { Instance, InstanceError, InstancesOptions, Restore } from "./Instance.ts"
import { KERNEL } from "./Instance.ts"
import { servedBy } from "./InstanceName.ts"
import * as SandboxConsents from "./SandboxConsents.ts"
import type { Supervisor } from "./Supervision.ts"

/** Whom a process serves, and how long. */
export interface InstanceScope {
  /** `KERNEL`, or a task's id. */
  readonly instance: string
  readonly seed: number
  readonly scope: Scope.Scope
}

/** A process of a plugin, as the kernel keeps it. */
export interface ManagedProcess {
  readonly instance: Instance
  readonly process: PluginProcess
  /** The plugin as the process was last told of its metadata. */
  described: Plugin
  /** Ends the process once nobody uses it. */
  readonly retire: Effect.Effect<void>
  /** Ends the process if nobody uses it now; says whether it did. */
  readonly retireIfUnused: Effect.Effect<boolean>
  readonly ended: () => boolean
}

/**
 * Starts a process in a scope of its own, so that it can be ended before the scope it was started in is. Not to be
 * interrupted but where `restore` lets it: what does not start leaves nothing behind, and what does is answered.
 */
export const start = (
  { log, host, registry, workspace, directory, gate, onEmit }: InstancesOptions,
  supervisor: Supervisor,
  plugin: string,
  described: Plugin,
  { instance, seed, scope: parent }: InstanceScope,
  restore: Restore,
): Effect.Effect<ManagedProcess, InstanceError> =>
  Effect.gen(function* () {
    yield* restore(supervisor.admit(plugin))
    const record = recordAs(log, plugin, described.version, instance)
    const refused = ({ _tag: code, message }: InstanceError) =>
      recordOrTell(record)({
        type: "PluginStartRefused",
        payload: { plugin, instance, digest: described.digest, code, reason: plainText(message) },
      })
    const {
      manifest,
      grants,
      directory: copy,
    } = yield* restore(registry.installed(plugin, described)).pipe(Effect.tapErrorTag("CopyChanged", refused))
    const forbidden = [...(yield* filesOf(log.name, plugin)), directory]
    const scope = yield* Scope.fork(parent, ExecutionStrategy.sequential)
    const pushed = (sensor: string, reading: Json) =>
      onEmit === undefined ? Effect.void : onEmit({ plugin, version: manifest.version, sensor, instance, reading })
    const starting = host.start({
      ...{ manifest, directory: copy, grants, workspace, seed, instance, forbidden },
      denoDir: path.join(directory, `${manifest.name}.deno`),
      metadata: metadataOf(described),
      record,
      // Without rules about requests, what is granted is done, and nothing more is recorded.
      ...(gate?.requests === undefined
        ? {}
        : { ruling: RequestGate.make(log, gate, (place = instance) => servedIn(place)) }),
      consent: SandboxConsents.leave(log, versionOf(plugin, described)),
      ...(described.workspace === null ? {} : { bound: described.workspace }),
      ...(onEmit === undefined ? {} : { onEmit: pushed }),
    })
    const process = yield* restore(Scope.extend(starting, scope)).pipe(
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : closeScope(scope, exit))),
      Effect.tapErrorTag("SandboxConsentMissing", refused),
      Effect.tapError((error) =>
        error._tag === "PluginFailedToLoad" || error._tag === "ExportsDisagree"
          ? supervisor.crashed(plugin, error.message)
          : Effect.void,
      ),
    )
    let ended = false
    // Closing the scope interrupts this first: what ends while it is still listened to was not asked to.
    yield* Effect.forkIn(
      Effect.interruptible(process.exited).pipe(
        Effect.flatMap((exit) => {
          ended = true
          return supervisor.crashed(plugin, describeExit(exit))
        }),
      ),
      scope,
    )
    const uses = yield* Effect.makeSemaphore(USES)
    const close = closeScope(scope, Exit.void)
    return {
      instance: { manifest, process, use: uses.withPermits(1) },
      process,
      described,
      // Whoever asks for it may be where nothing is interrupted; the end of the kernel does not wait for its turn.
      retire: Effect.interruptible(uses.withPermits(USES)(close)),
      retireIfUnused: Effect.map(uses.withPermitsIfAvailable(USES)(close), Option.isSome),
      ended: () => ended,
    }
  })

const versionOf = (plugin: string, { version, digest }: Plugin): SandboxConsents.Version => ({
  plugin,
  version,
  digest,
})

/** More than use a process at the same time: a permit for each of them, and all of them for whoever ends it. */
const USES = 1_000_000

/**
 * The log and what stands beside it, there or not. No plugin touches what it is judged by, whatever it was granted. They
 * stand beside the file itself, and not beside a link to it.
 */
export const filesOf = (log: string, plugin: string): Effect.Effect<ReadonlyArray<string>, PluginUnavailable> =>
  Effect.tryPromise({
    try: async () => {
      const file = await realpathOfExisting(path.resolve(log))
      return BESIDES.map((ending) => `${file}${ending}`)
    },
    catch: (cause) =>
      new PluginUnavailable({ plugin, reason: `expected ${log} to be resolved, found ${String(cause)}` }),
  })

const BESIDES = [
  ...["", "-wal", "-shm", "-journal", ".segments", ".snapshot-key"],
  ...[".keys", ".keys-wal", ".keys-shm", ".keys-journal"],
]

const describeExit = ({ code, signal, reason, inFlight }: ProcessExit): string => {
  const how = signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`
  const during = inFlight.length === 0 ? "" : ` during ${inFlight.slice(0, 3).join(", ")}`
  return `${how}${during}${reason === undefined ? "" : ` (${reason})`}`
}

const metadataOf = ({ metadata, components }: Plugin) => ({
  plugin: metadata,
  components: Object.fromEntries(Object.entries(components).map(([name, { metadata }]) => [name, metadata])),
})

/** Tells a process what has changed in its metadata since it was last told. */
export const describe = (running: ManagedProcess, now: Plugin): Effect.Effect<void> => {
  const { metadata, components } = running.described
  running.described = now
  // The registry shares what an event did not change.
  return metadata === now.metadata && components === now.components
    ? Effect.void
    : running.process.setMetadata(metadataOf(now))
}

/** Whom an instance serves: a task in one of its histories, or none. */
const servedIn = (place: string) => (place === KERNEL ? { taskId: null, timeline: MAIN } : servedBy(place))

const PROCESS: ReadonlySet<string> = new Set(["PluginStarted", "PluginStartRefused", "PluginExited"])

/** What a process reports goes into the log, or fails: what cannot be recorded is not done for a plugin. */
const recordAs =
  (log: Context.Tag.Service<EventLog>, plugin: string, version: string, instance: string) =>
  (event: CoreNewEvent, place = instance): ReturnType<typeof log.append> => {
    const served = servedIn(place)
    // A process is a fact of this machine, whichever history it serves: whoever looks for those that are left finds it.
    const isOfFork = PROCESS.has(event.type) && served.timeline !== MAIN
    return log.append({
      stream: `plugin/${plugin}`,
      ...(isOfFork ? { taskId: null, timeline: MAIN } : served),
      actor: event.type === "PluginLogged" ? `plugin:${plugin}@${visible(version)}` : "kernel",
      events: [event],
    })
  }
