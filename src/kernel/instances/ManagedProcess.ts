/** Starts, records and stops one process of a plugin. */

import * as path from "node:path"
import { Effect, ExecutionStrategy, Exit, Scope } from "effect"
import { type CoreNewEvent, type EventLog, MAIN } from "../../events/log/EventLog.ts"
import { closeScope } from "../../platform/closeScope.ts"
import { endingWith } from "../../platform/OneAtATime.ts"
import { realpathOfExisting } from "../../platform/realpath.ts"
import { recordOrLog } from "../../plugins/channel/EventRecorder.ts"
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
import * as ServerQuestions from "./ServerQuestions.ts"
import type { Supervisor } from "./Supervision.ts"

export interface InstanceScope {
  readonly instance: string
  readonly seed: number
  readonly scope: Scope.Scope
}

export interface ManagedProcess {
  readonly instance: Instance
  readonly process: PluginProcess
  /** The plugin with the metadata that the process received last. */
  described: Plugin
  /** Stops the process once it is unused. */
  readonly retire: Effect.Effect<void>
  /**
   * Stops the process if it is unused and `isDue` agrees, and returns whether it did. Nothing can use the process
   * between the check and `ended`.
   */
  readonly retireIfUnused: (isDue: () => boolean) => Effect.Effect<boolean>
  readonly ended: () => boolean
}

/**
 * Starts a process in a scope of its own, which can close before its parent. Uninterruptible except within `restore`: a
 * failed start leaves nothing behind, and a started process is always returned.
 */
export const start = (
  { log, kernel, host, registry, workspace, directory, gate, onEmit }: InstancesOptions,
  supervisor: Supervisor,
  plugin: string,
  described: Plugin,
  { instance, seed, scope: parent }: InstanceScope,
  restore: Restore,
): Effect.Effect<ManagedProcess, InstanceError> =>
  Effect.gen(function* () {
    yield* restore(supervisor.admit(plugin))
    const record = recordAs(log, plugin, described.version, instance, kernel)
    const refused = ({ _tag: code, message }: InstanceError) =>
      recordOrLog(record)({
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
      manifest,
      directory: copy,
      grants,
      workspace,
      seed,
      instance,
      forbidden,
      denoDir: path.join(directory, `${manifest.name}.deno`),
      metadata: metadataOf(described),
      record,
      // Without rules about requests, granted requests pass without a recorded ruling.
      ...(gate?.requests === undefined
        ? {}
        : { ruling: RequestGate.make(log, gate, (servedInstance = instance) => servedIn(servedInstance)) }),
      ...(manifest.runtime === "mcp"
        ? {
            ask: ServerQuestions.asking(log, gate, (served = instance) => servedIn(served)),
            approvedTools: yield* ServerQuestions.approvedTools(log, plugin),
          }
        : {}),
      consent: SandboxConsents.mayStart(log, versionOf(plugin, described)),
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
    // Closing the scope interrupts this fiber first, so it only sees exits that nobody requested.
    yield* Effect.forkIn(
      Effect.interruptible(process.exited).pipe(
        Effect.flatMap((exit) => {
          ended = true
          return supervisor.crashed(plugin, describeExit(exit))
        }),
      ),
      scope,
    )
    const uses = usesOf()
    const close = () => {
      ended = true
      return closeScope(scope, Exit.void)
    }
    return {
      instance: { manifest, process, use: uses.use },
      process,
      described,
      // Interruptible even if the caller is not, so that the kernel's end does not wait for it.
      retire: Effect.interruptible(uses.whenUnused(close)),
      retireIfUnused: (isDue) =>
        Effect.suspend(() => (uses.isUsed() || !isDue() ? Effect.succeed(false) : Effect.as(close(), true))),
      ended: () => ended,
    }
  })

const versionOf = (plugin: string, { version, digest }: Plugin): SandboxConsents.Version => ({
  plugin,
  version,
  digest,
})

const usesOf = () => {
  const waiting = new Set<() => void>()
  let uses = 0
  const left = () => {
    uses -= 1
    if (uses === 0) for (const resume of [...waiting]) resume()
  }
  const use: Instance["use"] = (effect) =>
    Effect.uninterruptibleMask((restore) => {
      uses += 1
      return endingWith(restore(effect), left)
    })
  const nextEnd = Effect.async<void>((resume) => {
    const told = () => {
      waiting.delete(told)
      resume(Effect.void)
    }
    waiting.add(told)
    return Effect.sync(() => waiting.delete(told))
  })
  const whenUnused = (end: () => Effect.Effect<void>): Effect.Effect<void> =>
    Effect.suspend(() => (uses === 0 ? end() : Effect.zipRight(nextEnd, whenUnused(end))))
  return { use, whenUnused, isUsed: () => uses > 0 }
}

/**
 * The log's file and the files next to it, whether they exist or not: no grant lets a plugin touch the log that judges
 * it. Resolves links first, because the files are next to the link's target.
 */
export const filesOf = (log: string, plugin: string): Effect.Effect<ReadonlyArray<string>, PluginUnavailable> =>
  Effect.tryPromise({
    try: async () => {
      const file = await realpathOfExisting(path.resolve(log))
      return SUFFIXES.map((ending) => `${file}${ending}`)
    },
    catch: (cause) =>
      new PluginUnavailable({ plugin, reason: `expected ${log} to be resolved, found ${String(cause)}` }),
  })

const SUFFIXES = [
  ...["", "-wal", "-shm", "-journal", ".segments", ".snapshot-key"],
  ...[".keys", ".keys-wal", ".keys-shm", ".keys-journal"],
  ...[".memories", ".memories-wal", ".memories-shm"],
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

export const describe = (running: ManagedProcess, now: Plugin): Effect.Effect<void> => {
  const { metadata, components } = running.described
  running.described = now
  // The registry shares unchanged parts, so identity is enough.
  return metadata === now.metadata && components === now.components
    ? Effect.void
    : running.process.setMetadata(metadataOf(now))
}

const servedIn = (servedInstance: string | null) =>
  servedInstance === null || servedInstance === KERNEL ? NO_TASK : servedBy(servedInstance)

const NO_TASK = { taskId: null, timeline: MAIN }

const PROCESS_EVENTS: ReadonlySet<string> = new Set(["PluginStarted", "PluginStartRefused", "PluginExited"])

/**
 * Appends the events of a process. If an event cannot be recorded, the plugin's request fails.
 *
 * @param kernel the identity of the kernel that owns the process
 */
export const recordAs =
  (log: EventLog.Service, plugin: string, version: string, instance: string, kernel?: string) =>
  (event: CoreNewEvent, servedInstance: string | null = instance): ReturnType<typeof log.append> => {
    const served = servedIn(servedInstance)
    // Events about processes go to `main` even for a fork, so that recovery finds all processes of this machine.
    const isOfFork = PROCESS_EVENTS.has(event.type) && served.timeline !== MAIN
    return log.append({
      stream: `plugin/${plugin}`,
      ...(isOfFork ? NO_TASK : served),
      actor: event.type === "PluginLogged" ? `plugin:${plugin}@${visible(version)}` : "kernel",
      events: [kernel === undefined ? event : belongingTo(kernel, event)],
    })
  }

const belongingTo = (kernel: string, event: CoreNewEvent): CoreNewEvent =>
  event.type === "PluginStarted"
    ? { ...event, payload: { ...event.payload, kernel } }
    : event.type === "PluginExited"
      ? { ...event, payload: { ...event.payload, kernel } }
      : event
