/** The log of a server. It is opened at the first question, so that a server may start before its log exists. */
import { type Context, Effect, ExecutionStrategy, Exit, Layer, type Option, Scope } from "effect"
import type { EventLog } from "../../../events/log/EventLog.ts"
import type { Records } from "../../../events/read/Records.ts"
import type { Projector } from "../../../projections/projector/Projector.ts"
import type { TimeTravel } from "../../../projections/timetravel/TimeTravel.ts"
import * as Search from "../../../search/Search.ts"
import * as OpenLog from "../../command/OpenLog.ts"

/** The services that tools ask. */
export type Past = EventLog | Projector | Records | Search.Search | TimeTravel

export interface OpenedLog {
  /** Runs a question on the log, and opens the log if no earlier question could. */
  readonly ask: <A, E>(question: Effect.Effect<A, E, Past>) => Effect.Effect<A, unknown>
}

/** @param personal whether to decrypt personal data */
export const make = (log: Option.Option<string>, personal: boolean): Effect.Effect<OpenedLog, never, Scope.Scope> =>
  Effect.gen(function* () {
    const server = yield* Effect.scope
    const lock = yield* Effect.makeSemaphore(1)
    let known: Context.Context<Past> | undefined
    const open = Effect.gen(function* () {
      const scope = yield* Scope.fork(server, ExecutionStrategy.sequential)
      const past = Layer.provideMerge(Search.layer, OpenLog.forPast(log, { personal }))
      return yield* Layer.buildWithScope(past, scope).pipe(
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
      )
    })
    const opened = Effect.suspend(() => (known === undefined ? open : Effect.succeed(known))).pipe(
      Effect.tap((context) => {
        known = context
      }),
      lock.withPermits(1),
    )
    return { ask: (question) => Effect.flatMap(opened, (context) => Effect.provide(question, context)) }
  })
