/** The options of Hindcast's layers, and the services of a log that they share. */

import * as fs from "node:fs"
import { Effect, Layer, Schema } from "effect"
import type { EventLog, OpenError } from "../events/log/EventLog.ts"
import type { Lease } from "../events/log/Lease.ts"
import type { Presence } from "../events/log/Presence.ts"
import * as ServerUrl from "../events/log/ServerUrl.ts"
import type { Archive } from "../events/maintenance/Archive.ts"
import type { Bundles } from "../events/maintenance/Bundles.ts"
import type { PersonalData } from "../events/payload/PersonalData.ts"
import * as PostgresLayer from "../events/postgres/layer.ts"
import type { Records } from "../events/read/Records.ts"
import * as SqliteEventLog from "../events/sqlite/SqliteEventLog.ts"
import * as Memories from "../memories/Memories.ts"
import * as PluginHost from "../plugins/process/PluginHost.ts"
import * as Projector from "../projections/projector/Projector.ts"
import * as TimeTravel from "../projections/timetravel/TimeTravel.ts"
import * as Unfinished from "../projections/unfinished/Unfinished.ts"
import { defined } from "../values/defined.ts"
import * as Options from "../values/Options.ts"
import * as Agent from "./agents/Agent.ts"
import * as Annotating from "./annotations/Annotating.ts"
import { type FileRecorder, RecordFiles } from "./context/FileRecorder.ts"
import * as TaskControl from "./control/TaskControl.ts"
import * as Critics from "./critics/Critics.ts"
import * as Confirmations from "./gate/Confirmations.ts"
import * as Gate from "./gate/Gate.ts"
import * as Supervision from "./instances/Supervision.ts"
import { JudgeOptions } from "./judging/LiveJudge.ts"
import * as Kernel from "./Kernel.ts"
import { RateLimits } from "./pacing/RateLimits.ts"
import * as MemoryTools from "./program/MemoryTools.ts"
import * as Program from "./program/Program.ts"
import * as ProgramOptions from "./program/ProgramOptions.ts"
import type { Sensor, Sensors } from "./program/Sensor.ts"
import type { Tool, Tools } from "./program/Tool.ts"
import * as TaskQueue from "./queue/TaskQueue.ts"
import * as PluginCopies from "./registry/copies/PluginCopies.ts"
import * as Registry from "./registry/Registry.ts"
import * as Scoring from "./scoring/Scoring.ts"
import { TreeLimits } from "./teams/TreeLimits.ts"

/** Options of `layerLog`. */
export interface LogOptions {
  /** The file or the URL of a PostgreSQL server (`postgres://…`), or options to open one of the two with. */
  readonly log: string | SqliteEventLog.SqliteOptions | PostgresLayer.PostgresOptions
  /** The directory that plugins may work in. Default: the working directory. */
  readonly workspace?: string
  /** The actor of registry changes. Default: `kernel`. */
  readonly actor?: string
  /** The sandbox of plugins that judge tasks. Default: the strongest one that this machine supports. */
  readonly host?: PluginHost.JudgingHostOptions
  /** How `Memories` finds memories. Default: by their words. */
  readonly memories?: Memories.MemoriesOptions
}

/** Options of `layer`. Without type arguments, its tools and sensors need no services. */
export interface HindcastOptions<
  OfTools extends Tools = { readonly [name: string]: Tool },
  OfSensors extends Sensors = { readonly [name: string]: Sensor },
> extends LogOptions,
    Pick<
      Kernel.KernelOptions,
      "idleMs" | "judge" | "onOpenTasks" | "onProgress" | "rateLimits" | "restarts" | "trees" | "trust"
    > {
  /** Directories of plugins to import when the layer is built. */
  readonly plugins?: ReadonlyArray<string>
  /**
   * Tools of this program: a command to `program/lookup` calls `{ lookup: Tool.make({ … }) }`. Tools and sensors form
   * one plugin named `program`, which runs in this process without a sandbox. The layer records the plugin when it is
   * built, and again after a changed declaration.
   */
  readonly tools?: OfTools
  /** Sensors of this program: `program/clock` reads `{ clock: Sensor.make({ … }) }`. */
  readonly sensors?: OfSensors
  /**
   * With `onOpenTasks: "resume"`, the layer resumes the open tasks of these agents in the background. The tasks of
   * other agents wait for `tasks.resume`.
   */
  readonly agents?: ReadonlyArray<Agent.Agent>
  /** Default: `Gate.standard`, which asks a person unless an actuator's effective risk is little. */
  readonly gate?: Gate.GateConfig
  /** Seeds all randomness. Default: drawn at random, and recorded. */
  readonly seed?: number
  /** The holder's name in messages about the lease. */
  readonly owner?: string
  /**
   * The sandbox tier of plugins, the limits of each process, and the program's consent to start plugins that only
   * Deno's permissions confine. Default: tier `auto`, no consent.
   */
  readonly host?: PluginHost.HostOptions
  /**
   * Records the files of the workspace, or of the repository around it: `recordFiles` of `hindcast/files`. A continued
   * task keeps its choice. Default: no files.
   */
  readonly files?: RecordFiles
  /**
   * Gives agents memories that outlast a task: the tools `program/remember` and `program/recall`, and the sensor
   * `program/memories` if it says so. Default: no tools. The service `Memories` is there in any case.
   */
  readonly memories?: Memories.MemoriesOptions
}

/** Schema of a log's place. */
export const LogFile = Schema.Union(
  Options.Path,
  SqliteEventLog.SqliteOptions,
  PostgresLayer.PostgresOptions,
).annotations({
  description: "the log's file, the URL of a PostgreSQL server, or an object with its filename or url",
})

const log = { log: LogFile }
const places = { workspace: Options.Path, actor: Options.Name }

/** Schema of `LogOptions`. */
export const LogOptions = Options.of<LogOptions>({
  required: log,
  optional: { ...places, host: PluginHost.JudgingHostOptions, memories: Memories.MemoriesOptions },
})

/** The optional fields of every kernel's options. */
export const kernelFields = {
  ...places,
  plugins: Schema.Array(Options.Text),
  tools: ProgramOptions.ToolOptions,
  sensors: ProgramOptions.SensorOptions,
  gate: Gate.GateConfig,
  seed: Options.Seed,
  idleMs: Options.Milliseconds,
  onProgress: Kernel.OnProgress,
  rateLimits: RateLimits,
  restarts: Supervision.RestartPolicy,
  trees: TreeLimits,
  trust: Schema.Boolean,
  host: PluginHost.HostOptions,
  files: RecordFiles,
  memories: Memories.MemoriesOptions,
}

/** Schema of `HindcastOptions`. Run `ComponentSchemas.load` first: the schemas of tools need it. */
export const HindcastOptions: Schema.Schema<HindcastOptions<Tools, Sensors>> = Options.checking(
  Options.of<HindcastOptions<Tools, Sensors>>({
    required: log,
    optional: {
      ...kernelFields,
      owner: Options.Name,
      onOpenTasks: Kernel.OnOpenTasks,
      judge: JudgeOptions,
      agents: Schema.Array(Agent.Agent),
    },
  }),
  (options) => [...ProgramOptions.sharedNames(options), ...MemoryTools.takenNames(options), ...unusedAgents(options)],
)

const isObject = Schema.is(Schema.Object)

const unusedAgents = (options: unknown): ReadonlyArray<Options.Found> => {
  if (!isObject(options) || Reflect.get(options, "agents") === undefined) return []
  const found: unknown = Reflect.get(options, "onOpenTasks")
  return found === "resume"
    ? []
    : [
        {
          keys: ["onOpenTasks"],
          expected: '"resume", for the agents that resume tasks',
          found: found === undefined ? "nothing" : JSON.stringify(found),
        },
      ]
}

/** The services that `layerLog` provides. */
export type LogServices =
  | EventLog
  | Archive
  | Bundles
  | Records
  | PersonalData
  | Lease
  | Presence
  | Projector.Projector
  | TimeTravel.TimeTravel
  | Registry.Registry
  | Confirmations.Confirmations
  | Critics.Critics
  | Scoring.Scoring
  | TaskControl.TaskControl
  | TaskQueue.TaskQueue
  | Annotating.Annotating
  | Memories.Memories

/** The services of a log without a kernel. */
export const servicesOf = (
  { log, actor, memories }: LogOptions,
  places: Places,
): Layer.Layer<LogServices, Options.InvalidOptions | OpenError, PluginHost.PluginHost> => {
  const place = placeOf(log)
  const registry = Registry.layer({ ...places, ...defined({ actor }) })
  const scoring = Layer.provideMerge(Scoring.layerWithCritics, Critics.layer(places))
  const readers = Layer.mergeAll(
    TimeTravel.layer,
    Confirmations.layer,
    TaskControl.layer,
    TaskQueue.layer,
    Annotating.layer,
  )
  return Layer.mergeAll(readers, Memories.layer(memories), scoring).pipe(
    Layer.provideMerge(registry),
    Layer.provideMerge(Projector.layerSharing(Unfinished.projection)),
    Layer.provideMerge("url" in place ? PostgresLayer.layer(place) : SqliteEventLog.layer(place)),
  )
}

/** The program's plugin: its tools and sensors, and those of memories if the options ask for them. */
export const programOf = (
  { memories }: Pick<HindcastOptions, "memories">,
  spec: Program.ProgramSpec,
): Layer.Layer<Program.Program, never, Layer.Layer.Context<ReturnType<typeof remembering>>> =>
  memories === undefined ? Layer.succeed(Program.Program, Program.make(spec)) : remembering(memories, spec)

const remembering = (memories: Memories.MemoriesOptions, spec: Program.ProgramSpec) =>
  Layer.effect(
    Program.Program,
    Effect.map(MemoryTools.make(memories), (own) => Program.make(withTools(spec, own))),
  )

const withTools = (spec: Program.ProgramSpec, own: MemoryTools.MemoryTools): Program.ProgramSpec => ({
  ...spec,
  tools: { ...spec.tools, ...own.tools },
  sensors: { ...spec.sensors, ...own.sensors },
})

const placeOf = (log: LogOptions["log"]): SqliteEventLog.SqliteOptions | PostgresLayer.PostgresOptions =>
  typeof log !== "string" ? log : ServerUrl.isAddress(log) ? { url: log } : { filename: log }

/** The directories of a kernel. */
export type Places = Pick<Kernel.KernelOptions, "directory" | "workspace">

/** Checks the directories. `of` names the caller in errors. */
export const placesOf = (
  of: string,
  { log, workspace = "." }: LogOptions,
): Effect.Effect<Places, Options.InvalidOptions> =>
  Effect.try({
    try: () => {
      const place = placeOf(log)
      const real = fs.realpathSync(workspace)
      if (!fs.statSync(real).isDirectory()) throw new Error("not a directory")
      return {
        directory: PluginCopies.directoryOf("url" in place ? ServerUrl.shown(place.url) : place.filename),
        workspace: real,
      }
    },
    catch: (cause) => {
      const reason = cause instanceof Error ? cause.message : String(cause)
      const found = `${JSON.stringify(workspace)} (${reason})`
      return new Options.InvalidOptions({ of, problems: [{ path: "workspace", expected: "a directory", found }] })
    },
  })

/** The recorder of files that the options ask for. `of` names the caller in errors. */
export const filesOf = (
  of: string,
  { log, files }: HindcastOptions<Tools, Sensors>,
  { workspace }: Places,
): Effect.Effect<FileRecorder | undefined, Options.InvalidOptions> =>
  Effect.try({
    try: () => {
      const place = placeOf(log)
      if (files !== undefined && "url" in place)
        throw new Error("a log on a PostgreSQL server, next to which no contents of files can be kept")
      return "url" in place ? undefined : files?.({ log: place.filename, workspace })
    },
    catch: (cause) => {
      const found = cause instanceof Error ? cause.message : String(cause)
      return new Options.InvalidOptions({
        of,
        problems: [{ path: "files", expected: "files that can be recorded", found }],
      })
    },
  })
