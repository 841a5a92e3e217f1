/**
 * The fold with which a kernel opens a log: everything that an earlier kernel may have left unfinished. Its snapshots
 * serve folds of its parts (`Projector.layerSharing`).
 */

import * as Projection from "../fold/Projection.ts"
import * as EnvironmentState from "../state/EnvironmentState.ts"
import * as PendingConfirmations from "../state/PendingConfirmations.ts"
import * as Processes from "../state/Processes.ts"
import * as Tasks from "../state/Tasks.ts"
import * as OpenRequests from "./OpenRequests.ts"
import * as TaskVersions from "./TaskVersions.ts"

/** The environment, the tasks, and pending confirmations, processes and host requests. */
export const projection = Projection.combine({
  environment: EnvironmentState.projection,
  confirmations: PendingConfirmations.projection,
  processes: Processes.projection,
  requests: OpenRequests.projection,
  tasks: Tasks.projection,
  versions: TaskVersions.projection,
})

export type Unfinished = (typeof projection)["initial"]
