import { Either } from "effect"
import { describe, expect, it } from "vitest"
import * as Predicate from "../../src/kernel/rules/Predicate.ts"
import { fold } from "../../src/projections/fold/Projection.ts"
import { type EnvironmentState, projection } from "../../src/projections/state/EnvironmentState.ts"
import type { PredicateInput } from "../../src/projections/timetravel/Predicate.ts"
import { event, inTask, place } from "../projections/given.ts"

const events = place([
  ...inTask("t1", [
    event("TaskOpened", { goal: "g", measures: [], agent: "me" }),
    event("SensorRead", { sensor: "room/look", reading: { at: "hall", n: 3 }, priority: 0, latencyMs: 1 }),
  ]),
])
const state: EnvironmentState = fold(projection, events)
const seen: PredicateInput = { state, event: events[1] ?? null, position: 2, value: undefined }

const compiled = (source: string, ofPath = false) => Either.getOrThrow(Predicate.compile(source, { ofPath }))
const refused = (source: string) => Either.getOrThrow(Either.flip(Predicate.compile(source)))
const holds = (source: string, moment: Partial<PredicateInput> = {}) =>
  compiled(source, true).holds({ ...seen, ...moment })

describe("a predicate", () => {
  it("is answered over the state, the event, the position and the value at a path", () => {
    expect(holds('state.tasks["t1"].readings["room/look"].at == "hall"')).toBe(true)
    expect(holds("state.tasks.t1.open && size(state.tasks) == 1")).toBe(true)
    expect(holds('event.type == "SensorRead" && position == 2')).toBe(true)
    expect(holds("position > 2")).toBe(false)
    expect(holds("value.n > 2", { value: { n: 3 } })).toBe(true)
  })

  it("does not hold where what it looks at is not there", () => {
    expect(holds('state.tasks["t2"].open == false')).toBe(false)
    expect(holds("value == 3")).toBe(false)
    expect(holds('event.type == "SensorRead"', { event: null })).toBe(false)
  })

  it("says what it looks at, so that no more has to be read", () => {
    const reads = (source: string) => compiled(source).reads
    expect(reads('state.tasks["t/1"].readings["room/look"].n > 3')).toEqual(["/tasks/t~11/readings/room~1look/n"])
    expect(reads("state.tasks.t1.open && has(state.shared.readings)")).toEqual(["/tasks/t1/open", "/shared/readings"])
    expect(reads("state.tasks.exists(id, state.tasks[id].open)")).toEqual(["/tasks", "/tasks"])
    expect(reads("size(state) == 2")).toEqual([""])
    expect(compiled('event.type == "X"').mentionsEvent).toBe(true)
    expect(compiled("position > 3").mentionsEvent).toBe(true)
    expect(compiled("state.tasks.position == 3").mentionsEvent).toBe(false)
  })

  it("is known to go on holding only where its form says so", () => {
    const known = ["size(state.tasks) >= 3", "state.tasks.size() > 3", "3 < size( state.tasks )"]
    for (const source of [...known, known.join(" && "), known.join(" || ")]) {
      expect([source, compiled(source).monotone]).toEqual([source, true])
    }
    const unknown = [
      "size(state.tasks) < 3",
      "size(state.tasks) == 3",
      "size(state.shared.readings) > 3",
      "!(size(state.tasks) > 3)",
    ]
    for (const source of [...unknown, `${known[0]} && ${unknown[0]}`]) {
      expect([source, compiled(source).monotone]).toEqual([source, false])
    }
  })

  it("a predicate that is no question of yes or no, or names what is unknown, is refused with where and why", () => {
    expect(refused("size(state.tasks)").message).toMatch(
      /line 1, column 1: it gives a value of type int, and not true or/,
    )
    expect(refused("state.tasks.size() +")).toMatchObject({ _tag: "PredicateInvalid", line: 1 })
    expect(refused("true &&\n  tasks.size() > 3")).toMatchObject({
      line: 2,
      column: 3,
      reason: "Unknown variable: tasks",
    })
    expect(refused('has(state.tasks["t1"])')).toMatchObject({ reason: "has() invalid argument" })
    // Without a path to watch there is no value.
    expect(refused("value == 3")).toMatchObject({ reason: "Unknown variable: value" })
    expect(() => compiled("state.tasks.t1.open > 3").holds(seen)).toThrow(/no such overload|no matching overload/)
    expect(compiled("state.tasks.t1").holds(seen)).toEqual(state.tasks.t1)
  })
})
