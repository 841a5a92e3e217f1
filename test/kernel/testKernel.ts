import * as fs from "node:fs"
import * as path from "node:path"
import { Context, Effect, Layer } from "effect"
import type { EventLog } from "../../src/events/log/EventLog.ts"
import type { Lease } from "../../src/events/log/Lease.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import * as Annotating from "../../src/kernel/annotations/Annotating.ts"
import * as TaskControl from "../../src/kernel/control/TaskControl.ts"
import * as Critics from "../../src/kernel/critics/Critics.ts"
import * as Confirmations from "../../src/kernel/gate/Confirmations.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import * as Kernel from "../../src/kernel/Kernel.ts"
import * as Program from "../../src/kernel/program/Program.ts"
import * as TaskQueue from "../../src/kernel/queue/TaskQueue.ts"
import * as Registry from "../../src/kernel/registry/Registry.ts"
import * as Scoring from "../../src/kernel/scoring/Scoring.ts"
import * as Memories from "../../src/memories/Memories.ts"
import * as PluginHost from "../../src/plugins/process/PluginHost.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import * as TimeTravel from "../../src/projections/timetravel/TimeTravel.ts"
import { temporaryDirectory } from "../temporary.ts"
import { CONSENT, type Sample, writePlugin } from "./given.ts"

/** Options of `testKernel`: those of `Hindcast.layer`, and these. */
export interface TestKernelOptions extends Omit<Partial<Hindcast.HindcastOptions>, "log" | "plugins"> {
  /** The plugins that it imports: their directories, or what a test says of them, which is written to `sources/`. Default: none. */
  readonly plugins?: ReadonlyArray<Sample | string>
  /** Where its log is, and its workspace if no other is named. Default: a new directory. That of another kernel: on the same log. */
  readonly directory?: string
  /** What stands between the kernel and its log. Such a kernel imports no plugins by itself. */
  readonly between?: Layer.Layer<EventLog, never, EventLog | Lease>
}

/**
 * A kernel that is not started yet, on the log `log.db` of a directory. If the options do not say otherwise, it allows every command,
 * starts plugins that did not come with Hindcast, and draws from the seed 7.
 *
 * - `layer` is the kernel with everything on its log, and `start` builds it in the scope of the test: what is given to `run` finds it there
 * - `layerLog` is its log with the registry, without a kernel
 * - `plugins` are the directories of its plugins
 */
export const testKernel = ({ plugins = [], directory: given, between, ...options }: TestKernelOptions = {}) =>
  Effect.map(given === undefined ? temporaryDirectory : Effect.succeed(given), (directory) => {
    fs.mkdirSync(directory, { recursive: true })
    const directories = plugins.map((plugin) =>
      typeof plugin === "string" ? plugin : writePlugin(path.join(directory, "sources", plugin.name), plugin),
    )
    const log = path.join(directory, "log.db")
    const settings: Settings = { ...PERMISSIVE, log, workspace: directory, ...options }
    const { workspace, actor } = settings
    const layer =
      between === undefined ? Hindcast.layer({ ...settings, plugins: directories }) : layerThrough(between, settings)
    return {
      directory,
      log,
      layer,
      plugins: directories,
      layerLog: Hindcast.layerLog({ log, workspace, host: CONSENT, ...(actor === undefined ? {} : { actor }) }),
      start: Effect.map(Layer.build(layer), (context) => ({
        run: <A, E>(effect: Effect.Effect<A, E, Layer.Layer.Success<typeof layer>>) => Effect.provide(effect, context),
      })),
    }
  })

/** What a test has that says nothing of it. */
const PERMISSIVE: Pick<Hindcast.HindcastOptions, "seed" | "gate" | "host"> = {
  seed: 7,
  gate: { default: "allow" },
  host: CONSENT,
}

interface Settings extends Omit<Hindcast.HindcastOptions, "log" | "plugins"> {
  readonly log: string
  readonly workspace: string
}

/** As `Hindcast.layer` puts them together. */
const layerThrough = (
  between: Layer.Layer<EventLog, never, EventLog | Lease>,
  { log: filename, workspace, gate, seed, host, onOpenTasks, tools = {}, sensors = {} }: Settings,
): ReturnType<typeof Hindcast.layer<Record<never, never>>> => {
  const program = Program.make({ tools, sensors, services: Context.empty() })
  const declared = Layer.effectDiscard(
    Effect.flatMap(Registry.Registry, (registry) => (program === undefined ? Effect.void : registry.declare(program))),
  )
  const places = { workspace, directory: `${filename}.plugins` }
  const scoring = Layer.provideMerge(Scoring.layerWithCritics, Critics.layer(places))
  const kernel = Kernel.layer({
    ...places,
    ...(gate === undefined ? {} : { gate }),
    ...(seed === undefined ? {} : { seed }),
    ...(onOpenTasks === undefined ? {} : { onOpenTasks }),
  }).pipe(Layer.provide(Layer.succeed(Program.Program, program)))
  return declared.pipe(
    Layer.provideMerge(kernel),
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.mergeAll(TimeTravel.layer, Confirmations.layer, TaskControl.layer, TaskQueue.layer),
        Layer.mergeAll(Annotating.layer, Memories.layer()),
        scoring,
      ),
    ),
    Layer.provideMerge(Registry.layer(places)),
    Layer.provideMerge(Projector.layer),
    Layer.provideMerge(between),
    Layer.provideMerge(SqliteEventLog.layer({ filename })),
    Layer.provide(PluginHost.layerOf(host ?? {})),
  )
}
