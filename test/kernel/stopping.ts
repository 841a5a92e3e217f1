import * as path from "node:path"
import { Deferred, Effect, Layer } from "effect"
import { type AppendRequest, EventLog } from "../../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import * as Confirmations from "../../src/kernel/gate/Confirmations.ts"
import type { GateConfig } from "../../src/kernel/gate/Gate.ts"
import * as Kernel from "../../src/kernel/Kernel.ts"
import * as Registry from "../../src/kernel/registry/Registry.ts"
import * as Scoring from "../../src/kernel/scoring/Scoring.ts"
import * as PluginHost from "../../src/plugins/process/PluginHost.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"

/** The log of a directory. */
export const logIn = (directory: string): string => path.join(directory, "log.db")

/** A kernel on the log of a directory, through what stands between it and the log. */
export const layerOn = (
  directory: string,
  between: Layer.Layer<EventLog, never, EventLog> = Layer.effect(EventLog, EventLog),
  gate: GateConfig = { default: "allow" },
) => {
  const filename = logIn(directory)
  const places = { workspace: directory, directory: `${filename}.plugins` }
  const services = Layer.mergeAll(Registry.layer(places), Confirmations.layer, Scoring.layer)
  return Kernel.layer({ ...places, seed: 7, gate }).pipe(
    Layer.provideMerge(services),
    Layer.provideMerge(Projector.layer),
    Layer.provideMerge(between),
    Layer.provideMerge(SqliteEventLog.layer({ filename })),
    Layer.provide(PluginHost.layer),
  )
}

/** Starts a kernel in the scope of the test. */
export const start = (layer: ReturnType<typeof layerOn>) =>
  Effect.map(Layer.build(layer), (context) => ({
    run: <A, E>(effect: Effect.Effect<A, E, Layer.Layer.Success<typeof layer>>) => Effect.provide(effect, context),
  }))

/**
 * A kernel that stops where it is about to append, and goes on when it is told to. From there on nothing of it is appended:
 * a process that is stopped does nothing. What people append is no kernel's.
 *
 * @param isThere whether it is to stop at a request: the kernel's first, second, third …
 */
export const stoppingAt = (
  isThere: (request: AppendRequest, count: number) => boolean,
  directory: string,
  gate?: GateConfig,
) =>
  Effect.gen(function* () {
    const stopped = yield* Deferred.make<AppendRequest>()
    const goneOn = yield* Deferred.make<void>()
    let count = 0
    let isStopped = false
    const stopping = Layer.effect(
      EventLog,
      Effect.map(EventLog, (log) => ({
        ...log,
        append: (request) =>
          Effect.suspend(() => {
            if (request.actor.startsWith("human:")) return log.append(request)
            count += 1
            isStopped ||= isThere(request, count)
            if (!isStopped) return log.append(request)
            return Deferred.succeed(stopped, request).pipe(
              Effect.zipRight(Deferred.await(goneOn)),
              Effect.zipRight(log.append(request)),
            )
          }),
      })),
    )
    return {
      layer: layerOn(directory, stopping, gate),
      stopped: Deferred.await(stopped),
      goOn: Deferred.succeed(goneOn, undefined),
      goneOn: Deferred.await(goneOn),
    }
  })
