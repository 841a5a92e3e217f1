/** The queue of a log, and runners of its tasks, with promises. */

/// <reference lib="esnext.disposable" preserve="true" />
import { Effect, Exit, Layer, Runtime, Schema, Scope } from "effect"
import { EventLog } from "../events/log/EventLog.ts"
import * as ServerUrl from "../events/log/ServerUrl.ts"
import * as KernelAgent from "../kernel/agents/Agent.ts"
import * as Layers from "../kernel/Hindcast.ts"
import * as LogMetrics from "../kernel/metrics/LogMetrics.ts"
import { TaskQueue } from "../kernel/queue/TaskQueue.ts"
import { InvalidOptions } from "../values/Options.ts"
import { type Agent, adapted } from "./Agent.ts"
import * as Calls from "./Calls.ts"
import { type Promised, promised, takeSignal } from "./Promised.ts"

/** Options of `runner`: those of `Hindcast.runner`, and a signal that cancels the start. */
export interface RunnerOptions extends Omit<Layers.RunnerOptions, "agents">, Calls.CallOptions {
  /** The agents that work on queued tasks, each by its name. At least one. */
  readonly agents: ReadonlyArray<Agent>
}

/** A runner at work. */
export interface Runner {
  readonly name: string
  /** Claims nothing more, gives tasks back at the ends of their steps, and ends. Resolves when it has ended. */
  readonly drain: () => Promise<void>
  /** Resolves when the runner has ended, because it was drained. Rejects if it cannot continue. */
  readonly ended: Promise<void>
  /** Leaves tasks as they are, for other runners, and ends at once. Resolves when all is done. */
  readonly close: () => Promise<void>
  /** Drains and closes, for `await using worker = await runner(…)`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** See `runner` of `open`. */
export const runner = async (options: RunnerOptions): Promise<Runner> => {
  const { given, signal, invalid } = takeSignal("runner", [options])
  if (invalid !== undefined) throw invalid
  const { agents, ...settings } = given[0] ?? ({} as RunnerOptions)
  const own = Effect.runSync(Scope.make())
  const leave = Scope.close(own, Exit.void)
  // Agents' calls go through it. The runner's scope closes before they are interrupted: their tasks stay open.
  const calls = Calls.make(nameOf(settings.log), Runtime.defaultRuntime, Effect.runSync(Scope.make()), leave)
  const started = Layers.runner({
    ...settings,
    // The runner reports invalid agents.
    agents: areAgents(agents) ? agents.map((agent) => adapted(agent, calls)) : (agents as never),
  }).pipe(Scope.extend(own), Effect.mapError(attributed("Hindcast.runner", "runner")))
  const running = await Calls.run(started, signal).catch(async (error) => {
    await calls.close()
    throw error
  })
  const ended = Calls.run(running.ended)
  // Whoever asks for it sees the failure; otherwise nobody need.
  ended.catch(() => {})
  const drain = () => Calls.run(running.drain)
  return {
    name: running.name,
    ended,
    drain,
    close: calls.close,
    [Symbol.asyncDispose]: async () => {
      try {
        await drain()
      } finally {
        await calls.close()
      }
    },
  }
}

const areAgents = Schema.is(Schema.Array(KernelAgent.Agent))

const nameOf = (log: RunnerOptions["log"] | undefined): string => {
  if (typeof log === "string") return ServerUrl.isAddress(log) ? ServerUrl.shown(log) : log
  if (log === undefined || log === null) return ""
  return "url" in log ? ServerUrl.shown(log.url) : log.filename
}

/** Options of `openQueue`, and a signal that cancels the opening. */
export interface QueueOptions extends Layers.LogOptions, Calls.CallOptions {}

/** The queue of a log: submits tasks, and looks at tasks and runners. Any number of programs may open it. */
export interface Queue extends Promised<TaskQueue.Service> {
  /** The log's numbers for monitoring. `Metrics.prometheus` of `hindcast` writes them for Prometheus. */
  readonly metrics: () => Promise<ReadonlyArray<LogMetrics.Metric>>
  /** Ends calls in progress and closes the log. Other calls reject with `Closed` from now on. */
  readonly close: () => Promise<void>
  /** `close`, for `await using queue = await openQueue(…)`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** See `openQueue` of `open`. */
export const openQueue = async (options: QueueOptions): Promise<Queue> => {
  const { given, signal, invalid } = takeSignal("openQueue", [options])
  if (invalid !== undefined) throw invalid
  const scope = Effect.runSync(Scope.make())
  const built = Layer.toRuntime(Layers.layerLog(given[0] ?? ({} as QueueOptions))).pipe(
    Scope.extend(scope),
    Effect.mapError(attributed("Hindcast.layerLog", "openQueue")),
  )
  const runtime = await Calls.run(built, signal).catch(async (error) => {
    await Calls.run(Scope.close(scope, Exit.void))
    throw error
  })
  const { log, queue } = await Calls.run(Effect.provide(Effect.all({ log: EventLog, queue: TaskQueue }), runtime))
  const calls = Calls.make(log.name, runtime, scope)
  const metrics = () => calls.run(Effect.provide(LogMetrics.read, runtime))
  return { ...promised(queue, calls), metrics, close: calls.close, [Symbol.asyncDispose]: calls.close }
}

/** Attributes mistakes to the function that the program called. */
const attributed =
  (from: string, to: string) =>
  <E>(error: E): E | InvalidOptions =>
    error instanceof InvalidOptions && error.of === from
      ? new InvalidOptions({ of: to, problems: error.problems })
      : error
