import { Deferred, Effect, Layer } from "effect"
import { type AppendRequest, EventLog } from "../../src/events/log/EventLog.ts"
import { type TestKernelOptions, testKernel } from "./testKernel.ts"

/**
 * A kernel that stops where it is about to append, and goes on when it is told to. From there on nothing of it is appended:
 * a process that is stopped does nothing. What people append is no kernel's.
 *
 * @param isThere whether it is to stop at a request: the kernel's first, second, third …
 * @param isStored whether the log still gets that request, so that the kernel stops before it learns of it. Default: no.
 */
export const stoppingAt = (
  isThere: (request: AppendRequest, count: number) => boolean,
  options: TestKernelOptions,
  isStored = false,
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
            const wasStopped = isStopped
            isStopped ||= isThere(request, count)
            if (!isStopped) return log.append(request)
            const stopping = Effect.zipRight(Deferred.succeed(stopped, request), Deferred.await(goneOn))
            return isStored && !wasStopped
              ? Effect.zipLeft(log.append(request), stopping)
              : Effect.zipRight(stopping, log.append(request))
          }),
      })),
    )
    return {
      ...(yield* testKernel({ ...options, between: stopping })),
      stopped: Deferred.await(stopped),
      goOn: Deferred.succeed(goneOn, undefined),
      goneOn: Deferred.await(goneOn),
    }
  })
