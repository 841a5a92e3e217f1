/** Records each directory that was made to continue a session, as a task with one command. */

import { Effect } from "effect"
import type { CoreNewEvent, EventLog, LogError } from "../../events/log/EventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { ForkedFrom } from "../../events/vocabulary/Tasks.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as ObservedCommand from "../../kernel/acting/command/ObservedCommand.ts"
import * as OwnWork from "../../projections/state/files/OwnWork.ts"
import { sha256 } from "../../values/Digest.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import type { Left } from "../restore/RestoreInto.ts"

/** The agent of such a task. */
export const AGENT = OwnWork.AGENTS.fork

const ACTUATOR = "hindcast/fork"

export interface MadeFork {
  readonly from: ForkedFrom
  /** An absolute path without links. */
  readonly directory: string
  readonly restored: number
  readonly left: ReadonlyArray<Left>
}

/** Derived from the directory's path, so that a session in it finds the task without reading the log. */
export const taskIdOf = (directory: string, part: number): string =>
  `${AGENT}-${sha256(directory).slice(0, 32)}${part === 1 ? "" : `.${part}`}`

/** The number of a directory's next task: a removed directory may have been made again. */
export const nextPart = (log: Pick<EventLog.Service, "readPage">, directory: string): Effect.Effect<number, LogError> =>
  Effect.gen(function* () {
    for (let part = 1; ; part++)
      if ((yield* log.readPage({ taskId: taskIdOf(directory, part), types: OPENED }, 1)).length === 0) return part
  })

const OPENED = ["TaskOpened"] as const

export const events = ({ from, directory, restored, left }: MadeFork): ReadonlyArray<CoreNewEvent> => {
  const id = newId()
  const causationId = id
  const commandId = newId()
  const args: JsonObject = { from: { ...from }, directory }
  const content: Json = { restored, left: left.slice(0, MAX_LEFT).map(({ path, why }) => ({ path, why })) }
  const goal = `Continue ${from.taskId} from ${from.timeline}@${from.at} in ${directory}`
  return [
    { id, type: "TaskOpened", payload: { goal, agent: AGENT, measures: [], plugins: [] } },
    { ...ObservedCommand.requested({ commandId, actuator: ACTUATOR, args }), causationId },
    ...ObservedCommand.passed(commandId, "observed").map((event) => ({ ...event, causationId })),
    { ...ObservedCommand.ended(commandId, { ok: true, content, latencyMs: undefined, by: undefined }), causationId },
    { type: "TaskClosed", payload: { outcome: "achieved" }, causationId },
  ]
}

/** Maximum number of files in the event. */
const MAX_LEFT = 1_000

/**
 * The moment from which a session in a directory continues: that of the fork which made this directory or one above it.
 */
export const originOf = (
  log: Pick<EventLog.Service, "readPage">,
  directories: ReadonlyArray<string>,
): Effect.Effect<ForkedFrom | undefined, LogError> =>
  Effect.gen(function* () {
    for (const directory of directories) {
      const next = yield* nextPart(log, directory)
      if (next === 1) continue
      const query = { taskId: taskIdOf(directory, next - 1), types: ["ActuatorCommanded"] }
      const [command] = yield* log.readPage(query, 1)
      if (command === undefined || !is(command, "ActuatorCommanded") || command.payload.actuator !== ACTUATOR) continue
      const found = read(command.payload.args)
      if (found !== undefined) return found
    }
    return undefined
  })

const read = (args: Json): ForkedFrom | undefined => {
  const from = isObject(args) ? args.from : undefined
  if (!isObject(from)) return undefined
  const { taskId, timeline, at } = from
  if (typeof taskId !== "string" || typeof timeline !== "string" || typeof at !== "number") return undefined
  return Number.isSafeInteger(at) && at >= 0 ? { taskId, timeline, at } : undefined
}
