/** The queue of a log with promises, without a kernel. */

/// <reference lib="esnext.disposable" preserve="true" />
import { Effect, Exit, Layer, Scope } from "effect"
import { EventLog } from "../events/log/EventLog.ts"
import * as Layers from "../kernel/Hindcast.ts"
import { TaskQueue } from "../kernel/queue/TaskQueue.ts"
import { InvalidOptions } from "../values/Options.ts"
import * as Calls from "./Calls.ts"
import { type Promised, promised, takeSignal } from "./Promised.ts"

/** Options of `openQueue`, and a signal that cancels the opening. */
export interface QueueOptions extends Layers.LogOptions, Calls.CallOptions {}

/** The queue of a log: submits tasks, and looks at tasks and runners. Any number of programs may open it. */
export interface Queue extends Promised<TaskQueue.Service> {
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
    Effect.mapError((error) => (error instanceof InvalidOptions ? ofQueue(error) : error)),
  )
  const runtime = await Calls.run(built, signal).catch(async (error) => {
    await Calls.run(Scope.close(scope, Exit.void))
    throw error
  })
  const { log, queue } = await Calls.run(Effect.provide(Effect.all({ log: EventLog, queue: TaskQueue }), runtime))
  const calls = Calls.make(log.name, runtime, scope)
  return { ...promised(queue, calls), close: calls.close, [Symbol.asyncDispose]: calls.close }
}

/** Attributes mistakes to `openQueue`, which the program called. */
const ofQueue = ({ of, problems }: InvalidOptions) =>
  new InvalidOptions({ of: of === "Hindcast.layerLog" ? "openQueue" : of, problems })
