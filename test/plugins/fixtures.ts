import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { Effect, Either, type Scope } from "effect"
import type { CoreNewEvent } from "../../src/events/log/EventLog.ts"
import * as Grants from "../../src/plugins/manifest/Grants.ts"
import * as Manifest from "../../src/plugins/manifest/Manifest.ts"
import { PluginHost } from "../../src/plugins/process/PluginHost.ts"
import type { PluginError, PluginProcess } from "../../src/plugins/process/PluginProcess.ts"
import type { ProcessLimits, ProcessMetadata, ProcessSpec } from "../../src/plugins/process/ProcessSpec.ts"

/** A manifest that is valid, for a plugin with nothing in it. */
export const bareManifest = {
  name: "sample",
  description: "A plugin for a test",
  version: "1.0.0",
  entry: "main.ts",
  permissions: { read: [], run: [] },
  peas: {
    performance: [
      { name: "calm", description: "Stays calm", rewards: [{ name: "quiet", when: "no error", weight: 0.5 }] },
    ],
  },
} as const

/** An empty directory, by its real path, that is removed with the scope. */
export const temporaryDirectory: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(async () => fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), "hindcast-plugins-")))),
  (directory) => Effect.promise(() => fs.rm(directory, { recursive: true, force: true })),
)

/** Writes files below a directory. */
export const writeFiles = (directory: string, files: { readonly [name: string]: string }): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (const [name, content] of Object.entries(files)) {
      await fs.mkdir(path.dirname(path.join(directory, name)), { recursive: true })
      await fs.writeFile(path.join(directory, name), content)
    }
  })

/** What a test says of a plugin; the rest has its defaults. */
export interface Sample {
  /** The source of `main.ts`. */
  readonly entry: string
  readonly name?: string
  readonly sensors?: ReadonlyArray<string>
  readonly actuators?: ReadonlyArray<string>
  readonly environment?: boolean
  readonly permissions?: Partial<Manifest.Manifest["permissions"]>
  readonly variables?: Manifest.Manifest["variables"]
  readonly grants?: Partial<Grants.Grants>
  /** Files of the workspace. */
  readonly workspace?: { readonly [name: string]: string }
  readonly metadata?: ProcessMetadata
  readonly seed?: number
  readonly limits?: ProcessLimits
  /** Where the plugin stands, below the directory that holds the workspace too. Default: `plugin`. */
  readonly directory?: string
  /** What it must not touch, below that directory. */
  readonly forbidden?: ReadonlyArray<string>
  /** Links in the workspace: by their names, where they lead. */
  readonly links?: { readonly [name: string]: string }
  /** The link in the workspace that is granted by its own name, as if its target were meant. */
  readonly grantLink?: string
  /** What recording an event does. Default: adds it to the list of events. */
  readonly record?: ProcessSpec["record"]
  /** Takes what its sensors push. Default: nothing does. */
  readonly onEmit?: NonNullable<ProcessSpec["onEmit"]>
}

/** A started plugin, its workspace, and the events it has recorded so far. */
export interface Started {
  readonly process: PluginProcess
  readonly workspace: string
  readonly directory: string
  readonly events: Array<CoreNewEvent>
}

const named = (names: ReadonlyArray<string> = []) => names.map((name) => ({ name, description: `It is ${name}` }))

/** Writes a plugin into a directory of its own and starts it. */
export const start = (sample: Sample): Effect.Effect<Started, PluginError, Scope.Scope | PluginHost> =>
  Effect.gen(function* () {
    const events: Array<CoreNewEvent> = []
    const started = yield* startRecording(sample, events)
    return started
  })

/** As `start`, with a list for the events that outlives a failure to start. */
export const startRecording = (
  sample: Sample,
  events: Array<CoreNewEvent>,
): Effect.Effect<Started, PluginError, Scope.Scope | PluginHost> =>
  Effect.gen(function* () {
    const base = yield* temporaryDirectory
    const directory = path.join(base, sample.directory ?? "plugin")
    const workspace = path.join(base, "workspace")
    const { sensors, actuators, environment, permissions, variables } = sample
    const json = {
      ...bareManifest,
      name: sample.name ?? "sample",
      permissions: { read: [], run: [], ...permissions },
      peas: {
        ...bareManifest.peas,
        sensors: named(sensors),
        actuators: named(actuators),
        ...(environment === true ? { environment: { name: "world", description: "A world" } } : {}),
      },
      ...(variables === undefined ? {} : { variables }),
    }
    yield* writeFiles(directory, { "looper-plugin.json": JSON.stringify(json), "main.ts": sample.entry })
    yield* writeFiles(workspace, { ".keep": "", ...sample.workspace })
    yield* Effect.promise(async () => {
      for (const [name, target] of Object.entries(sample.links ?? {})) {
        await fs.mkdir(path.dirname(path.join(workspace, name)), { recursive: true })
        await fs.symlink(target, path.join(workspace, name))
      }
    })
    const { manifest } = yield* Effect.orDie(Manifest.load(directory))
    const extra = sample.grants ?? {}
    const grants = Either.getOrThrow(Grants.resolve(manifest, { directory, workspace, extra }))
    const linked = sample.grantLink === undefined ? [] : [path.join(workspace, sample.grantLink)]
    // A name for what is forbidden that is not its real path.
    yield* Effect.promise(() => fs.symlink(base, path.join(base, "link")))
    const host = yield* PluginHost
    const process = yield* host.start({
      manifest,
      directory,
      grants: { ...grants, read: [...grants.read, ...linked] },
      workspace,
      seed: sample.seed ?? 1,
      instance: "kernel",
      denoDir: path.join(base, "deno"),
      metadata: sample.metadata ?? { plugin: {}, components: {} },
      // Tests are not to wait for whatever else the machine does.
      limits: { niceness: 0, stopMs: 300, cancelMs: 300, ...sample.limits },
      forbidden: (sample.forbidden ?? []).map((place) => path.join(base, "link", place)),
      record: sample.record ?? ((event) => Effect.sync(() => events.push(event))),
      ...(sample.onEmit === undefined ? {} : { onEmit: sample.onEmit }),
    })
    return { process, workspace, directory, events }
  })

/** What was logged, as `level: message`. */
export const logged = (events: ReadonlyArray<CoreNewEvent>): ReadonlyArray<string> =>
  events.flatMap((event) => (event.type === "PluginLogged" ? [`${event.payload.level}: ${event.payload.message}`] : []))

/** Succeeds when an event is recorded that fits; fails the test by its time-out otherwise. */
export const recorded = (events: Array<CoreNewEvent>, fits: (event: CoreNewEvent) => boolean): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (events.some(fits)) return resume(Effect.void)
    const push = events.push.bind(events)
    events.push = (...added) => {
      const length = push(...added)
      if (added.some(fits)) resume(Effect.void)
      return length
    }
  })

/** Succeeds when a plugin has logged a message. */
export const wasLogged = (events: Array<CoreNewEvent>, message: string) =>
  recorded(events, (event) => event.type === "PluginLogged" && event.payload.message === message)

/** Whether a process exists. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
