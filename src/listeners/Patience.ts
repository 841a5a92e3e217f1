/** Repeats what the log refuses for a while: nobody else would send the signal, or record its end, again. */

import { Effect } from "effect"
import type { AppendError, LogError } from "../events/log/EventLog.ts"
import * as ProgramLog from "../platform/ProgramLog.ts"

/** Milliseconds between attempts. */
const AGAIN_MS = 1_000

const PASSING: ReadonlySet<string> = new Set<(AppendError | LogError)["_tag"]>([
  "LogBusy",
  "LogUnavailable",
  "DiskFull",
])

/** Whether the same call may succeed later. */
export const isPassing = ({ _tag }: { readonly _tag: string }): boolean => PASSING.has(_tag)

/**
 * Repeats an effect until it succeeds, or fails with an error that does not pass.
 *
 * @param what the waiting thing, for the program's log
 */
export const patiently = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  what: string,
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.catchIf(effect, isPassing, (error) => Effect.zipRight(pause(what, error), patiently(what, effect)))

/** Tells the program's log why something waits, and waits. */
export const pause = (what: string, { message }: { readonly message: string }): Effect.Effect<void> =>
  Effect.zipRight(ProgramLog.warning(`${what} waits: ${message}`), Effect.sleep(AGAIN_MS))
