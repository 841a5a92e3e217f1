/** Rollouts with promises: many episodes of one world, stepped by one policy. */

import { Effect, Stream } from "effect"
import { EventLog } from "../events/log/EventLog.ts"
import { Kernel } from "../kernel/Kernel.ts"
import { Projector } from "../projections/projector/Projector.ts"
import * as Rollout from "../worlds/rollout/Rollout.ts"
import type { CallOptions, Calls } from "./Calls.ts"
import { promised } from "./Promised.ts"

/** Plays and continues rollouts. */
export interface Rollouts {
  /** Plays a rollout, and returns its episodes. Rejects with `PolicyFailed` if the policy throws. */
  readonly rollout: (options: Rollout.RolloutOptions & CallOptions) => Promise<Rollout.RolloutResult>
  /** Continues a rollout that an error or a crash ended, with the same policy. */
  readonly continueRollout: (
    rolloutId: string,
    policy: Rollout.AnyPolicy,
    call?: CallOptions,
  ) => Promise<Rollout.RolloutResult>
  /** Plays a rollout when it is iterated over: each episode follows once it is in the log. Leaving the loop ends it. */
  readonly rollouts: (options: Rollout.RolloutOptions & CallOptions) => AsyncIterable<Rollout.EpisodeResult>
}

interface Services {
  readonly kernel: Kernel.Service
  readonly log: EventLog.Service
  readonly projector: Projector.Service
}

/** Makes the functions of `Rollouts`. */
export const rolloutsOf = ({ kernel, log, projector }: Services, calls: Calls): Rollouts => {
  const provided = <A, E>(effect: Effect.Effect<A, E, Kernel | EventLog | Projector>) =>
    effect.pipe(
      Effect.provideService(Kernel, kernel),
      Effect.provideService(EventLog, log),
      Effect.provideService(Projector, projector),
    )
  return promised(
    {
      rollout: (options: Rollout.RolloutOptions) => provided(Rollout.run(options)),
      continueRollout: (rolloutId: string, policy: Rollout.AnyPolicy) => provided(Rollout.resume(rolloutId, policy)),
      rollouts: (options: Rollout.RolloutOptions) =>
        Rollout.stream(options).pipe(
          Stream.provideService(Kernel, kernel),
          Stream.provideService(EventLog, log),
          Stream.provideService(Projector, projector),
        ),
    },
    calls,
  )
}
