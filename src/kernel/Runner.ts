/** Runners: processes that claim the queued tasks of a log and work on them, several at a time on a server's log. */

import * as os from "node:os"
import { Cause, Context, Deferred, Effect, Exit, Layer, Option, Schema, type Scope } from "effect"
import { EventLog, type LeaseLost } from "../events/log/EventLog.ts"
import { Lease } from "../events/log/Lease.ts"
import * as RunnerSessions from "../events/log/RunnerSessions.ts"
import * as ProgramLog from "../platform/ProgramLog.ts"
import * as PluginHost from "../plugins/process/PluginHost.ts"
import * as ComponentSchemas from "../plugins/schemas/ComponentSchemas.ts"
import { Projector } from "../projections/projector/Projector.ts"
import { defined } from "../values/defined.ts"
import * as Options from "../values/Options.ts"
import * as Agent from "./agents/Agent.ts"
import * as Kernel from "./Kernel.ts"
import { filesOf, type HindcastOptions, kernelFields, LogFile, placesOf, programOf, servicesOf } from "./LogLayers.ts"
import * as MemoryTools from "./program/MemoryTools.ts"
import * as Program from "./program/Program.ts"
import type { ServicesOf } from "./program/ProgramFunction.ts"
import * as ProgramOptions from "./program/ProgramOptions.ts"
import type { Sensor, Sensors } from "./program/Sensor.ts"
import type { Tool, Tools } from "./program/Tool.ts"
import * as Delivery from "./queue/Delivery.ts"
import * as Ownership from "./queue/Ownership.ts"
import * as Registration from "./queue/Registration.ts"
import * as RunnerTenure from "./queue/RunnerTenure.ts"
import { Labels } from "./queue/SubmitOptions.ts"
import { type News, serve } from "./RunnerWork.ts"
import { closeTask } from "./recovery/Takeover.ts"
import * as Tenure from "./recovery/Tenure.ts"
import * as Registry from "./registry/Registry.ts"
import * as RunningTasks from "./tasks/RunningTasks.ts"
import * as Trust from "./trust/Trust.ts"

export type { Delivery, Offer, Settled, Waiting } from "./queue/Delivery.ts"
export type { News } from "./RunnerWork.ts"

/** Options of `Hindcast.runner`: those of `Hindcast.layer`, and the runner's own. */
export interface RunnerOptions<
  OfTools extends Tools = { readonly [name: string]: Tool },
  OfSensors extends Sensors = { readonly [name: string]: Sensor },
> extends Omit<HindcastOptions<OfTools, OfSensors>, "agents" | "judge" | "onOpenTasks" | "owner"> {
  /** The agents that work on queued tasks, each by its name. At least one. */
  readonly agents: ReadonlyArray<Agent.Agent>
  /** The runner's name, for people. Default: the machine's name and the process id. */
  readonly name?: string
  /** Maximum number of tasks at a time. Default: 4. */
  readonly slots?: number
  /** Labels that tasks can ask for. Default: none. */
  readonly labels?: ReadonlyArray<string>
  /** A task whose runners died or failed this often without progress is poisoned. Default: 3. */
  readonly poisonAfter?: number
  /** How long draining waits for the ends of steps, in milliseconds. Default: 30,000. */
  readonly drainWithinMs?: number
  /** Delivers tasks, such as a job queue. Default: the log, by priority and age. The log is the fence in any case. */
  readonly delivery?: Delivery.Delivery
  /** Receives what happens to tasks. Default: nobody does. */
  readonly onNews?: (news: News) => void
}

const SLOTS = 4
const POISON_AFTER = 3
const DRAIN_WITHIN_MS = 30_000

/** Schema of `RunnerOptions`. Run `ComponentSchemas.load` first: the schemas of tools need it. */
export const RunnerOptions: Schema.Schema<RunnerOptions<Tools, Sensors>> = Options.checking(
  Options.of<RunnerOptions<Tools, Sensors>>({
    required: { log: LogFile, agents: Schema.Array(Agent.Agent) },
    optional: {
      ...kernelFields,
      name: Options.Name,
      slots: Options.wholeNumber(1, 10_000),
      labels: Labels,
      poisonAfter: Options.wholeNumber(1, 1_000),
      drainWithinMs: Options.Milliseconds,
      delivery: Delivery.Delivery,
      onNews: Options.callable<(news: News) => void>(),
    },
  }),
  (options) => [...ProgramOptions.sharedNames(options), ...MemoryTools.takenNames(options), ...agentNames(options)],
)

const isObject = Schema.is(Schema.Object)

const agentNames = (options: unknown): ReadonlyArray<Options.Found> => {
  const agents: unknown = isObject(options) ? Reflect.get(options, "agents") : undefined
  if (!Array.isArray(agents)) return []
  if (agents.length === 0) return [{ keys: ["agents"], expected: "at least one agent", found: "none" }]
  const names = agents.map((agent) => (isObject(agent) ? Reflect.get(agent, "name") : undefined))
  const twice = names.find((name, index) => typeof name === "string" && names.indexOf(name) < index)
  return twice === undefined
    ? []
    : [{ keys: ["agents"], expected: "agents with different names", found: `two named ${JSON.stringify(twice)}` }]
}

/** A runner at work. */
export interface Runner {
  readonly name: string
  /** Claims nothing more, gives tasks back at the ends of their steps, and ends. Completes when it has ended. */
  readonly drain: Effect.Effect<void, RunnerError>
  /** Completes when the runner has ended: it was drained, by its program or by a request in the log. */
  readonly ended: Effect.Effect<void, RunnerError>
}

/** Why a runner cannot start or continue. */
export type RunnerError =
  | Layer.Layer.Error<ReturnType<typeof servicesOf>>
  | Layer.Layer.Error<ReturnType<typeof Kernel.layer>>
  | Layer.Layer.Error<ReturnType<typeof PluginHost.layerOf>>
  | Registry.ImportError

/**
 * Starts a runner, which works until it is drained or the scope closes. Returns once its first session is in the log.
 *
 * On a server's log, several runners work at a time, each in a session with heartbeats. A session that sent none for
 * five seconds ends itself, before others take its tasks over. The runner then begins a new session, as soon as the
 * server answers. On a file, the runner takes the log's lease.
 *
 * Closing the scope leaves tasks as they are, for other runners. `drain` waits for the ends of their steps.
 */
export const runner = <OfTools extends Tools = Record<never, never>, OfSensors extends Sensors = Record<never, never>>(
  options: RunnerOptions<OfTools, OfSensors>,
): Effect.Effect<
  Runner,
  RunnerError,
  Scope.Scope | ServicesOf<OfTools[keyof OfTools]> | ServicesOf<OfSensors[keyof OfSensors]>
> =>
  Effect.gen(function* () {
    yield* ComponentSchemas.load
    const decoded = yield* Options.decode("Hindcast.runner", RunnerOptions, options)
    const { tools = {}, sensors = {}, name = `${os.hostname()}-${process.pid}` } = decoded
    const services = yield* Effect.context<
      ServicesOf<OfTools[keyof OfTools]> | ServicesOf<OfSensors[keyof OfSensors]>
    >()
    const spec: Program.ProgramSpec = { tools, sensors, services }
    const drained = yield* Deferred.make<void>()
    const started = yield* Deferred.make<void, RunnerError>()
    const ended = yield* Deferred.make<void, RunnerError>()
    const past: Past = { session: undefined }
    const one = Effect.scoped(session(decoded, name, spec, { drained, started }, past))
    const working = sessions(one, started, drained).pipe(
      Effect.onExit((exit) => {
        const told = Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause) ? Exit.void : exit
        return Effect.zipRight(Deferred.done(started, told), Deferred.done(ended, told))
      }),
    )
    yield* Effect.forkScoped(working)
    yield* Deferred.await(started)
    const end = Deferred.await(ended)
    return { name, ended: end, drain: Effect.zipRight(Deferred.succeed(drained, undefined), end) }
  })

/** The last session of this process in the log. */
interface Past {
  session: string | undefined
}

/** Between two sessions, in milliseconds. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

/** Begins a new session after each one that was lost, and while the log cannot be opened after the first. */
const sessions = (
  session: Effect.Effect<void, RunnerError | LeaseLost>,
  started: Deferred.Deferred<void, RunnerError>,
  drained: Deferred.Deferred<void>,
): Effect.Effect<void, RunnerError> =>
  Effect.gen(function* () {
    let pauseMs = FIRST_PAUSE_MS
    for (;;) {
      const exit = yield* Effect.exit(session)
      if (Exit.isSuccess(exit)) return
      const failure = Cause.failureOption(exit.cause)
      const error = Option.getOrUndefined(failure)
      if (error === undefined) return yield* Effect.failCause(exit.cause as Cause.Cause<never>)
      const isLost = error._tag === "LeaseLost"
      const isAway = (yield* Deferred.isDone(started)) && AWAY.has(error._tag)
      if (!isLost && !isAway) return yield* error
      yield* ProgramLog.warning("the runner's session has ended; beginning another", error)
      pauseMs = isLost ? FIRST_PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
      yield* Effect.raceFirst(Effect.sleep(pauseMs), Deferred.await(drained))
      if (yield* Deferred.isDone(drained)) return
    }
  })

const AWAY: ReadonlySet<string> = new Set(["LogUnavailable", "LogBusy", "DiskFull", "LeaseHeld"])

const session = (
  options: RunnerOptions<Tools, Sensors>,
  name: string,
  spec: Program.ProgramSpec,
  {
    drained,
    started,
  }: Record<"drained", Deferred.Deferred<void>> & Record<"started", Deferred.Deferred<void, RunnerError>>,
  past: Past,
): Effect.Effect<void, RunnerError | LeaseLost, Scope.Scope> =>
  Effect.gen(function* () {
    const places = yield* placesOf("Hindcast.runner", options)
    const files = yield* filesOf("Hindcast.runner", options, places)
    const { agents, plugins = [], host = {}, slots = SLOTS, labels = [], poisonAfter = POISON_AFTER } = options
    const { drainWithinMs = DRAIN_WITHIN_MS, onNews } = options
    const services = programOf(options, spec).pipe(
      Layer.provideMerge(servicesOf(options, places)),
      Layer.provideMerge(PluginHost.layerOf(host)),
    )
    const context = yield* Layer.build(services)
    yield* Effect.gen(function* () {
      const opened = yield* EventLog
      const projector = yield* Projector
      const given = yield* Effect.serviceOption(RunnerSessions.RunnerSessions)
      // Before the session writes anything. The kernel checks again.
      yield* Trust.assertTrusted(options.trust === true ? "option" : undefined)
      const joining = Option.getOrElse(given, () => RunnerSessions.ofLease(Context.get(context, Lease)))
      const own = yield* joining.join(name)
      const identity = own.lease.identity
      const runner: Ownership.Runner = { name, slots, labels, poisonAfter, agents: agents.map((agent) => agent.name) }
      const scope = yield* Effect.scope
      const running = RunningTasks.make()
      const claims: RunnerTenure.Claims = new Map()
      // Another fiber suspends the task: this one is part of its work.
      const lost = (task: string) => Effect.asVoid(Effect.forkIn(running.suspend(task), scope))
      const tenure = yield* joining.several
        ? RunnerTenure.ofSession(opened, own, runner, claims, lost, past.session)
        : Tenure.ofLease(opened, name, own.lease, "resume").pipe(
            Effect.tap(({ log }) => Registration.register(log, runner, identity, past.session)),
          )
      past.session = identity
      let reason = "its program ended"
      yield* Effect.addFinalizer(() => Effect.ignore(Registration.deregister(tenure.log, runner, identity, reason)))
      const { gate, seed, idleMs, onProgress, rateLimits, restarts, trees, trust } = options
      const kernelOptions: Kernel.KernelOptions = {
        ...places,
        onOpenTasks: "resume",
        owner: name,
        ...defined({ gate, seed, idleMs, onProgress, rateLimits, restarts, trees, trust, files }),
      }
      const kernel = yield* Kernel.make(kernelOptions, Effect.succeed(tenure), running)
      const registry = yield* Registry.Registry
      const program = yield* Program.Program
      if (program !== undefined) yield* registry.declare(program)
      yield* Effect.forEach(plugins, (directory) => registry.import(directory), { discard: true })
      const { delivery } = options
      const delivering = delivery === undefined ? undefined : Delivery.make(delivery)
      const ownership = Ownership.make(tenure.log, projector, joining, own, runner, delivering)
      yield* Deferred.succeed(started, undefined)
      yield* serve({
        log: tenure.log,
        ...{ kernel, running, ownership, claims, agents, slots, drainWithinMs, drained },
        session: own,
        close: (taskId) =>
          closeTask(taskId).pipe(
            Effect.provideService(EventLog, tenure.log),
            Effect.provideService(Projector, projector),
          ),
        tell: (news, { task, turn }) =>
          Effect.zipRight(
            Effect.sync(() => onNews?.(news)),
            delivering === undefined || news.what === "claimed"
              ? Effect.void
              : delivering.settle({ task, turn }, news.what),
          ),
        ...(delivery === undefined ? {} : { deliveredEveryMs: delivery.everyMs ?? Delivery.EVERY_MS }),
      })
      reason = "it was drained"
    }).pipe(Effect.provide(context))
  })
