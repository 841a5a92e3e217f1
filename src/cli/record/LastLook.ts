/** The last look at a directory if the program did not take it, because it was killed or called `process.exit`. */
import * as fs from "node:fs"
import { Chunk, Effect, Stream } from "effect"
import type { CoreNewEvent, EventLog } from "../../events/log/EventLog.ts"
import * as Redaction from "../../record/http/Redaction.ts"
import * as TaskFiles from "../../workspace/TaskFiles.ts"
import * as Workspaces from "../../workspace/Workspaces.ts"

export interface Directory {
  /** An absolute path without links. */
  readonly root: string
  /** The log's file. */
  readonly log: string
}

/** The events of the changes since the program's last look, or of all files if it took none. */
export const events = (log: EventLog.Service, taskId: string, { root, log: file }: Directory) =>
  Effect.gen(function* () {
    const types = ["TaskOpened", "EnvironmentReset", "EnvironmentChanged"]
    const past = Chunk.toReadonlyArray(yield* Stream.runCollect(log.read({ taskId, types })))
    const told: Array<CoreNewEvent> = []
    const workspaces = Workspaces.make({
      log: fs.realpathSync(file),
      hasSecret: Redaction.make().isIn,
      // The program may have learned keys from its requests, which nobody stored.
      keepsSecrets: true,
    })
    const files = TaskFiles.make({
      workspaces,
      root,
      past,
      openedBy: past[0]?.id ?? "",
      tell: async (...events) => told.push(...events),
    })
    // The failure itself becomes an event.
    yield* Effect.promise(() => files.look().finally(workspaces.close))
    return told
  })
