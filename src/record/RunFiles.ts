/** The files of a run's directory, as the tool calls that its requests show change them. */

import * as fs from "node:fs"
import type { CoreNewEvent } from "../events/log/EventLog.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import * as CommandState from "../kernel/acting/CommandState.ts"
import type { Json } from "../values/Json.ts"
import { asObject, textOf } from "../values/JsonObjects.ts"
import type { TaskFiles } from "../workspace/TaskFiles.ts"
import type { ObservedCalls } from "./http/ObservedCalls.ts"
import type { RunLog } from "./log/RunLog.ts"

/** Methods reject only if the log fails. */
export interface RunFiles {
  /** Records the files as they are, or what changed since the last look. */
  readonly look: () => Promise<void>
  /** Events of calls that may change files from now on. */
  readonly called: (events: ReadonlyArray<CoreNewEvent>) => void
  /** Outcomes that were recorded: records what their calls changed. */
  readonly told: (outcomes: ReadonlyArray<CoreNewEvent>) => Promise<void>
  readonly leave: () => void
}

/** A directory whose files runs record. */
export interface Directory {
  readonly of: (run: RunInDirectory) => RunFiles
  readonly close: () => void
}

export interface DirectoryOptions {
  /** An absolute path without links. */
  readonly root: string
  /** The log's file, which exists. */
  readonly log: string
  readonly hasSecret: (text: string) => boolean
}

/** Loads the modules of workspaces on first use: few programs record files. */
export const at = async ({ root, log, hasSecret }: DirectoryOptions): Promise<Directory> => {
  const [Workspaces, TaskFiles] = await Promise.all([
    import("../workspace/Workspaces.ts"),
    import("../workspace/TaskFiles.ts"),
  ])
  const workspaces = Workspaces.make({ log: await fs.promises.realpath(log), hasSecret })
  return {
    of: ({ log, ...run }) => make(TaskFiles.make({ ...run, workspaces, root, tell: log.tell }), log),
    close: workspaces.close,
  }
}

export interface RunInDirectory {
  readonly past: ReadonlyArray<Event>
  readonly openedBy: string
  readonly log: RunLog
  /** Whether calls may have run that another process observed. Default: no. */
  readonly isBlind?: (() => boolean) | undefined
}

const make = (files: TaskFiles, log: RunLog): RunFiles => ({
  look: files.look,
  called: (events) => {
    const args = new Map<string, Json>()
    for (const { id = "", type, payload } of events) {
      const { commandId, args: given = null } = asObject(payload)
      if (typeof commandId !== "string") continue
      if (type === "ActuatorCommanded") args.set(commandId, given)
      else if (type === "CommandDispatched")
        log.inBackground(files.began({ commandId, last: id, args: args.get(commandId) ?? null }))
      else if (CommandState.isEnd(type)) log.inBackground(files.withdrawn(commandId))
    }
  },
  told: async (outcomes) => {
    const ends = outcomes.flatMap(({ id, payload }) => {
      const commandId = textOf(asObject(payload).commandId)
      return id === undefined || commandId === undefined ? [] : [{ commandId, end: id }]
    })
    if (ends.length > 0) await files.after(...ends)
  },
  leave: files.leave,
})

/** For a process whose directory another one looks at: `note` is called when it has made calls. */
export const elsewhere = (note: () => void): RunFiles => ({
  look: async () => {},
  called: () => {},
  told: async (outcomes) => {
    if (outcomes.length > 0) note()
  },
  leave: () => {},
})

/**
 * Observed calls that announce their beginning and end to the files. The recorder of a request reports its outcomes.
 */
export const watching = (calls: ObservedCalls, files: RunFiles, log: RunLog): ObservedCalls => ({
  ...calls,
  called: (...answer) => {
    const events = calls.called(...answer)
    files.called(events)
    return events
  },
  began: (...reported) => {
    const begun = calls.began(...reported)
    files.called(begun?.events ?? [])
    return begun
  },
  ended: (...reported) => {
    const events = calls.ended(...reported)
    log.inBackground(files.told(events))
    return events
  },
})
