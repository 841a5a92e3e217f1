import { Effect } from "effect"
import type { VerifyOptions } from "../../events/log/Verification.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"

/** What a verification tells while it is under way. */
export type Telling = Required<Pick<VerifyOptions, "onProgress" | "onLook">>

/** Shows on a person's terminal how far a verification is: the events of the chain, and the part that is being looked at. */
export const verifying = <A, E, R>(
  json: boolean,
  run: (telling: Telling) => Effect.Effect<A, E, R>,
  terminal: ProgressLine.Terminal = process.stderr,
): Effect.Effect<A, E, R> =>
  ProgressLine.during(
    { verb: "verified", unit: "events", json },
    (onProgress) => run({ onProgress, onLook: json ? () => Effect.void : lookingAt(terminal) }),
    terminal,
  )

/** What keeps the process for long is named before it does. */
const lookingAt =
  (terminal: ProgressLine.Terminal) =>
  (what: string): Effect.Effect<void> =>
    Effect.sync(() => {
      if (terminal.isTTY === true)
        terminal.write(`${WIPE}looking at ${what}`.slice(0, terminal.columns ?? DEFAULT_COLUMNS))
    })

/** Back to the line's beginning, and the line emptied. */
const WIPE = "\r\u001b[2K"

/** A terminal that does not say how wide it is. */
const DEFAULT_COLUMNS = 80
