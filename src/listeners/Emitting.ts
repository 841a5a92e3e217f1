/** Emits signals of sources that nobody repeats, such as lines and files: waits until the log takes them. */

import { Effect } from "effect"
import * as ProgramLog from "../platform/ProgramLog.ts"
import type { ListenerContext } from "./Listener.ts"
import type { Received, ReceiveError, Signal } from "./Signal.ts"

/** Milliseconds between attempts. */
const AGAIN_MS = 1_000

const PASSING: ReadonlySet<string> = new Set<ReceiveError["_tag"]>(["LogBusy", "LogUnavailable", "DiskFull"])

/** Repeats until the log has the signal, if the log's error passes. */
export const patiently = (
  context: Pick<ListenerContext, "name" | "emitInput">,
  signal: Signal,
): Effect.Effect<Received, ReceiveError> =>
  Effect.catchIf(
    context.emitInput(signal),
    ({ _tag }) => PASSING.has(_tag),
    ({ message }) =>
      ProgramLog.warning(`listener ${context.name} waits with a signal: ${message}`).pipe(
        Effect.zipRight(Effect.sleep(AGAIN_MS)),
        Effect.zipRight(patiently(context, signal)),
      ),
  )
