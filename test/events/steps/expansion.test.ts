import { it } from "@effect/vitest"
import { Chunk, Effect, Layer, Option, Stream } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import * as Pages from "../../../src/events/read/Pages.ts"
import { TYPES } from "../../../src/events/steps/Expansion.ts"
import { encoder, type Step } from "../../../src/events/steps/StepColumns.ts"
import * as StepPosition from "../../../src/events/steps/StepPosition.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import * as Generator from "../../../src/plugins/numpy/Generator.ts"
import { sample } from "../../../src/plugins/spaces/Space.ts"
import * as TaskAudit from "../../../src/projections/audit/TaskAudit.ts"
import * as Transitions from "../../../src/projections/exports/Transitions.ts"
import { fold } from "../../../src/projections/fold/Projection.ts"
import * as Projector from "../../../src/projections/projector/Projector.ts"
import * as EnvironmentState from "../../../src/projections/state/EnvironmentState.ts"
import type { Json } from "../../../src/values/Json.ts"
import * as World from "../../../src/worlds/World.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { inRepository } from "../../repository.ts"
import { temporaryLog } from "../../temporary.ts"
import { appendCompact } from "./compacted.ts"

/** Worlds of all kinds: exact numbers, texts, masks, lists, random numbers in the document. */
const WORLDS = ["cart-pole", "frozen-lake", "taxi", "minigrid", "acrobot", "pendulum"]

/** The events of an episode in the full form: random actions, until it ends or for this many steps. */
const played = (name: string, seed: number, steps: number) =>
  Effect.gen(function* () {
    const { start } = yield* testKernel({ plugins: [inRepository("packages", "worlds", name)] })
    const { run } = yield* start
    return yield* run(
      Effect.gen(function* () {
        const world = yield* World.open({ world: name })
        yield* world.reset({ seed })
        const random = Generator.seeded(seed)
        for (let step = 0; step < steps; step++) {
          const action = sample(world.spaces().action, random)
          if (World.isLast(yield* world.step(action))) break
        }
        const taskId = yield* world.taskId
        yield* world.close
        return { taskId, events: yield* eventsOf({ taskId }) }
      }).pipe(Effect.scoped),
    )
  })

const eventsOf = (query: Parameters<EventLog["Type"]["readPage"]>[0]) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const events: Array<Event> = []
    yield* Pages.forEach(log.readPage, query, (page) => void events.push(...page))
    return events
  })

const compactLog = Projector.layer.pipe(Layer.provideMerge(temporaryLog()))

/** What events say, without ids, times and places: links are indexes into the list. */
const meaningOf = (events: ReadonlyArray<Event>) => {
  const list = events.filter(({ type, stream }) => TYPES.has(type) && stream.startsWith("task/"))
  const indexOf = new Map(list.map(({ id }, index) => [id, index]))
  const placeOf = new Map(list.map(({ position }, index) => [position, index]))
  const commands = new Map<Json, number>()
  return list.map(({ type, payload, causationId, schemaVersion }) => {
    const { latencyMs: _latency, commandId, because, range, ...others } = payload
    if (commandId !== undefined && !commands.has(commandId)) commands.set(commandId, commands.size)
    return {
      type,
      schemaVersion,
      cause: causationId === null ? null : (indexOf.get(causationId) ?? "opening"),
      payload: others,
      ...(commandId === undefined ? {} : { command: commands.get(commandId) }),
      ...(because === undefined ? {} : { because: (because as ReadonlyArray<number>).map((at) => placeOf.get(at)) }),
      ...(range === undefined ? {} : { range: placeOf.get((range as { from: number }).from) }),
    }
  })
}

/** Numbers that a log's own place and clock decide. */
const withoutPlaces = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, found) =>
      /position|because|range|Ms$|^at$|^from$|^to$|Id$|timeline|latency|perSecond|duration/i.test(key)
        ? undefined
        : found,
    ),
  )

const transitionsOf = (taskId: string, events: ReadonlyArray<Event>) =>
  Effect.gen(function* () {
    const audit = yield* TaskAudit.load(taskId)
    const score = audit.scores.find(({ label }) => label === "return") ?? null
    const builder = Transitions.begin(audit, score)
    for (const event of events) builder.add(event)
    return { audit, score, transitions: [...builder.transitions()] }
  })

/** The states at events, and those of a fold of all events. */
const statesAt = (events: ReadonlyArray<Event>) =>
  Effect.gen(function* () {
    const projector = yield* Projector.Projector
    const all = yield* eventsOf({})
    const found = yield* Effect.forEach(events, ({ position }) =>
      projector.stateAt(EnvironmentState.projection, position),
    )
    const folded = events.map(({ position }) =>
      fold(
        EnvironmentState.projection,
        all.filter((event) => event.position <= position),
      ),
    )
    return { found, folded }
  })

/** Appends an episode of a document `{ x, deep: { y } }` with these patches. */
const appendPatches = (log: EventLog["Type"], patches: ReadonlyArray<Step["patch"]>) =>
  Effect.gen(function* () {
    const steps = patches.map((patch, index): Step => ({ action: index, result: {}, patch, readings: { seen: index } }))
    const encoded = encoder().encode(steps)
    if (encoded === undefined) throw new Error("expected columns that fit")
    const begin = { seed: 1, options: {}, state: { x: 0, deep: { y: 0 } }, readings: { seen: -1 } }
    const payload = { plugin: "w", first: 0, steps: steps.length, rule: "r", latencyMs: 1, priorities: {} }
    yield* log.append({
      stream: "task/t",
      actor: "kernel",
      taskId: "t",
      events: [{ type: "StepsRecorded", payload: { ...payload, begin, ...encoded } } as never],
    })
    return yield* eventsOf({ taskId: "t" })
  })

const set = (path: string, value: Json) => ({ op: "replace" as const, path, value })

describe("a compact episode", () => {
  it.scopedLive.each<[string, ReadonlyArray<Step["patch"]>]>([
    ["changes that do not fit", [[set("/x", 1)], [set("/x", 2)], [set("/none", 1)], [set("/x", 3)], [set("/x", 4)]]],
    ["changes within each other", [[set("/deep", { y: 1 })], [set("/deep/y", 2)], [set("/deep", { y: 3 })], []]],
    [
      "keys that come and go",
      [[{ op: "add", path: "/z", value: 1 }], [{ op: "remove", path: "/z" }], [], [set("/x", 2)]],
    ],
    ["rare changes", [[set("/x", 1)], [], [set("/deep/y", 1)], [], [set("/x", 1)], [set("/deep/y", 5)], []]],
  ])("with %s has the states of all its events at each of its steps", ([_, patches]) =>
    Effect.gen(function* () {
      const events = yield* appendPatches(yield* EventLog, patches)
      const { found, folded } = yield* statesAt(events)
      expect(found).toEqual(folded)
      expect(found.length).toBeGreaterThan(patches.length * 5)
    }).pipe(Effect.provide(compactLog)),
  )

  for (const [index, name] of WORLDS.entries()) {
    it.scopedLive(`of ${name} reads as the events of the full form`, () =>
      Effect.gen(function* () {
        const { taskId, events } = yield* played(name, index + 1, 60)
        yield* Effect.gen(function* () {
          const log = yield* EventLog
          yield* appendCompact(log, name, events, 17)
          const found = yield* eventsOf({ taskId })
          expect(meaningOf(found)).toEqual(meaningOf(events))
          // Positions rise, and each event within another has an id by which it is found.
          for (const [at, event] of found.entries()) {
            expect(event.position).toBeGreaterThan(found[at - 1]?.position ?? 0)
          }
          const inside = found.filter(({ position }) => StepPosition.isWithin(position))
          expect(inside.length).toBeGreaterThan(0)
          for (const event of inside.slice(0, 20)) {
            expect(Option.getOrNull(yield* log.find(event.id))).toEqual(event)
            expect(yield* log.readPage({ after: event.position - 1, until: event.position }, 1)).toEqual([event])
          }
          // A fold to any of them reads the steps before in short, and gives the same state.
          const states = yield* statesAt(found.filter((_, at) => at % 5 === index % 5 || at > found.length - 12))
          expect(states.found).toEqual(states.folded)
        }).pipe(Effect.provide(compactLog))
      }),
    )
  }

  it.scopedLive("has the states, the audit and the transitions of the full form, and any page reads the same", () =>
    Effect.gen(function* () {
      const { start } = yield* testKernel({ plugins: [inRepository("packages", "worlds", "cart-pole")] })
      const { run } = yield* start
      const full = yield* run(
        Effect.gen(function* () {
          const world = yield* World.open({ world: "cart-pole" })
          const { observation } = yield* world.reset({ seed: 5 })
          let seen = observation as ReadonlyArray<number>
          for (let step = 0; step < 120; step++) {
            const next = yield* world.step((seen[2] ?? 0) + (seen[3] ?? 0) > 0 ? 1 : 0)
            seen = next.observation as ReadonlyArray<number>
          }
          const taskId = yield* world.taskId
          yield* world.close
          const events = yield* eventsOf({ taskId })
          const projector = yield* Projector.Projector
          const states = yield* Effect.forEach(
            events.filter(({ type }) => type === "SensorRead"),
            ({ position }) => projector.stateAt(EnvironmentState.projection, position),
          )
          return { taskId, events, states, ...(yield* transitionsOf(taskId, events)) }
        }).pipe(Effect.scoped),
      )
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        yield* appendCompact(log, "cart-pole", full.events, 50)
        const events = yield* eventsOf({ taskId: full.taskId })
        const compact = yield* transitionsOf(full.taskId, events)
        expect(compact.transitions.length).toBe(120)
        expect(withoutPlaces(compact.transitions)).toEqual(withoutPlaces(full.transitions))
        expect(withoutPlaces(compact.score)).toEqual(withoutPlaces(full.score))
        const { sensing, acting, changes } = compact.audit
        expect(withoutPlaces({ sensing, acting, changes })).toEqual(
          withoutPlaces({ sensing: full.audit.sensing, acting: full.audit.acting, changes: full.audit.changes }),
        )
        const projector = yield* Projector.Projector
        const readings = events.filter(({ type }) => type === "SensorRead")
        for (const [index, { position }] of readings.entries()) {
          const { tasks } = yield* projector.stateAt(EnvironmentState.projection, position)
          expect(tasks[full.taskId]).toEqual(full.states[index]?.tasks[full.taskId])
        }
        // Whole position: all steps of the event.
        const [compacted] = yield* log.readPage({ types: ["StepsRecorded"] }, 1)
        const at = yield* projector.stateAt(EnvironmentState.projection, compacted?.position ?? 0)
        expect(at.tasks[full.taskId]).toEqual(full.states[50]?.tasks[full.taskId])
        // Pages of any size, and a selection of types.
        for (const size of [1, 7, 64, 999]) {
          const paged: Array<Event> = []
          for (let after = 0; ; ) {
            const page = yield* log.readPage({ after }, size)
            expect(page.length).toBeLessThanOrEqual(size)
            paged.push(...page)
            if (page.length < size) break
            after = page.at(-1)?.position ?? after
          }
          expect(paged.map(({ id }) => id)).toEqual(events.map(({ id }) => id))
        }
        const rewards = yield* eventsOf({ types: ["RewardGiven"] })
        expect(rewards.length).toBe(120)
        expect(rewards).toEqual(events.filter(({ type }) => type === "RewardGiven"))
        const streamed = yield* Stream.runCollect(log.read({ types: ["SensorRead", "TaskOpened"] }))
        expect(Chunk.size(streamed)).toBe(122)
      }).pipe(Effect.provide(compactLog))
    }),
  )
})
