/** An open task and the services that its commands need. */
import type { Effect } from "effect"
import type { EventLog } from "../../events/log/EventLog.ts"
import type { Json } from "../../values/Json.ts"
import type { TaskFiles } from "../context/FileRecorder.ts"
import type { TaskContext } from "../context/TaskContext.ts"
import type { ConfirmationAsking } from "../gate/Confirmations.ts"
import type { GateConfig } from "../gate/Gate.ts"
import type { ProgressReport } from "./policies/Progress.ts"
import type { RecentResults } from "./policies/RecentResults.ts"
import type { CommandQueue } from "./queue/CommandQueue.ts"

export interface ActingTask extends TaskContext {
  readonly kernel: TaskContext["kernel"] & {
    readonly log: EventLog.Service
    readonly gate: GateConfig
    readonly confirmations: ConfirmationAsking
    readonly commands: CommandQueue
    /** Receives the progress of calls. Default: nobody does. */
    readonly onProgress?: ((progress: ProgressReport) => void) | undefined
    /** Whether a recording answers instead of plugins. It has one outcome of each command. Default: no. */
    readonly answersRecorded?: boolean | undefined
  }
  /** Results that stand for further commands. */
  readonly recentResults: RecentResults
  /**
   * Serializes changes of environments: compares, records and stores each before the next, in the order of the results.
   */
  readonly inOrder: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly documents: Map<string, Json>
  /** Plugins whose environments a resume or fork could not restore. */
  readonly unrewound: Set<string>
  /** The recorded files of the workspace; undefined if none are. */
  readonly files: TaskFiles | undefined
}
