/** Worlds with promises: the typed handle of `hindcast/worlds` for programs without Effect. */

import { Effect, ExecutionStrategy, Exit, Schema, Scope } from "effect"
import { EventLog } from "../events/log/EventLog.ts"
import { Kernel } from "../kernel/Kernel.ts"
import { Projector } from "../projections/projector/Projector.ts"
import type { JsonObject } from "../values/Json.ts"
import * as Options from "../values/Options.ts"
import * as PluginWorld from "../worlds/handle/PluginWorld.ts"
import type * as Handle from "../worlds/handle/World.ts"
import { type Wrapper, wrapped } from "../worlds/wrappers/Wrapper.ts"
import type { CallOptions, Calls } from "./Calls.ts"
import { type Promised, promised } from "./Promised.ts"

/** A world, one episode at a time. Descriptions such as `info` and `spaces()` are synchronous. */
export interface World extends Omit<Promised<Handle.World>, "clone" | "restore"> {
  /** Copies the episode in its current state into another process. */
  readonly clone: (call?: CallOptions) => Promise<WorldClone>
  /** A clone in a state that `state` returned earlier. The episode itself stays where it is. */
  readonly restore: (state: JsonObject, call?: CallOptions) => Promise<WorldClone>
}

/** A copy of an episode, in which a program tries steps. */
export interface WorldClone extends Omit<Promised<Handle.WorldClone>, "clone"> {
  /** Another clone, in the same state. */
  readonly clone: (call?: CallOptions) => Promise<WorldClone>
}

/** Options of `hindcast.world`. */
export interface WorldOptions extends PluginWorld.WorldOptions, CallOptions {
  /** Wrappers of `hindcast/worlds`, innermost first. Default: none. */
  readonly wrappers?: ReadonlyArray<Wrapper>
}

const Wrappers = Options.of<Pick<WorldOptions, "wrappers">>({
  optional: { wrappers: Schema.Array(Options.callable<Wrapper>()) },
})

interface Services {
  readonly kernel: Kernel.Service
  readonly log: EventLog.Service
  readonly projector: Projector.Service
}

/** Opens worlds. If Hindcast closes, a world's open task ends in the state of its episode. */
export const worldsOf = ({ kernel, log, projector }: Services, calls: Calls) =>
  promised(
    {
      world: (options: Omit<WorldOptions, "signal">) =>
        Effect.gen(function* () {
          const { wrappers: given, ...opening } = options
          const { wrappers = [] } = yield* Options.decode(
            "world",
            Wrappers,
            given === undefined ? {} : { wrappers: given },
          )
          const scope = yield* Scope.fork(calls.scope, ExecutionStrategy.sequential)
          return yield* Scope.extend(PluginWorld.open(opening), scope).pipe(
            Effect.flatMap((world) => wrapped(world, ...wrappers)),
            Effect.map((world): World => {
              const clone = Effect.map(world.clone, (cloned) => promisedClone(cloned, calls))
              const restore = (state: JsonObject) =>
                Effect.map(world.restore(state), (cloned) => promisedClone(cloned, calls))
              return promised({ ...world, clone, restore }, calls)
            }),
            Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
          )
        }).pipe(
          Effect.provideService(Kernel, kernel),
          Effect.provideService(EventLog, log),
          Effect.provideService(Projector, projector),
        ),
    },
    calls,
  )

const promisedClone = (cloned: Handle.WorldClone, calls: Calls): WorldClone => {
  const clone = Effect.map(cloned.clone, (other) => promisedClone(other, calls))
  return promised({ ...cloned, clone }, calls)
}
