/**
 * One kernel for all concurrent work. It starts with the first work and ends with the last, so that the log is free in
 * between.
 */

import { Effect, type Exit, Layer, RcRef, Scope } from "effect"

export type InKernel<Services, Failed> = <A, E, R>(
  work: Effect.Effect<A, E, R>,
) => Effect.Effect<A, E | Failed, Exclude<R, Services>>

export const make = <Services, Failed>(
  kernel: Layer.Layer<Services, Failed>,
): Effect.Effect<InKernel<Services, Failed>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const running = yield* RcRef.make({ acquire: Layer.build(kernel) })
    // A kernel must end, and return the log's lease, before the next one starts.
    const turns = yield* Effect.makeSemaphore(1)
    const end = (scope: Scope.CloseableScope, exit: Exit.Exit<unknown, unknown>) =>
      turns.withPermits(1)(Scope.close(scope, exit))
    const inKernel: InKernel<Services, Failed> = (work) =>
      Effect.acquireUseRelease(
        Scope.make(),
        (scope) =>
          Effect.flatMap(turns.withPermits(1)(Scope.extend(RcRef.get(running), scope)), (services) =>
            Effect.provide(work, services),
          ),
        end,
      )
    return inKernel
  })
