import type { CoreNewEvent } from "../events/EventLog.ts"
import * as EnvironmentState from "../projections/EnvironmentState.ts"
import * as PendingConfirmations from "../projections/PendingConfirmations.ts"
import * as PluginRegistry from "../projections/PluginRegistry.ts"
import * as Projection from "../projections/Projection.ts"
import * as Tasks from "../projections/Tasks.ts"

/** What has to be known of a log to recover from a kernel's death. */
export const unfinished = Projection.combine({
  environment: EnvironmentState.projection,
  confirmations: PendingConfirmations.projection,
  registry: PluginRegistry.projection,
  tasks: Tasks.projection,
})

export type Unfinished = (typeof unfinished)["initial"]

/** Events that end something which a dead kernel left behind. */
export interface Ending {
  readonly stream: string
  readonly taskId: string | null
  readonly event: CoreNewEvent
}

/**
 * What is left to say after a kernel died, in the order in which it is said. Pure.
 *
 * A command that was dispatched and has no outcome may have taken effect: `CommandOutcomeUnknown`. One that was not
 * dispatched was not executed: `CommandDenied`. Questions to people are withdrawn, processes are gone, and open tasks are
 * abandoned, for their worlds and agents are gone too.
 */
export const endings = ({ environment, confirmations, registry, tasks }: Unfinished): ReadonlyArray<Ending> => [
  ...Object.entries(confirmations).map(
    ([confirmationId, { taskId }]): Ending => ({
      stream: `confirmation/${confirmationId}`,
      taskId,
      event: { type: "ConfirmationWithdrawn", payload: { confirmationId, reason: GONE } },
    }),
  ),
  ...Object.entries(environment.tasks).flatMap(([taskId, { pending }]) =>
    Object.entries(pending).map(
      ([commandId, { status }]): Ending => ({
        stream: `task/${taskId}`,
        taskId,
        event:
          status === "dispatched"
            ? { type: "CommandOutcomeUnknown", payload: { commandId } }
            : {
                type: "CommandDenied",
                payload: { commandId, rule: "recovery", reason: `${GONE} before the command was dispatched` },
              },
      }),
    ),
  ),
  ...Object.entries(registry).flatMap(([plugin, { running }]) =>
    Object.entries(running).map(
      ([instance, { pid }]): Ending => ({
        stream: `plugin/${plugin}`,
        taskId: Object.hasOwn(tasks, instance) ? instance : null,
        event: {
          type: "PluginExited",
          payload: { plugin, instance, pid, code: null, signal: null, inFlight: [], reason: GONE },
        },
      }),
    ),
  ),
  ...Tasks.open(tasks).map(
    ([taskId]): Ending => ({
      stream: `task/${taskId}`,
      taskId,
      event: { type: "TaskClosed", payload: { outcome: "abandoned", reason: GONE } },
    }),
  ),
]

const GONE = "its kernel ended"
