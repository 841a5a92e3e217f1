import type { Event } from "../../../src/events/vocabulary/Event.ts"
import * as Course from "../../../src/projections/explanation/Course.ts"
import * as Flow from "../../../src/projections/explanation/Flow.ts"
import * as Suspects from "../../../src/projections/explanation/Suspects.ts"
import type { Json } from "../../../src/values/Json.ts"

type End =
  | { readonly result: Json; readonly latencyMs?: number }
  | { readonly error: readonly [code: string, message: string] }
  | { readonly denied: readonly [rule: string, reason: string] }
  | { readonly unknown: true }

/** Events of a task at the positions 1, 2, 3 …; of another task where `of` says so. */
export const story = () => {
  const events: Array<Event> = []
  const add = (type: string, payload: object, taskId = "t") => {
    const position = events.length + 1
    events.push({ position, type, taskId, actor: "agent", payload } as unknown as Event)
    return position
  }
  const told = {
    add,
    events,
    goal: (goal: Json) => add("TaskOpened", { goal, agent: "a" }),
    input: (content: Json) => add("InputReceived", { source: "test", content }),
    reading: (sensor: string, reading: Json) => add("SensorRead", { sensor, reading }),
    begin: (actuator: string, args: Json, by = "ada", of = "t") => {
      const commandId = `c${events.length + 1}`
      add("ActuatorCommanded", { commandId, actuator, args, agentId: by }, of)
      return commandId
    },
    end: (commandId: string, end: End, of = "t") => {
      if ("result" in end) return add("CommandSucceeded", { commandId, ...end }, of)
      if ("error" in end)
        return add("CommandFailed", { commandId, error: { code: end.error[0], message: end.error[1] } }, of)
      if ("denied" in end) return add("CommandDenied", { commandId, rule: end.denied[0], reason: end.denied[1] }, of)
      return add("CommandOutcomeUnknown", { commandId }, of)
    },
    /** A command and its end. Returns the position of the command; the end is at the next one. */
    step: (actuator: string, args: Json, end: End = { result: "done" }, by = "ada", of = "t") => {
      const commandId = told.begin(actuator, args, by, of)
      return told.end(commandId, end, of) - 1
    },
    course: () => Course.of(events),
    flow: (...symptoms: ReadonlyArray<number>) => Flow.of(Course.of(events), symptoms),
    /** All suspects: kind, position, weight. */
    suspects: (...symptoms: ReadonlyArray<number>) => {
      const course = Course.of(events)
      return Suspects.of(course, Flow.of(course, symptoms))
    },
    /** The suspects of a kind. */
    of: (kind: string, ...symptoms: ReadonlyArray<number>) =>
      told.suspects(...symptoms).filter((suspect) => suspect.kind === kind),
  }
  return told
}
