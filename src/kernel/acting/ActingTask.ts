/** An open task, as acting in it sees it. */
import type { Context, Effect } from "effect"
import type { Json } from "../../values/Json.ts"
import type { TaskContext } from "../context/TaskContext.ts"
import type { Confirmations } from "../gate/Confirmations.ts"
import type { GateConfig } from "../gate/Gate.ts"
import type { CommandQueue } from "./CommandQueue.ts"

export interface ActingTask extends TaskContext {
  readonly kernel: TaskContext["kernel"] & {
    readonly gate: GateConfig
    readonly confirmations: Context.Tag.Service<Confirmations>
    /** Where the commands of all tasks wait for their turns. */
    readonly commands: CommandQueue
  }
  /** Lets one at a time compare, record and keep what a command changed in the world: in the order of the answers. */
  readonly inOrder: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** The last known document of each environment, by plugin. */
  readonly documents: Map<string, Json>
}
