/** The version of the queue's stream that a decision about the queue expects. */

import type { VersionConflict } from "../../events/log/EventLog.ts"
import * as Queue from "../../projections/queue/Queue.ts"

const TYPES: ReadonlySet<string> = new Set(Queue.TYPES)

/**
 * The version up to which events of the stream mean nothing to the queue, whoever appended them: to decide again on the
 * same queue, expect this version. 0 if some do mean something, or another stream moved.
 */
export const skippedBy = ({ stream, actual, missed }: VersionConflict): number =>
  stream === Queue.STREAM && !missed.some(({ type }) => TYPES.has(type)) ? actual : 0
