/**
 * Retries of commands: the actuator declares them (`retry`), and only commands that can be repeated are retried. The
 * log records each attempt that failed; the agent sees only the outcome of the last one.
 */

import type { CoreNewEvent } from "../../../events/log/EventLog.ts"
import type { Failure } from "../../../events/vocabulary/EventType.ts"
import type { Actuator } from "../../../plugins/manifest/Manifest.ts"
import { ARGS_INVALID } from "../../../plugins/process/validatingCalls.ts"
import type { PluginFailure } from "../../instances/PluginFailure.ts"
import { KEY_INVALID } from "../../program/ProgramCalls.ts"

/** Default wait before the first retry, in milliseconds. */
export const FIRST_WAIT_MS = 1_000

/** Longest wait of the growing back-off, in milliseconds: 10 minutes. */
export const LONGEST_WAIT_MS = 600_000

/** Failures that every further attempt would repeat. */
const LASTING: ReadonlySet<string> = new Set([ARGS_INVALID, KEY_INVALID, "PluginUnavailable"])

/** Whether a command may be sent twice: its actuator says that the second time has no further effect. */
export const isRepeatable = (declared: Actuator | undefined): boolean =>
  declared?.idempotent === true || declared?.idempotencyKey === true

/**
 * How long to wait before the next attempt, in milliseconds; undefined if there is none. Only a failure that the
 * actuator reported is retried. After a time-out or the death of a process nobody knows the outcome.
 *
 * @param attempt the number of the attempt that failed, from 1
 */
export const waitAfter = (
  declared: Actuator | undefined,
  failure: PluginFailure,
  attempt: number,
): number | undefined => {
  const { retry } = declared ?? {}
  if (retry === undefined || !isRepeatable(declared) || attempt > retry.times) return undefined
  if (failure._tag !== "CallFailed" || LASTING.has(failure.error.code)) return undefined
  return Math.min(LONGEST_WAIT_MS, (retry.waitMs ?? FIRST_WAIT_MS) * 2 ** (attempt - 1))
}

/** The event of an attempt that failed. */
export const failedEvent = (
  commandId: string,
  causationId: string,
  attempt: {
    readonly attempt: number
    readonly error: Failure
    readonly latencyMs: number
    readonly retryInMs: number
  },
): CoreNewEvent => ({ type: "CommandAttemptFailed", causationId, payload: { commandId, ...attempt } })
