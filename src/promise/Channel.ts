/** Channels between people and working agents, with promises and async iterables. */

import { Effect, ExecutionStrategy, Exit, Scope } from "effect"
import * as Channels from "../agents/channel/Channel.ts"
import * as ChannelServer from "../agents/channel/ChannelServer.ts"
import { EventLog } from "../events/log/EventLog.ts"
import { Confirmations } from "../kernel/gate/Confirmations.ts"
import type { CallOptions, Calls } from "./Calls.ts"
import { type Promised, promised } from "./Promised.ts"

/**
 * A channel to one task. `events(options)` returns an async iterable of its events, which ends when Hindcast closes.
 */
export interface Channel extends Promised<Channels.Channel> {}

/** Options of `channel`. */
export interface ChannelOptions extends Omit<Channels.ChannelOptions, "taskId">, CallOptions {}

/** A running server. */
export interface Served extends ChannelServer.Served {
  /** Closes the server and its connections. */
  readonly close: () => Promise<void>
}

export const channelsOf = (
  {
    log,
    confirmations,
  }: {
    readonly log: EventLog.Service
    readonly confirmations: Confirmations.Service
  },
  calls: Calls,
) => {
  const provided = <A, E, R>(effect: Effect.Effect<A, E, EventLog | Confirmations | R>) =>
    effect.pipe(Effect.provideService(EventLog, log), Effect.provideService(Confirmations, confirmations))
  return promised(
    {
      channel: (taskId: string, options: Omit<Channels.ChannelOptions, "taskId"> = {}) =>
        Effect.map(
          provided(Channels.make({ ...options, taskId })),
          (channel): Channel => promised(channel, calls, { endsAtClose: true }),
        ),
      serve: (options: ChannelServer.ServeOptions = {}) =>
        Effect.gen(function* () {
          const scope = yield* Scope.fork(calls.scope, ExecutionStrategy.sequential)
          const served = yield* provided(Scope.extend(ChannelServer.serve(options), scope)).pipe(
            Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
          )
          return { ...served, close: () => calls.run(Scope.close(scope, Exit.void)) }
        }),
    },
    calls,
  )
}
