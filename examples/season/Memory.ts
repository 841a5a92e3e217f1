/** Restores the apprentice's memory from the events of its past tasks. */
import { Effect, Option, Schema, Stream } from "effect"
import { type Event, EventLog, type Json, type JsonObject, Vocabulary } from "hindcast"
import type { Apprentice, Experience, Try } from "./agents/apprentice.ts"

export const learn = (apprentice: Apprentice, taskId: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    const events = yield* Stream.runCollect(log.read({ taskId, types: TYPES }))
    apprentice.learn(experienceOf(events))
  })

/**
 * Adds all tasks of this apprentice's name and version to its memory, in order. They include the tasks of earlier
 * kernels.
 */
export const recall = (apprentice: Apprentice) =>
  Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    const opened = yield* Stream.runCollect(log.read({ types: ["TaskOpened"] }))
    const name = `${apprentice.name}@${apprentice.version}`
    for (const event of opened) {
      if (event.taskId !== null && event.payload.agent === name) yield* learn(apprentice, event.taskId)
    }
  })

const TYPES = ["SensorRead", "ActuatorCommanded", "CommandSucceeded", "EnvironmentChanged"]

/** Folds a task's events to an experience. Pure. */
export const experienceOf = (events: Iterable<Event>): Experience => {
  const tries = new Map<string, Try>()
  let room = ""
  let won = false
  for (const event of events) {
    if (Vocabulary.is(event, "SensorRead")) {
      room = Option.getOrElse(Schema.decodeUnknownOption(InRoom)(event.payload.reading), () => ({ room })).room
    } else if (Vocabulary.is(event, "ActuatorCommanded")) {
      const { commandId, actuator, args } = event.payload
      if (isObject(args)) tries.set(commandId, { room, act: { act: actuator, args }, result: null })
    } else if (Vocabulary.is(event, "CommandSucceeded")) {
      const tried = tries.get(event.payload.commandId)
      const result = Option.getOrNull(Schema.decodeUnknownOption(Result)(event.payload.result))
      if (tried !== undefined) tries.set(event.payload.commandId, { ...tried, result })
    } else if (Vocabulary.is(event, "EnvironmentChanged")) {
      won ||= event.payload.patch.some(
        ({ op, path, ...rest }) => path === "/won" && "value" in rest && rest.value === true,
      )
    }
  }
  return { tries: [...tries.values()], won }
}

const isObject = (args: Json): args is JsonObject => typeof args === "object" && args !== null && !Array.isArray(args)

const InRoom = Schema.Struct({ room: Schema.String })

const text = Schema.optionalWith(Schema.String, { exact: true })
const texts = Schema.optionalWith(Schema.Array(Schema.String), { exact: true })

const Result = Schema.Struct({ room: text, found: texts, contains: texts, unlocked: text, opened: text, taken: text })
