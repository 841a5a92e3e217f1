/** Records restores over a directory's files, each as a task with one command. */

import { Effect } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as OwnWork from "../../projections/state/files/OwnWork.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import type { Look } from "../history/Looks.ts"

/** The agent of such a task. */
export const AGENT = OwnWork.AGENTS.restore

export const ACTUATOR = "hindcast/restore"

/** The arguments of the command. */
export interface Restore {
  /** The moment whose files it writes. */
  readonly timeline: string
  readonly at: number
  /** The position, in the task's timeline, of the look at the files to which `--undo` returns. */
  readonly before: number
  /** Whether it undoes another one. */
  readonly undo: boolean
  /**
   * Files that it adds where nothing is, and that the present files' rules ignore: no snapshot could show whether they
   * were there.
   */
  readonly unhidden: ReadonlyArray<string>
}

export const argsOf = ({ timeline, at, before, undo, unhidden }: Restore): JsonObject => ({
  timeline,
  at,
  before,
  undo,
  ...(unhidden.length === 0 ? {} : { unhidden }),
})

const read = (args: Json): Restore | undefined => {
  if (!isObject(args)) return undefined
  const { timeline, at, before, undo, unhidden } = args
  if (typeof timeline !== "string" || typeof at !== "number" || typeof before !== "number") return undefined
  return { timeline, at, before, undo: undo === true, unhidden: Array.isArray(unhidden) ? unhidden.map(String) : [] }
}

export interface PastRestore extends Restore {
  /** Whether its process finished it. */
  readonly hasEnded: boolean
}

/** The restores that took a snapshot of a directory. */
export interface Past {
  readonly taskIds: ReadonlySet<string>
  /** Restores that were about to write, in the log's order. */
  readonly begun: ReadonlyArray<PastRestore>
}

/** @param looks those of the directory */
export const past = (
  log: Pick<EventLog.Service, "readPage">,
  looks: ReadonlyArray<Look>,
): Effect.Effect<Past, LogError> =>
  Effect.gen(function* () {
    const taskIds = new Set<string>()
    const begun: Array<PastRestore> = []
    for (const { base, taskId } of looks) {
      if (base === undefined || taskIds.has(taskId)) continue
      const [opened] = yield* log.readPage({ taskId, types: ["TaskOpened"] }, 1)
      if (opened === undefined || !is(opened, "TaskOpened") || opened.payload.agent !== AGENT) continue
      taskIds.add(taskId)
      const events = yield* log.readPage({ taskId, types: TYPES }, TYPES.length)
      const command = events.find((event) => is(event, "ActuatorCommanded"))
      if (command === undefined || !is(command, "ActuatorCommanded")) continue
      const restore = command.payload.actuator === ACTUATOR ? read(command.payload.args) : undefined
      if (restore !== undefined) begun.push({ ...restore, hasEnded: events.length > 1 })
    }
    return { taskIds, begun }
  })

const TYPES = ["ActuatorCommanded", "CommandSucceeded", "CommandFailed"] as const
