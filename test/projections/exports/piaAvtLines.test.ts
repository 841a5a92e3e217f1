import { it } from "@effect/vitest"
import { Ajv } from "ajv"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import * as PiaAvtLines from "../../../src/projections/exports/PiaAvtLines.ts"
import { all, encoded, event, hardLog, readable } from "./given.ts"

/** What the toolkit reads: eight keys and no other, in a timestamp at most six fraction digits. */
const SCHEMA = {
  type: "object",
  properties: {
    timestamp: {
      oneOf: [
        { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{1,6}Z$" },
        { type: "number", minimum: 0 },
      ],
    },
    simulation_run_id: { type: ["string", "null"], minLength: 1 },
    experiment_id: { type: "string", minLength: 1 },
    agent_id: { type: ["string", "null"], minLength: 1 },
    source_component_id: { type: "string", minLength: 1 },
    log_level: { enum: ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"] },
    event_type: { type: "string", minLength: 1 },
    event_data: { type: "object" },
  },
  required: [
    ...["timestamp", "simulation_run_id", "experiment_id", "agent_id"],
    ...["source_component_id", "log_level", "event_type", "event_data"],
  ],
  additionalProperties: false,
}

const options = (timestamps: "iso" | "seconds" = "iso", agents = new Map<string, string>()) => ({
  ...{ experiment: "log.db", timestamps, agents },
})

const linesOf = (items: Parameters<typeof encoded<ReturnType<typeof event>>>[1], given = options()) =>
  Effect.map(encoded(PiaAvtLines.encoder(given), items), (bytes) =>
    bytes
      .toString()
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  )

describe("log lines of PiaAVT", () => {
  it.scopedLive("hold to the schema, one an event, with the event's payload", () =>
    Effect.gen(function* () {
      const { log, records } = yield* hardLog
      const items = (yield* readable(records, true)).filter(({ link }) => link.occurredAt >= 0)
      const validate = new Ajv({ allowUnionTypes: true }).compile(SCHEMA)
      for (const timestamps of ["iso", "seconds"] as const) {
        const lines = yield* linesOf(items, options(timestamps))
        expect(lines.flatMap((line) => (validate(line) ? [] : [validate.errors]))).toEqual([])
        const events = (yield* all(log)).filter(({ occurredAt }) => occurredAt >= 0)
        expect(lines.map(({ event_data, event_type }) => [event_type, event_data])).toEqual(
          events.map(({ type, payload }) => [type === "AgentStateChanged" ? "AGENT_INTERNAL_STATE" : type, payload]),
        )
      }
    }),
  )

  it.effect("say when, in UTC or in seconds", () =>
    Effect.gen(function* () {
      const items = [event(1, "NoteAdded", {}, { atMs: 1_700_000_000_050 })]
      expect((yield* linesOf(items))[0].timestamp).toBe("2023-11-14T22:13:20.050Z")
      expect((yield* linesOf(items, options("seconds")))[0].timestamp).toBe(1_700_000_000.05)
    }),
  )

  it.effect("name the agent that an event names, in a task with several", () =>
    Effect.gen(function* () {
      const items = [
        event(1, "TaskOpened", { goal: "g", measures: [], agent: "group@1" }),
        event(2, "ActuatorCommanded", { commandId: "c1", actuator: "arena/step", args: {}, agentId: "ada" }),
        event(3, "AgentStateChanged", { state: { mood: 1 }, agentId: "bob" }),
        event(4, "CommandSucceeded", { commandId: "c1", result: {}, latencyMs: 1 }),
        event(5, "AgentLate", { agentId: "bob", waitedMs: 5 }),
        event(6, "TaskClosed", { outcome: "achieved", reason: "" }),
      ]
      const lines = yield* linesOf(items)
      expect(lines.map(({ agent_id }) => agent_id)).toEqual(["group@1", "ada", "bob", "ada", "bob", "group@1"])
      expect(lines[2]).toMatchObject({
        event_type: "AGENT_INTERNAL_STATE",
        event_data: { state: { mood: 1 }, agentId: "bob" },
      })
      expect(lines[4].log_level).toBe("WARNING")
    }),
  )

  it.effect("name the task's agent, and the component that an event is about, outcomes included", () =>
    Effect.gen(function* () {
      const items = [
        event(1, "TaskOpened", { goal: "g", measures: [], agent: "walker@1.0.0" }),
        event(2, "SensorRead", { sensor: "room/view", reading: 1 }),
        event(3, "ActuatorCommanded", { commandId: "c1", actuator: "room/go", args: {} }),
        event(4, "CommandSucceeded", { commandId: "c1", result: {}, latencyMs: 1 }),
        event(5, "CommandSucceeded", { commandId: "c1", result: {}, latencyMs: 1 }),
        event(6, "KernelStopped", { reason: "" }, { taskId: null }),
        event(7, "NoteAdded", { about: "", text: "" }, { taskId: "earlier", actor: "human:ada" }),
      ]
      const lines = yield* linesOf(items, options("iso", new Map([["earlier", "runner@2"]])))
      expect(lines.map((line) => [line.simulation_run_id, line.agent_id, line.source_component_id])).toEqual([
        ["t1", "walker@1.0.0", "kernel"],
        ["t1", "walker@1.0.0", "room/view"],
        ["t1", "walker@1.0.0", "room/go"],
        ["t1", "walker@1.0.0", "room/go"],
        // The command is over: what names it again is not its outcome.
        ["t1", "walker@1.0.0", "kernel"],
        [null, null, "kernel"],
        ["earlier", "runner@2", "human:ada"],
      ])
    }),
  )

  it.effect.each<[string, string, object]>([
    ["INFO", "SensorRead", { sensor: "a/b" }],
    ["DEBUG", "CommandAllowed", { commandId: "c", rule: "r" }],
    ["WARNING", "CommandDenied", { commandId: "c", rule: "r", reason: "" }],
    ["ERROR", "CommandFailed", { commandId: "c", error: { code: "x", message: "" } }],
    ["ERROR", "SensorFailed", { sensor: "a/b", error: { code: "x", message: "" } }],
    ["ERROR", "PluginExited", { plugin: "a", code: null, signal: "SIGKILL" }],
    ["INFO", "PluginExited", { plugin: "a", code: 0, signal: null }],
    ["WARNING", "PluginLogged", { plugin: "a", level: "warn", message: "" }],
    ["WARNING", "TaskClosed", { outcome: "failed" }],
    ["INFO", "TaskClosed", { outcome: "achieved" }],
    ["INFO", "acme/OrderPlaced", {}],
  ])("say %s of %s", ([level, type, payload]) =>
    Effect.gen(function* () {
      expect((yield* linesOf([event(1, type, payload)]))[0].log_level).toBe(level)
    }),
  )
})
