/** A journey: commands of one actuator that a kernel takes to their ends together, and how they reach their plugin. */

import type { Effect } from "effect"
import type { AppendError } from "../../events/log/EventLog.ts"
import type { Instance, Restore } from "../instances/Instance.ts"
import type { PluginFailure } from "../instances/PluginFailure.ts"
import type { ActingTask } from "./ActingTask.ts"
import type { ResolvedActuator } from "./Command.ts"
import type { Denial } from "./Judging.ts"
import type { Place } from "./queue/CommandOrder.ts"
import type { Traveller } from "./Traveller.ts"

/** Commands of one actuator that a kernel takes to their ends, together. */
export interface Journey {
  readonly task: ActingTask
  readonly reach: Reach
  /** Its place in the order in which the task's commands start. */
  readonly place: Place
  readonly travellers: ReadonlyArray<Traveller>
  /** Makes a wait interruptible, as far as the caller is. Everything else is not, so that what was begun is recorded. */
  readonly waiting: Restore
}

/** How commands reach their plugin. */
export interface Reach {
  /** Whether they reach it in one call. */
  readonly isRound: boolean
  /** Why no command of the journey passes. */
  readonly refuses: (resolved: ResolvedActuator) => Denial | undefined
  /** Calls the plugin's process, and answers with what records how the commands ended. */
  readonly call: (
    process: Instance["process"],
    dispatched: ReadonlyArray<Traveller>,
    resolved: ResolvedActuator,
  ) => Effect.Effect<Effect.Effect<void, AppendError>>
  /** Records that there was no process to call. */
  readonly unreached: (
    failure: PluginFailure,
    ready: ReadonlyArray<Traveller>,
    resolved: ResolvedActuator,
  ) => Effect.Effect<void, AppendError>
}
