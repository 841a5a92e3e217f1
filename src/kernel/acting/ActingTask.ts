/**
 * An open task with what acting needs: the gate, confirmations, the command queue and the environments' last
 * documents.
 */
import type { Effect } from "effect"
import type { EventLog } from "../../events/log/EventLog.ts"
import type { Json } from "../../values/Json.ts"
import type { TaskContext } from "../context/TaskContext.ts"
import type { ConfirmationAsking } from "../gate/Confirmations.ts"
import type { GateConfig } from "../gate/Gate.ts"
import type { CommandQueue } from "./queue/CommandQueue.ts"

export interface ActingTask extends TaskContext {
  readonly kernel: TaskContext["kernel"] & {
    readonly log: EventLog.Service
    readonly gate: GateConfig
    readonly confirmations: ConfirmationAsking
    /** The queue in which the commands of all tasks wait. */
    readonly commands: CommandQueue
  }
  /**
   * Serializes effects: changes of the environment are compared, recorded and stored one at a time, in the order of
   * the results.
   */
  readonly inOrder: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** The last known document of each environment, by plugin. */
  readonly documents: Map<string, Json>
  /** The plugins whose environments could not be brought back to where the task stood. */
  readonly unrewound: Set<string>
}
