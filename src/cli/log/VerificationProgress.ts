/** Shows the progress of a log's verification on the terminal. */
import { Effect } from "effect"
import type { VerifyOptions } from "../../events/log/Verification.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"

/** The progress callbacks of a verification. */
export type Telling = Required<Pick<VerifyOptions, "onProgress" | "onLook">>

/** Runs a verification and shows its progress: the number of verified events, then the part that is being checked. */
export const verifying = <A, E, R>(
  json: boolean,
  run: (callbacks: Telling) => Effect.Effect<A, E, R>,
  terminal: ProgressLine.Terminal = process.stderr,
): Effect.Effect<A, E, R> =>
  ProgressLine.during(
    { verb: "verified", unit: "events", json },
    (onProgress) => run({ onProgress, onLook: json ? () => Effect.void : showPart(terminal) }),
    terminal,
  )

/** Names a part before its check, because the check blocks the process for long. */
const showPart =
  (terminal: ProgressLine.Terminal) =>
  (what: string): Effect.Effect<void> =>
    Effect.sync(() => {
      if (terminal.isTTY === true)
        terminal.write(`${WIPE}looking at ${what}`.slice(0, terminal.columns ?? DEFAULT_COLUMNS))
    })

/** Returns to the start of the line and erases it. */
const WIPE = "\r\u001b[2K"

/** Width of a terminal that does not report its width. */
const DEFAULT_COLUMNS = 80
