import { Effect } from "effect"
import type { EventLog } from "../../../src/events/log/EventLog.ts"
import { encoder, type Step } from "../../../src/events/steps/StepColumns.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import { is } from "../../../src/events/vocabulary/Vocabulary.ts"
import type { Json, JsonObject } from "../../../src/values/Json.ts"

/** An episode of a task's own events, as a kernel records them one by one: how it began, its steps, and its totals. */
export const episodeOf = (plugin: string, events: ReadonlyArray<Event>) => {
  const steps: Array<{ -readonly [Key in keyof Step]: Step[Key] }> = []
  let begin: { seed: number; options: JsonObject; state: Json; readings: JsonObject } | undefined
  let totals: JsonObject | undefined
  const priorities: Record<string, number> = {}
  for (const event of events) {
    if (is(event, "EnvironmentReset")) begin = { ...event.payload, readings: {} }
    if (is(event, "ActuatorCommanded")) {
      steps.push({ action: (event.payload.args as JsonObject).action ?? null, result: {}, patch: [], readings: {} })
    }
    const step = steps.at(-1)
    if (step !== undefined && is(event, "CommandSucceeded")) step.result = event.payload.result as JsonObject
    if (step !== undefined && is(event, "CommandFailed")) step.error = event.payload.error as unknown as JsonObject
    if (step !== undefined && is(event, "EnvironmentChanged")) step.patch = event.payload.patch
    if (is(event, "SensorRead")) {
      const { sensor, reading, priority } = event.payload
      priorities[sensor.slice(plugin.length + 1)] = priority
      const of = step ?? begin
      if (of !== undefined) of.readings = { ...of.readings, [sensor.slice(plugin.length + 1)]: reading }
    }
    if (is(event, "ScoringFinished") && event.stream.startsWith("task/")) totals = event.payload.totals
  }
  if (begin === undefined) throw new Error("expected a reset")
  const { seed, options, state, readings } = begin
  return { begin: { seed, options, state, readings }, steps, totals, priorities }
}

/** Appends the compact form of a task's full events, with so many steps in each event. */
export const appendCompact = (log: EventLog.Service, plugin: string, events: ReadonlyArray<Event>, size: number) =>
  Effect.gen(function* () {
    const { begin, steps, totals, priorities } = episodeOf(plugin, events)
    const opened = events.find(({ type }) => type === "TaskOpened")
    const closed = events.find(({ type }) => type === "TaskClosed")
    if (opened === undefined || closed === undefined) throw new Error("expected a closed task")
    const { taskId } = opened
    const encode = encoder()
    const append = (type: string, payload: JsonObject, causationId: string | null) =>
      Effect.map(
        log.append({
          stream: `task/${taskId}`,
          actor: "kernel",
          taskId,
          events: [{ type, payload, ...(causationId === null ? {} : { causationId }) } as never],
        }),
        ({ events: [event] }) => event?.id ?? "",
      )
    const openedBy = yield* append("TaskOpened", opened.payload, null)
    for (let first = 0; first < Math.max(1, steps.length); first += size) {
      const encoded = encode.encode(steps.slice(first, first + size))
      if (encoded === undefined) throw new Error("expected columns that fit")
      const payload = {
        plugin,
        first,
        steps: Math.min(size, steps.length - first),
        rule: "default",
        latencyMs: 1,
        priorities,
        ...(first === 0 ? { begin } : {}),
        ...(first + size >= steps.length && totals !== undefined ? { totals } : {}),
        ...encoded,
      }
      yield* append("StepsRecorded", payload as unknown as JsonObject, openedBy)
    }
    yield* append("TaskClosed", closed.payload, openedBy)
  })
