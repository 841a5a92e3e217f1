/** Emits signals of sources that nobody repeats, such as lines and files. */

import { Effect } from "effect"
import * as ProgramLog from "../platform/ProgramLog.ts"
import type { ListenerContext } from "./Listener.ts"
import { patiently } from "./Patience.ts"
import type { Received, ReceiveError, Signal } from "./Signal.ts"

/** The signal itself is at fault, such as by a long id: no further attempt would succeed. */
const UNFIT: ReadonlySet<string> = new Set<ReceiveError["_tag"]>(["InvalidOptions", "InvalidEvent"])

/**
 * Waits until the log has the signal. Drops a signal that no log takes, with a warning, and returns undefined: one bad
 * line must not stop the lines after it.
 *
 * @param what the signal in words, for the warning: `a line`
 */
export const emit = (
  context: Pick<ListenerContext, "name" | "emitInput">,
  signal: Signal,
  what: string,
): Effect.Effect<Received | undefined, ReceiveError> =>
  Effect.catchIf(
    patiently(`listener ${context.name}`, context.emitInput(signal)),
    ({ _tag }) => UNFIT.has(_tag),
    ({ message }) => Effect.as(dropped(context, what, message), undefined),
  )

/** Warns of a signal that a listener drops. */
export const dropped = ({ name }: Pick<ListenerContext, "name">, what: string, why: string): Effect.Effect<void> =>
  ProgramLog.warning(`listener ${name} dropped ${what}: ${why}`)
