/** Records a restore as a task of its own: the files before it, the command, and the files after it. */
import * as fs from "node:fs"
import { Data, Effect } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as ObservedCommand from "../../kernel/acting/command/ObservedCommand.ts"
import * as Redaction from "../../record/http/Redaction.ts"
import * as OpenedLog from "../../record/log/OpenedLog.ts"
import type { Told } from "../../record/log/RunStream.ts"
import type { Json } from "../../values/Json.ts"
import * as FileVersions from "../../workspace/history/FileVersions.ts"
import * as Looks from "../../workspace/history/Looks.ts"
import type { Tree } from "../../workspace/model/Entry.ts"
import * as RestoreRecord from "../../workspace/restore/RestoreRecord.ts"
import type { ContentStore } from "../../workspace/store/ContentStore.ts"
import * as TaskFiles from "../../workspace/TaskFiles.ts"
import * as Workspaces from "../../workspace/Workspaces.ts"

/** Without the files before it, a restore could not be undone. */
export class SnapshotFailed extends Data.TaggedError("SnapshotFailed")<{
  readonly root: string
  readonly reason: string
}> {
  override get message() {
    return `${this.root}: expected a snapshot of the current files, found none: ${this.reason}. Nothing was written.`
  }
}

export interface RestoreTask {
  readonly taskId: string
  readonly store: ContentStore
  /** Records the present files. Rejects with `SnapshotFailed`. */
  readonly look: () => Promise<{ readonly position: number; readonly tree: Tree }>
  /** Records the present files again, and the beginning of the restore; returns the recorded positions. */
  readonly dispatch: (
    restore: Omit<RestoreRecord.Restore, "before">,
    before: number | undefined,
  ) => Promise<RestoreRecord.Restore>
  /** Records how the restore ended, and the files after it. */
  readonly end: (ok: boolean, result: Json) => Promise<void>
  /** Records that nothing was written, with the reason. */
  readonly leave: (outcome: "achieved" | "abandoned", reason: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** Opens the log, and begins the task. Rejects with the log's errors. */
export const begin = async (log: string, root: string, goal: string): Promise<RestoreTask> => {
  const opened = await OpenedLog.open({ log, isSilent: () => false })
  try {
    const own = { log: await fs.promises.realpath(log), hasSecret: Redaction.make().isIn }
    return make(opened, Workspaces.make(own), root, await opened.begin({ goal, agent: RestoreRecord.AGENT }))
  } catch (error) {
    await opened.close()
    throw error
  }
}

const make = (
  opened: OpenedLog.OpenedLog,
  workspaces: Workspaces.Workspaces,
  root: string,
  { taskId, openedBy, past, stream }: OpenedLog.BegunRun,
): RestoreTask => {
  const tell = (...events: Told) => stream.append(events)
  const files = TaskFiles.make({ workspaces, root, past, openedBy, source: RestoreRecord.AGENT, tell })
  const { store } = workspaces.at(root)
  const commandId = newId()
  const dispatched = newId()

  const lastLook = async () => {
    const looks = await opened.run(
      Effect.gen(function* () {
        const log = yield* EventLog
        return yield* Looks.since(log, yield* Looks.starts(log, { taskId, until: MAX }), MAX)
      }),
    )
    const tree = FileVersions.treeAfter(looks, (base) => store.tree(base))
    const position = looks.at(-1)?.event.position
    if (tree !== undefined && position !== undefined && !(await whyNot())) return { position, tree }
    throw new SnapshotFailed({ root, reason: (await whyNot()) ?? "the store lacks it" })
  }

  /** The reason that the task notes if a snapshot failed. */
  const whyNot = async () => {
    const notes = await opened.run(
      EventLog.pipe(Effect.flatMap((log) => log.readPage({ taskId, types: ["CaptureNoted"] }, MAX_NOTES))),
    )
    const unseen = notes.flatMap((event) => (is(event, "CaptureNoted") ? event.payload.unseen : []))
    return unseen.find(({ what }) => what === TaskFiles.NO_SNAPSHOTS)?.target
  }

  return {
    taskId,
    store,
    look: async () => {
      await files.look()
      return lastLook()
    },
    dispatch: async (restore, before) => {
      await files.before({ commandId, last: dispatched, args: {} })
      const recorded = { ...restore, before: before ?? (await lastLook()).position }
      const args = RestoreRecord.argsOf(recorded)
      const request = ObservedCommand.requested({ commandId, actuator: RestoreRecord.ACTUATOR, args })
      const [allowed, started] = ObservedCommand.passed(commandId, "observed")
      const [asked, passed] = [newId(), newId()]
      await tell(
        { ...request, id: asked },
        { ...allowed, id: passed, causationId: asked },
        { ...started, id: dispatched, causationId: passed },
      )
      return recorded
    },
    end: async (ok, result) => {
      const id = newId()
      const ended = ObservedCommand.ended(commandId, { ok, content: result, latencyMs: undefined, by: undefined })
      await tell({ ...ended, id, causationId: dispatched })
      await files.after({ commandId, end: id })
      await tell({ type: "TaskClosed", payload: { outcome: ok ? "achieved" : "failed" } })
    },
    leave: (outcome, reason) => tell({ type: "TaskClosed", payload: { outcome, reason } }),
    close: async () => {
      files.leave()
      workspaces.close()
      await opened.close()
    },
  }
}

const MAX = Number.MAX_SAFE_INTEGER

const MAX_NOTES = 100
