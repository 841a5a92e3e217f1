/** One kernel for all that works at a time: it has the log's lease while anything does, and gives it back when nothing does. */
import { Effect, Layer, RcRef, type Scope } from "effect"

/** Works in the kernel. */
export type InKernel<Services, Failed> = <A, E, R>(
  work: Effect.Effect<A, E, R>,
) => Effect.Effect<A, E | Failed, Exclude<R, Services>>

/** The kernel starts with the first work, and ends with the last. */
export const shared = <Services, Failed>(
  kernel: Layer.Layer<Services, Failed>,
): Effect.Effect<InKernel<Services, Failed>, never, Scope.Scope> =>
  Effect.map(
    RcRef.make({ acquire: Layer.build(kernel) }),
    (reference): InKernel<Services, Failed> =>
      (work) =>
        Effect.scoped(Effect.flatMap(RcRef.get(reference), (services) => Effect.provide(work, services))),
  )
