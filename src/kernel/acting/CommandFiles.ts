/** Records the files that commands change: around the calls of plugins that can change any. */

import { Effect } from "effect"
import type { AppendError } from "../../events/log/EventLog.ts"
import { isInProcess } from "../registry/InProcess.ts"
import { manifestOf } from "../registry/Registry.ts"
import type { ActingTask } from "./ActingTask.ts"
import type { ActiveCommand } from "./ActiveCommand.ts"
import type { ResolvedActuator } from "./Command.ts"

/** Looks at the files before and after a call that records how the dispatched commands end. */
export const around = <E>(
  { files }: Pick<ActingTask, "files">,
  { found }: Pick<ResolvedActuator, "found">,
  dispatched: ReadonlyArray<ActiveCommand>,
  calling: Effect.Effect<void, E>,
): Effect.Effect<void, E | AppendError> => {
  if (files === undefined || !canChangeFiles(found)) return calling
  const calls = () => dispatched.map(({ command: { commandId, args }, state: { last } }) => ({ commandId, args, last }))
  const after = Effect.suspend(() => files.after(calls()))
  return Effect.zipRight(
    Effect.suspend(() => files.before(calls())),
    // An interrupted call may have changed files, too: its dispatch causes these changes.
    Effect.flatMap(Effect.exit(calling), (exit) => Effect.zipRight(after, exit)),
  )
}

/** Whether a plugin is a function of the program or a server, or requests to write files or to run programs. */
export const canChangeFiles = (found: ResolvedActuator["found"]): boolean => {
  if (isInProcess(found)) return true
  const { runtime, permissions } = manifestOf(found)
  return runtime === "mcp" || (permissions.write ?? []).length > 0 || permissions.run.length > 0
}
