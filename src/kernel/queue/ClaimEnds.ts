/** Ends claims from outside, so that their owners can append nothing more, whatever they know. */

import type { AppendPart } from "../../events/log/EventLog.ts"
import * as Queue from "../../projections/queue/Queue.ts"
import type { QueuedTasks } from "../../projections/queue/QueuedTasks.ts"

/** The end of a claim by somebody else. Nothing may be appended under the claim from then on. */
export const endOfClaim = (task: string, claim: string, by: string, actor = `runner:${by}`): AppendPart => ({
  stream: Queue.claimStream(task, claim),
  actor,
  events: [{ type: "TaskClaimLost", payload: { task, claim, by } }],
})

/** The ends of all claims of a session that still stand. */
export const endsOfClaims = (tasks: QueuedTasks, session: string, by: string): ReadonlyArray<AppendPart> =>
  Object.entries(tasks).flatMap(([task, { claim }]) =>
    claim?.session === session && claim.ended !== true ? [endOfClaim(task, claim.claim, by)] : [],
  )
