import { it } from "@effect/vitest"
import { Chunk, Effect, Either, Stream } from "effect"
import { describe, expect } from "vitest"
import * as Predicate from "../../src/kernel/rules/Predicate.ts"
import { TimeTravel } from "../../src/projections/timetravel/TimeTravel.ts"
import type { Json } from "../../src/values/Json.ts"
import { event, inTask } from "../projections/given.ts"
import { append, onLog } from "../projections/onLog.ts"

const read = (sensor: string, reading: Json) => event("SensorRead", { sensor, reading, priority: 0, latencyMs: 1 })

/** One task with a boiler that is removed in the end, and one without. */
const history = [
  ...inTask("boil", [
    event("TaskOpened", { goal: "g", measures: [], agent: "me" }),
    event("EnvironmentReset", {
      plugin: "boiler",
      seed: 1,
      options: {},
      state: { bar: 1, valves: [{ open: false }] },
    }),
    event("EnvironmentChanged", { plugin: "boiler", patch: [{ op: "replace", path: "/bar", value: 3 }] }),
    event("EnvironmentChanged", { plugin: "boiler", patch: [{ op: "remove", path: "/bar" }] }),
  ]),
  ...inTask("walk", [
    event("TaskOpened", { goal: "g", measures: [], agent: "me" }),
    read("room/look", { at: "hall", things: [{ name: "lamp" }] }),
    event("TaskClosed", { outcome: "achieved" }),
  ]),
]

const compiled = (source: string, ofPath = false) => Either.getOrThrow(Predicate.compile(source, { ofPath }))

/** What bisecting and watching say: the first position, null for never, or the path that never existed. */
const asked = (source: string, path: string | null = null) =>
  Effect.gen(function* () {
    const travel = yield* TimeTravel
    const predicate = compiled(source, path !== null)
    const told = <A, E extends { readonly _tag: string; readonly message: string }>(answer: Effect.Effect<A, E>) =>
      Effect.catchAll(answer, (error) =>
        error._tag === "PredicatePathNeverExisted" && "path" in error && "nearest" in error
          ? Effect.succeed(`${error.path} ~ ${error.nearest}`)
          : Effect.succeed(error.message),
      )
    const watched = yield* told(
      travel.watch(path, predicate).pipe(
        Stream.runCollect,
        Effect.map((events) => Chunk.toReadonlyArray(events)[0]?.position ?? null),
      ),
    )
    if (path !== null) return watched
    const found = yield* told(Effect.map(travel.bisect(predicate), ({ first }) => first))
    expect(watched).toEqual(found)
    return found
  })

describe("a predicate that holds at no moment", () => {
  const answers: ReadonlyArray<readonly [source: string, answer: string | number | null]> = [
    // A path that never existed is an error that names the nearest one.
    ["state.nosuch > 4", "state.nosuch ~ state, which has shared, tasks"],
    ['state.tasks["boiI"].open', 'state.tasks["boiI"].open ~ state.tasks.boil.open'],
    ['state.tasks["other"].open', 'state.tasks["other"].open ~ state.tasks, which has boil, walk'],
    [
      "state.tasks.walk.readings['room/look'].att == 'x'",
      `state.tasks.walk.readings['room/look'].att ~ state.tasks.walk.readings["room/look"].at`,
    ],
    // One that existed at some moment is a "never", also if it is gone, or was there only at events that were not asked about.
    ["state.tasks.boil.environment.boiler.bar > 4", null],
    ['event.type == "TaskClosed" && state.tasks.boil.environment.boiler.bar > 2', null],
    [
      'event.type == "TaskClosed" && state.tasks.boil.environment.boiler.baz > 2',
      "state.tasks.boil.environment.boiler.baz ~ state.tasks.boil.environment.boiler, which has valves",
    ],
    // An alternative that is not read does not matter; one that is read without an answer does.
    ["state.tasks.walk.open || state.nosuch == 1", 5],
    ["state.tasks.walk.goal == 'x' && state.nosuch == 1", null],
    ["state.tasks.walk.goal == 'x' || state.nosuch == 1", "state.nosuch ~ state, which has shared, tasks"],
    [
      "state.tasks.walk.goal == 'g' && (state.nosuch == 1 || state.tasks.walk['no such'] == r'\\n')",
      "state.tasks.walk['no such'] ~ state.tasks.walk, which has readings, environment, pending, goal, open, outcome",
    ],
    // Whoever asks whether something is there may do so.
    ["has(state.shared.nosuch)", null],
    ["has(state.nosuch.below)", null],
    ['"nosuch" in state.tasks', null],
    ["has(state.shared.nosuch) && state.shared.nosuch.x == 1", null],
    // Open keys stand for every key: that of one task is enough.
    ["state.tasks.exists(id, state.tasks[id].environment.boiler.bar > 4)", null],
    [
      "state.tasks.exists(id, state.tasks[id].environment.boiler.bat > 4)",
      "state.tasks[id].environment.boiler.bat ~ state.tasks[*].environment.boiler, which has valves",
    ],
    ['event.type == "TaskClosed" && state.tasks[event.taskId].environment.boiler.bar == 3', null],
    ["state.tasks.boil.environment.boiler.valves.exists(v, v.open)", null],
    [
      "state.tasks.boil.environment.boiler.valves.exists(v, v.opne)",
      "v.opne ~ state.tasks.boil.environment.boiler.valves[*].open",
    ],
    // The keys of an object have no members.
    ["state.tasks.exists(task, task.open)", "task.open ~ state.tasks, which has boil, walk"],
    ["state.tasks.exists(id, [state.tasks[id]].map(t, t.goal).exists(g, g.nosuch == 1))", null],
    // Events.
    ['event.payload.reading.at == "attic"', null],
    [
      'event.payload.readnig.at == "attic"',
      "event.payload.readnig.at ~ event.payload, which has goal, measures, agent",
    ],
    [
      'event.type == "SensorRead" && event.payload.outcome == "x"',
      "event.payload.outcome ~ event.payload, which has sensor, reading, priority, latencyMs",
    ],
    ['event.type == "NoSuchType" && event.payload.nosuch == 1', null],
  ]
  it.live("holds nowhere, or reads a path that never existed", () =>
    onLog(
      Effect.gen(function* () {
        yield* append(history)
        for (const [source, answer] of answers) expect([source, yield* asked(source)]).toEqual([source, answer])
        const path = "/tasks/walk/readings/room~1look"
        expect(yield* asked('value.at == "attic"', path)).toBe(null)
        expect(yield* asked('value.att == "attic"', path)).toBe('value.att ~ state.tasks.walk.readings["room/look"].at')
      }),
    ),
  )

  it.live("says the predicate, the path, the position, the nearest path and what to do", () =>
    onLog(
      Effect.gen(function* () {
        yield* append(history)
        const error = yield* Effect.flip((yield* TimeTravel).bisect(compiled("state.taks.boil.open")))
        expect(error.message).toBe(
          "`state.taks.boil.open` has no answer: the path state.taks.boil.open existed at no moment up to @7; nearest: state.tasks.boil.open. " +
            'Correct the path. To test whether it exists, write has(PATH), or "KEY" in PATH.',
        )
      }),
    ),
  )

  it.live("on an empty log, tells of no path of events that were never asked about", () =>
    onLog(
      Effect.gen(function* () {
        expect((yield* (yield* TimeTravel).bisect(compiled('event.type == "TaskOpened"'))).first).toBe(null)
      }),
    ),
  )
})
