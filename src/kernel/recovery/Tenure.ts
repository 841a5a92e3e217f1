/** A kernel's right to act on a log: by the log's lease, or as one of several runners. */

import { Effect } from "effect"
import { type AppendError, EventLog, type LogError } from "../../events/log/EventLog.ts"
import type { HeldLease } from "../../events/log/Lease.ts"
import type { Presence } from "../../events/log/Presence.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Projector } from "../../projections/projector/Projector.ts"
import * as Fence from "./Fence.ts"
import type { Doubtful } from "./LeftRecordings.ts"
import type { NotResumable } from "./NotResumable.ts"
import { closeUnowned } from "./QueuedOwner.ts"
import type { OnOpenTasks } from "./RecoveryPlan.ts"
import { recover } from "./Takeover.ts"

/** The right of one kernel. */
export interface Tenure {
  readonly lease: HeldLease
  /** The log, which refuses the kernel's appends once it lost its right. */
  readonly log: EventLog.Service
  /** The log for the appends of one task. Default: `log`. */
  readonly logOf?: (log: EventLog.Service, taskId: string) => EventLog.Service
  /** Runs first: records the ends of what earlier kernels left. Returns the recorders that need watching. */
  readonly recover: Effect.Effect<Doubtful, AppendError, EventLog | Projector | Presence>
  /** Fails for a task that others continue. Default: the kernel may resume every task. */
  readonly mayResume?: (taskId: string) => Effect.Effect<void, NotResumable | LogError, Projector>
  /** Whether this kernel does the work that a log needs once (`Duties`). Default: it does. */
  readonly isOnDuty?: Effect.Effect<boolean, LogError, Projector>
  /** Closes a cancelled task of the log's own timeline that the kernel does not work on, and the tasks below it. */
  readonly cancelled: (
    taskId: string,
    isWorkedOn: (taskId: string) => boolean,
  ) => Effect.Effect<void, AppendError, EventLog | Projector | Presence>
}

/** The right of the lease's holder: next to runners, it alone acts on the log, and recovers everything that others left. */
export const ofLease = (
  log: EventLog.Service,
  owner: string,
  lease: HeldLease,
  onOpenTasks: OnOpenTasks,
): Effect.Effect<Tenure, AppendError> =>
  Effect.map(Fence.fencedLog(log, owner, lease), (fenced) => ({
    lease,
    log: fenced,
    recover: recover(onOpenTasks, lease),
    cancelled: closeUnowned,
  }))

/** Passes a cancellation on to a tenure, unless a fork's task was cancelled. */
export const cancelledIn =
  ({ cancelled }: Tenure, log: EventLog.Service, isWorkedOn: (taskId: string) => boolean) =>
  ({ taskId, timeline }: Event): Effect.Effect<void, AppendError, Projector | Presence> =>
    taskId === null || timeline !== log.timeline
      ? Effect.void
      : Effect.provideService(cancelled(taskId, isWorkedOn), EventLog, log)
