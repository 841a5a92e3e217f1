import { it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Schema, Stream } from "effect"
import { describe, expect } from "vitest"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { Confirmations } from "../../src/kernel/gate/Confirmations.ts"
import type { JsonObject } from "../../src/values/Json.ts"
import * as PiaSE from "../../src/worlds/adapters/PiaSE.ts"
import { textRoom, theLostKeyOptions } from "../first-party/text-room/playing.ts"
import { about, events, seen } from "../kernel/given.ts"
import type { TestKernelOptions } from "../kernel/testKernel.ts"
import { inRepository } from "../repository.ts"
import { outside, placesOf } from "../wrongOptions.ts"
import { environmentOn } from "./onKernel.ts"

const AGENT = "PiaAgent_001"

const FIELDS = {
  visible_text: "/room/description",
  visible_entities: "/room/things",
  inventory: "/inventory/items",
}

const played = (options: PiaSE.PiaSEOptions = {}, kernel: TestKernelOptions = {}) =>
  Effect.gen(function* () {
    const { run, environment } = yield* environmentOn(
      { plugins: [textRoom], ...kernel },
      { plugin: "text-room", agents: [AGENT] },
    )
    const parameterNames = { take: { item_name: "item" } }
    return { run, environment, pia: yield* PiaSE.of(environment, { fields: FIELDS, parameterNames, ...options }) }
  })

const go = (direction: string) => ({ action_type: "go", parameters: { direction } })

/** What a strict decoding makes of a value, or where it is wrong. */
const decoded = <A, I>(schema: Schema.Schema<A, I>, value: JsonObject) =>
  Schema.decodeUnknownSync(schema)(value, { onExcessProperty: "error", errors: "all" })

describe("the data structures of the seed's own examples", () => {
  it("are decoded, with what pydantic fills in", () => {
    expect(
      decoded(PiaSE.PerceptionData, {
        timestamp: 1678886400.5,
        visible_text: "In a room.",
        messages: [{ sender: "system", content: "A door opens." }],
        self_stats_feedback: { energy: 0.9 },
      }),
    ).toEqual({
      timestamp: 1678886400.5,
      raw_observations: {},
      visible_text: "In a room.",
      messages: [{ sender: "system", content: "A door opens.", timestamp: null }],
      inventory_update: null,
      self_stats_feedback: { energy: 0.9 },
      visible_entities: null,
      last_action_result: null,
    })
    const move = { action_type: "move", parameters: { direction: "east", speed: "normal" } }
    expect(decoded(PiaSE.ActionCommand, move)).toEqual({ ...move, sequence_id: null, execution_priority: null })
    const blocked = {
      status: "failure",
      message: "Cannot move north, path blocked.",
      error_details: "Wall encountered",
    }
    expect(decoded(PiaSE.ActionResult, blocked)).toMatchObject({ ...blocked, rewards_obtained: null })
    const moved = { status: "success", state_changes_summary: { agent_location: [10, 11] } }
    expect(decoded(PiaSE.ActionResult, moved)).toMatchObject(moved)
    const info = {
      environment_name: "TextWorldDeluxe",
      description: "...",
      action_schema: {
        move: { parameters: { direction: { type: "string", enum: ["N", "S", "E", "W"] } } },
        examine: { parameters: { target: { type: "string" } } },
      },
      perception_schema: {
        current_room_description: { type: "string" },
        visible_objects: { type: "list[string]", is_optional: true },
      },
      time_model: "discrete_steps",
    }
    expect(decoded(PiaSE.EnvironmentInfo, info)).toMatchObject({
      max_agents: 1,
      version: null,
      action_schema: { move: { description: null } },
      perception_schema: { current_room_description: { is_optional: false } },
    })
  })

  it("the seed's perception of a text room, which uses fields that its model lacks, is not one", () => {
    const example = {
      timestamp: 1678886400.5,
      room_name: "Study",
      objects_visible: [{ name: "desk", description: "a large oak desk." }],
      messages: [],
    }
    expect(() => decoded(PiaSE.PerceptionData, example)).toThrow(/room_name[\s\S]*objects_visible/)
    const inField = { timestamp: 1678886400.5, raw_observations: example, messages: [] }
    expect(decoded(PiaSE.PerceptionData, inField).raw_observations).toEqual(example)
  })
})

describe("the text room under PiaSE's names", () => {
  it.scopedLive("says what it is, and is perceived and acted in", () =>
    Effect.gen(function* () {
      const { pia } = yield* played({ publicState: ["/room", "/steps"] })
      const info = pia.get_environment_info()
      expect(Schema.is(PiaSE.EnvironmentInfo)(info)).toBe(true)
      expect(info).toMatchObject({
        environment_name: "Text room",
        action_schema: { take: { parameters: { item_name: { type: "string" } } } },
        perception_schema: { room: {}, inventory: {} },
        max_agents: 1,
        time_model: "discrete_steps",
      })
      expect(yield* pia.reset_environment()).toBe(true)
      const first = yield* pia.get_perceptions(AGENT)
      expect(Schema.is(PiaSE.PerceptionData)(first)).toBe(true)
      expect(first).toMatchObject({
        visible_text: expect.stringContaining("study"),
        visible_entities: [{ name: "desk" }, { name: "bookshelf" }, { name: "notebook" }],
        inventory_update: { added: [{ name: "candle" }], removed: [] },
        last_action_result: null,
      })
      const north = yield* pia.submit_action(AGENT, go("north"))
      expect(Schema.is(PiaSE.ActionResult)(north)).toBe(true)
      expect(north).toMatchObject({
        status: "success",
        state_changes_summary: { "/room": "hallway", "/steps": 1 },
        rewards_obtained: null,
        error_details: null,
      })
      yield* pia.submit_action(AGENT, { action_type: "examine", parameters: { target: "clock" } })
      yield* pia.submit_action(AGENT, { action_type: "take", parameters: { item_name: "brass_key" } })
      expect(yield* pia.get_perceptual_data_for_agent(AGENT)).toMatchObject({
        inventory_update: { added: [{ name: "brass_key" }], removed: [] },
        last_action_result: { action_type: "take", status: "success" },
      })
      expect((yield* pia.get_perceptions(AGENT)).inventory_update).toBeNull()
    }),
  )

  it.scopedLive("tells failures from what is no action of its", () =>
    Effect.gen(function* () {
      const { pia } = yield* played()
      yield* pia.reset_environment()
      const refused = yield* pia.apply_action_from_agent(AGENT, { action_type: "open", parameters: { target: "desk" } })
      expect(refused).toMatchObject({ status: "failure", error_details: "locked", state_changes_summary: null })
      expect((yield* pia.submit_action(AGENT, { action_type: "fly" })).status).toBe("invalid_action")
      expect((yield* pia.submit_action(AGENT, { action_type: "go" })).status).toBe("invalid_action")
      const wrong = yield* Effect.flip(pia.submit_action(AGENT, outside({ action_type: "go", priority: 1 })))
      expect(placesOf(wrong)).toEqual(["priority"])
      expect(yield* Effect.flip(pia.get_perceptions("agent_2"))).toMatchObject({ _tag: "NoSuchAgent" })
    }),
  )

  it.scopedLive("is configured, and shows parts of its state: all to the engine, the public ones to agents", () =>
    Effect.gen(function* () {
      const { pia } = yield* played({ publicState: ["/steps"] })
      expect(yield* pia.load_configuration({ ...theLostKeyOptions, scenario_name: "Another" })).toBe(true)
      yield* pia.reset_environment()
      expect(yield* pia.get_current_state_snapshot("scenario")).toBe("Another")
      expect(yield* pia.get_current_state_snapshot("/steps")).toBe(0)
      expect(yield* pia.get_current_state_snapshot()).toMatchObject({ scenario: "Another", steps: 0 })
      expect((yield* Effect.flip(pia.get_current_state_snapshot("weather"))).message).toContain('no "weather"')
      expect(yield* pia.query_environment_state(AGENT, { paths: ["/steps"] })).toEqual({ "/steps": 0 })
      expect(yield* Effect.flip(pia.query_environment_state(AGENT, { paths: ["/placed"] }))).toMatchObject({
        _tag: "NotPublic",
        message: 'text-room: expected one of /steps, found "/placed", which agents may not see.',
      })
      expect(placesOf(yield* Effect.flip(pia.query_environment_state(AGENT, { path: "/steps" })))).toEqual([
        "path: paths?",
        "paths",
      ])
      expect(yield* Effect.flip(pia.reset_environment({ scenario_name: 3 }))).toMatchObject({
        _tag: "EnvironmentRefused",
      })
      yield* pia.reset_environment()
      yield* pia.step(1)
    }),
  )

  it.scopedLive("carries out several actions by their priority, and records to which sequence they belong", () =>
    Effect.gen(function* () {
      const { run, pia } = yield* played()
      yield* pia.reset_environment()
      yield* pia.get_perceptions(AGENT)
      const results = yield* PiaSE.submitAll(pia, AGENT, [
        { action_type: "look" },
        { ...go("south"), execution_priority: 1, sequence_id: "tour" },
        { ...go("north"), execution_priority: 2, sequence_id: "tour" },
      ])
      expect(results.map(({ status }) => status)).toEqual(["success", "success", "success"])
      const commands = yield* run(events("ActuatorCommanded"))
      expect(commands.map(({ payload }) => payload.args)).toEqual([{ direction: "north" }, { direction: "south" }, {}])
      const decisions = yield* run(events("DecisionMade"))
      expect(decisions.map(({ payload }) => payload)).toMatchObject([
        { agent: AGENT, choice: { sequence_id: "tour", execution_priority: 2 }, basedOn: [expect.any(Number), {}] },
        { choice: { sequence_id: "tour", execution_priority: 1 } },
      ])
      expect(commands.map(({ causationId }) => causationId).slice(0, 2)).toEqual(decisions.map(({ id }) => id))
    }),
  )

  it.scopedLive("answers in_progress for what takes longer, and tells its end with a later perception", () =>
    Effect.gen(function* () {
      const gate = { default: "confirm" as const, confirmWithinMs: 60_000 }
      const { run, pia } = yield* played({ answerWithinMs: 1 }, { gate })
      yield* pia.reset_environment()
      expect(yield* pia.submit_action(AGENT, go("north"))).toMatchObject({ status: "in_progress" })
      expect((yield* pia.get_perceptions(AGENT)).last_action_result).toBeNull()
      const asked = yield* run(seen(about("ConfirmationRequested")))
      const answer = { approved: true, by: "tester", channel: "program" }
      yield* run(Effect.flatMap(Confirmations, ({ decide }) => decide(String(asked.payload.confirmationId), answer)))
      yield* run(seen(about("CommandSucceeded")))
      expect(yield* pia.get_perceptions(AGENT)).toMatchObject({
        last_action_result: { action_type: "go", status: "success" },
        raw_observations: { room: { room: "hallway" } },
      })
    }),
  )

  it.scopedLive("delivers the events that an agent subscribed to, and no others", () =>
    Effect.gen(function* () {
      const delivered = yield* Deferred.make<readonly [string, Event]>()
      const deliver = (url: string, event: Event) => Effect.asVoid(Deferred.succeed(delivered, [url, event] as const))
      const { pia } = yield* played({ deliver })
      yield* pia.reset_environment()
      yield* pia.subscribe_to_event(AGENT, "CommandSucceeded", "http://127.0.0.1:8000/events")
      yield* pia.submit_action(AGENT, go("north"))
      expect(yield* Deferred.await(delivered)).toMatchObject([
        "http://127.0.0.1:8000/events",
        { type: "CommandSucceeded" },
      ])
      for (const type of ["EnvironmentChanged", "weather"]) {
        const tried = pia.subscribe_to_event(AGENT, type, "http://127.0.0.1:8000/")
        expect(yield* Effect.flip(tried)).toMatchObject({ _tag: "NotPublic", asked: type })
      }
      const nowhere = pia.subscribe_to_event(AGENT, "SensorRead", "file:///etc/passwd")
      expect(yield* Effect.flip(nowhere)).toMatchObject({ _tag: "InvalidOptions" })
      const { pia: silent } = yield* played()
      yield* silent.reset_environment()
      expect(yield* Effect.flip(silent.subscribe_to_event(AGENT, "SensorRead", "http://localhost/"))).toMatchObject({
        _tag: "NotPublic",
        allowed: [],
      })
    }),
  )
})

describe("a world for several under PiaSE's names", () => {
  it.scopedLive("delivers to an agent what is about itself, and nothing about the others", () =>
    Effect.gen(function* () {
      const { environment, run } = yield* environmentOn(
        { plugins: [inRepository("test/worlds/samples/arena")] },
        { plugin: "arena", agents: ["ada", "bob"] },
      )
      yield* environment.reset()
      const told = yield* Effect.fork(Stream.runCollect(yield* environment.events("ada", PiaSE.EVENT_TYPES)))
      for (const agent of ["ada", "bob"]) {
        yield* environment.perceive(agent)
        yield* environment.act(agent, { actuator: "step", args: { action: 1 } })
      }
      yield* environment.together({ ada: 0, bob: 0 })
      yield* environment.close
      const all = [...(yield* Fiber.join(told))].map(({ type, payload }) => [type, payload.agentId])
      expect(all).toEqual([
        ["SensorRead", "ada"],
        ["ActuatorCommanded", "ada"],
        ["CommandSucceeded", undefined],
        ["ActuatorCommanded", "ada"],
        ["CommandSucceeded", undefined],
        ["TaskClosed", undefined],
      ])
      expect(yield* run(events("CommandSucceeded"))).toHaveLength(4)
    }),
  )
})

describe("a world under PiaSE's names", () => {
  it.scopedLive("gives the rewards of a step by their names", () =>
    Effect.gen(function* () {
      const { environment } = yield* environmentOn(
        { plugins: [inRepository("test/worlds/samples/drift")] },
        { plugin: "drift", agents: [AGENT] },
      )
      const pia = yield* PiaSE.of(environment, { fields: { self_stats_feedback: "/nothing" } })
      yield* pia.reset_environment({ at: 1 })
      expect(yield* pia.submit_action(AGENT, { action_type: "step", parameters: { action: 1 } })).toMatchObject({
        status: "success",
        rewards_obtained: { way: 2, wind: expect.any(Number) },
        immediate_perception_snippet: null,
      })
      expect((yield* pia.get_perceptions(AGENT)).self_stats_feedback).toBeNull()
    }),
  )
})
