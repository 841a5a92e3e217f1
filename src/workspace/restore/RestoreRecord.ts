/** How the log records restores over a directory's files: as a task with one command. */

import { Effect } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import type { Look } from "../history/Looks.ts"

/** The agent of such a task. */
export const AGENT = "files-restore"

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
}

export const argsOf = ({ timeline, at, before, undo }: Restore): JsonObject => ({ timeline, at, before, undo })

const read = (args: Json): Restore | undefined => {
  if (!isObject(args)) return undefined
  const { timeline, at, before, undo } = args
  if (typeof timeline !== "string" || typeof at !== "number" || typeof before !== "number") return undefined
  return { timeline, at, before, undo: undo === true }
}

export interface PastRestore extends Restore {
  /** Whether its process came to the end of it. */
  readonly hasEnded: boolean
}

/** The last restore that was about to write. */
export const last = (
  log: Pick<EventLog.Service, "readPage">,
  looks: ReadonlyArray<Look>,
): Effect.Effect<PastRestore | undefined, LogError> =>
  Effect.gen(function* () {
    for (const { base, taskId } of looks.toReversed()) {
      if (base === undefined) continue
      const [opened] = yield* log.readPage({ taskId, types: ["TaskOpened"] }, 1)
      if (opened === undefined || !is(opened, "TaskOpened") || opened.payload.agent !== AGENT) continue
      const events = yield* log.readPage({ taskId, types: TYPES }, TYPES.length)
      const command = events.find((event) => is(event, "ActuatorCommanded"))
      if (command === undefined || !is(command, "ActuatorCommanded")) continue
      const restore = command.payload.actuator === ACTUATOR ? read(command.payload.args) : undefined
      if (restore !== undefined) return { ...restore, hasEnded: events.length > 1 }
    }
    return undefined
  })

const TYPES = ["ActuatorCommanded", "CommandSucceeded", "CommandFailed"] as const
