/**
 * The two layers that most programs use, and the runner of queued tasks. `layerLog` opens a log to read, decide and
 * score without a lease; `layer` adds a running kernel; `runner` works on the tasks of a log's queue.
 */

import { Effect, Layer } from "effect"
import type { OpenError } from "../events/log/EventLog.ts"
import * as PluginHost from "../plugins/process/PluginHost.ts"
import type { SandboxUnavailable } from "../plugins/sandbox/Tier.ts"
import * as ComponentSchemas from "../plugins/schemas/ComponentSchemas.ts"
import { defined } from "../values/defined.ts"
import * as Options from "../values/Options.ts"
import type { FileRecorder } from "./context/FileRecorder.ts"
import * as Kernel from "./Kernel.ts"
import {
  filesOf,
  HindcastOptions,
  LogOptions,
  type LogServices,
  type Places,
  placesOf,
  programOf,
  servicesOf,
} from "./LogLayers.ts"
import * as Program from "./program/Program.ts"
import type { ServicesOf } from "./program/ProgramFunction.ts"
import type { Sensors } from "./program/Sensor.ts"
import type { Tools } from "./program/Tool.ts"
import * as ResumedTasks from "./ResumedTasks.ts"
import * as Registry from "./registry/Registry.ts"

export { HindcastOptions, LogOptions } from "./LogLayers.ts"
export {
  type Delivery,
  type News,
  type Offer,
  type Runner,
  RunnerOptions,
  runner,
  type Settled,
  type Waiting,
} from "./Runner.ts"

/** The services that read a log or append to it without a lease: registry changes, decisions, scores, annotations. */
export const layerLog = (options: LogOptions): Layer.Layer<LogServices, Options.InvalidOptions | OpenError> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const decoded = yield* Options.decode("Hindcast.layerLog", LogOptions, options)
      const places = yield* placesOf("Hindcast.layerLog", decoded)
      // Tier `auto` requires no sandbox, so `SandboxUnavailable` cannot occur.
      const host = Layer.orDie(PluginHost.layerOf({ ...decoded.host, sandbox: "auto" }))
      return Layer.provide(servicesOf(decoded, places), host)
    }),
  )

/**
 * All of Hindcast on one SQLite log. Keeps copies and caches of plugins in `<log>.plugins`. Requires the services of
 * the program's tools and sensors.
 */
export const layer = <
  // Without candidates for inference, no tools and no sensors: a layer that requires nothing.
  OfTools extends Tools = Record<never, never>,
  OfSensors extends Sensors = Record<never, never>,
>(
  options: HindcastOptions<OfTools, OfSensors>,
): Layer.Layer<
  Kernel.Kernel | LogServices,
  | Options.InvalidOptions
  | OpenError
  | Layer.Layer.Error<ReturnType<typeof Kernel.layer>>
  | Registry.ImportError
  | SandboxUnavailable,
  ServicesOf<OfTools[keyof OfTools]> | ServicesOf<OfSensors[keyof OfSensors]>
> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      yield* ComponentSchemas.load
      const decoded = yield* Options.decode("Hindcast.layer", HindcastOptions, options)
      const { tools = {}, sensors = {} } = decoded
      const services = yield* Effect.context<
        ServicesOf<OfTools[keyof OfTools]> | ServicesOf<OfSensors[keyof OfSensors]>
      >()
      const places = yield* placesOf("Hindcast.layer", decoded)
      return kernelOn(decoded, { tools, sensors, services }, places, yield* filesOf("Hindcast.layer", decoded, places))
    }),
  )

const kernelOn = (
  options: HindcastOptions<Tools, Sensors>,
  spec: Program.ProgramSpec,
  places: Places,
  files: FileRecorder | undefined,
) => {
  const { gate, seed, owner, idleMs, judge, onOpenTasks, onProgress, rateLimits, restarts, trees, trust } = options
  const { agents = [], plugins = [], host = {} } = options
  const kernel = Kernel.layer({
    ...places,
    ...defined({ gate, seed, owner, idleMs, judge, onOpenTasks }),
    ...defined({ onProgress, rateLimits, restarts, trees, trust, files }),
  })
  const imported = Layer.scopedDiscard(
    Effect.gen(function* () {
      const registry = yield* Registry.Registry
      const program = yield* Program.Program
      if (program !== undefined) yield* registry.declare(program)
      yield* Effect.forEach(plugins, (directory) => registry.import(directory), { discard: true })
      yield* ResumedTasks.start(yield* Kernel.Kernel, agents)
    }),
  )
  return imported.pipe(
    Layer.provideMerge(kernel),
    Layer.provide(programOf(options, spec)),
    Layer.provideMerge(servicesOf(options, places)),
    Layer.provide(PluginHost.layerOf(host)),
  )
}
