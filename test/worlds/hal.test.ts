import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import type { JsonObject } from "../../src/values/Json.ts"
import * as Hal from "../../src/worlds/adapters/Hal.ts"
import { textRoom } from "../first-party/text-room/playing.ts"
import { events } from "../kernel/given.ts"
import { outside } from "../wrongOptions.ts"
import { environmentOn } from "./onKernel.ts"

const ended = ({ won, lost }: JsonObject) => (won === true ? "achieved" : lost === true ? "failed" : null)

/** The text room under HAL's names, with the names of parameters that the seeds use. */
const played = Effect.gen(function* () {
  const { run, environment } = yield* environmentOn(
    { plugins: [textRoom] },
    { plugin: "text-room", agents: ["PiaAgent_001"], ended },
  )
  return { run, environment, hal: yield* Hal.of(environment, { parameterNames: { take: { item_name: "item" } } }) }
})

const act = (action_type: string, parameters: JsonObject = {}) => ({ action_type, parameters })

describe("the text room under HAL's names", () => {
  it.scopedLive("has its actuators as actions, described as the seed describes them", () =>
    Effect.gen(function* () {
      const { hal } = yield* played
      const space = yield* hal.get_action_space("PiaAgent_001")
      expect(Object.keys(space).sort()).toEqual(
        ["close", "drop", "examine", "go", "look", "open", "read", "take", "use"].sort(),
      )
      expect(space.go?.parameters).toMatchObject({ direction: { type: "string" } })
      expect(space.take?.parameters).toMatchObject({ item_name: { type: "string" } })
      expect(space.look?.parameters).toMatchObject({ target: { type: "string", optional: true } })
      expect(hal.get_environment_info()).toMatchObject({
        environment_name: "Text room",
        version: "1.0.0",
        action_schema: space,
        perception_schema: { room: { description: expect.any(String) }, inventory: {} },
      })
    }),
  )

  it.scopedLive("is reset, perceived, acted in with the seed's own commands, and done", () =>
    Effect.gen(function* () {
      const { run, hal } = yield* played
      const first = yield* hal.reset()
      expect(Schema.is(Hal.PerceptionData)(first)).toBe(true)
      expect(first).toMatchObject({
        sensor_data: { room: { room: "study" }, inventory: { items: [{}] } },
        messages: [],
      })

      const north = yield* hal.step("PiaAgent_001", act("go", { direction: "north" }))
      expect(Schema.is(Hal.ActionResult)(north)).toBe(true)
      expect(north).toMatchObject({
        status: "success",
        message: expect.any(String),
        new_perception_snippet: { sensor_data: { go: {} }, agent_specific_data: null },
        details: { command_id: expect.any(String) },
      })
      expect((yield* hal.get_observation("PiaAgent_001")).sensor_data).toMatchObject({ room: { room: "hallway" } })
      const examined = yield* hal.step("PiaAgent_001", act("text-room/examine", { target: "clock" }))
      expect(examined.status).toBe("success")
      expect(yield* hal.step("PiaAgent_001", act("take", { item_name: "brass_key" }))).toMatchObject({
        status: "success",
      })
      yield* hal.step("PiaAgent_001", act("go", { direction: "south" }))
      yield* hal.step("PiaAgent_001", act("use", { item: "brass_key", on: "desk" }))
      yield* hal.step("PiaAgent_001", act("open", { target: "desk" }))
      expect(yield* hal.is_done("PiaAgent_001")).toBe(false)
      yield* hal.step("PiaAgent_001", act("take", { item_name: "document" }))
      expect(yield* hal.get_state()).toMatchObject({ won: true })
      expect(yield* hal.is_done("PiaAgent_001")).toBe(true)

      yield* hal.reset()
      expect(yield* hal.is_done("PiaAgent_001")).toBe(false)
      expect((yield* run(events("TaskClosed"))).map(({ payload }) => payload.outcome)).toEqual(["achieved"])
    }),
  )

  it.scopedLive("answers a refusal as a failure with its code, and leaves the state as it was", () =>
    Effect.gen(function* () {
      const { hal } = yield* played
      yield* hal.reset()
      expect(yield* hal.step("PiaAgent_001", act("open", { target: "desk" }))).toMatchObject({
        status: "failure",
        message: expect.stringContaining("locked"),
        new_perception_snippet: null,
        details: { code: "locked" },
      })
      expect(yield* hal.step("PiaAgent_001", act("fly"))).toMatchObject({
        status: "failure",
        message: expect.stringContaining("text-room/go"),
        details: { code: "active-actuators" },
      })
      expect(yield* hal.step("PiaAgent_001", act("go", { speed: 3 }))).toMatchObject({
        status: "failure",
        details: { code: "args-schema" },
      })
    }),
  )

  it.scopedLive("delivers what was said to the agent with the next perception, once", () =>
    Effect.gen(function* () {
      const { run, hal } = yield* played
      yield* hal.reset()
      const [opened] = yield* run(events("TaskOpened"))
      const taskId = opened?.taskId ?? ""
      const input = { type: "InputReceived" as const, payload: { source: "system", content: "A door opens." } }
      yield* run(
        Effect.flatMap(EventLog, (log) =>
          log.append({ stream: `task/${taskId}`, taskId, actor: "human:tutor", events: [input] }),
        ),
      )
      expect((yield* hal.get_observation("PiaAgent_001")).messages).toEqual([
        { sender: "system", content: "A door opens.", timestamp: expect.any(Number) },
      ])
      expect((yield* hal.get_observation("PiaAgent_001")).messages).toEqual([])
    }),
  )

  it.scopedLive("refuses agents that do not take part, what is no action, and anything before a reset", () =>
    Effect.gen(function* () {
      const { hal } = yield* played
      expect(yield* Effect.flip(hal.get_observation("PiaAgent_001"))).toMatchObject({ _tag: "NoEpisode" })
      yield* hal.reset()
      expect(yield* Effect.flip(hal.step("agent_2", act("look")))).toMatchObject({
        _tag: "NoSuchAgent",
        message: 'text-room: expected one of the agents PiaAgent_001, found "agent_2".',
      })
      const mistakes = yield* Effect.flip(hal.step("PiaAgent_001", outside({ action: "look" })))
      expect(mistakes).toMatchObject({
        _tag: "InvalidOptions",
        problems: [{ path: "action" }, { path: "action_type" }, { path: "parameters" }],
      })
    }),
  )
})
