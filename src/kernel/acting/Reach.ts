/** A batch of commands, and the way in which they reach their plugin. */

import type { Effect } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import type { Instance, Restore } from "../instances/Instance.ts"
import type { PluginFailure } from "../instances/PluginFailure.ts"
import type { ActingTask } from "./ActingTask.ts"
import type { ActiveCommand } from "./ActiveCommand.ts"
import type { ResolvedActuator } from "./Command.ts"
import type { Denial } from "./Judging.ts"
import type { Place } from "./queue/CommandOrder.ts"
import type { QueueTurn } from "./queue/Turn.ts"

export interface CommandBatch {
  readonly task: ActingTask
  readonly reach: Reach
  readonly place: Place
  readonly active: ReadonlyArray<ActiveCommand>
  /**
   * Makes a wait as interruptible as the caller. Nothing else is interruptible, so that each step that began is
   * recorded.
   */
  readonly waiting: Restore
}

export interface Reach {
  readonly isRound: boolean
  readonly refuses: (resolved: ResolvedActuator) => Denial | undefined
  /**
   * Returns an effect that records how the commands ended.
   *
   * @param turn to be given back during a wait
   */
  readonly call: (
    process: Instance["process"],
    dispatched: ReadonlyArray<ActiveCommand>,
    resolved: ResolvedActuator,
    turn: Pick<QueueTurn, "apart">,
  ) => Effect.Effect<Effect.Effect<void, LeaseLost | AppendError | LogError>>
  readonly unreached: (
    failure: PluginFailure,
    ready: ReadonlyArray<ActiveCommand>,
    resolved: ResolvedActuator,
  ) => Effect.Effect<void, AppendError>
}
