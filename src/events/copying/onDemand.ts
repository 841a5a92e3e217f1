/** Copying a log between a file and a server, for programs. Loads on demand, so that importing the log does not load it. */

import { Effect } from "effect"
import type { LogCopied, LogCopyError, LogCopyOptions } from "./copy.ts"

/**
 * Copies a log from a file to a PostgreSQL server, or back: positions, ids, times, bytes and hashes. Checks each event
 * against the chain before it writes it, and verifies the whole copy. If it is interrupted, another call continues it; a
 * later call adds the events that the source has received since. A log with other events is refused.
 *
 * Without `withKeys`, personal fields in the copy read as replacements.
 */
export const copy = (options: LogCopyOptions): Effect.Effect<LogCopied, LogCopyError> =>
  Effect.flatMap(
    Effect.promise(() => import("./copy.ts")),
    ({ copyLog }) => copyLog(options),
  )
