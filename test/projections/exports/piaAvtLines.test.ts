import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import * as Vocabulary from "../../../src/events/vocabulary/Vocabulary.ts"
import * as PiaAvtLines from "../../../src/projections/exports/PiaAvtLines.ts"
import { LEVELS, levelOf } from "../../../src/projections/exports/piaavt/LogLevel.ts"
import { entriesOf, MAPPED } from "../../../src/projections/exports/piaavt/Vocabulary.ts"
import { all, encoded, event, hardLog, readable } from "./given.ts"
import { goalsOf, refusal } from "./PiaAvtReader.ts"

const options = (given: Partial<PiaAvtLines.PiaAvtOptions> = {}): PiaAvtLines.PiaAvtOptions => ({
  experiment: "log.db",
  timestamps: "iso",
  aliases: false,
  timeline: null,
  agents: new Map(),
  ...given,
})

type Items = Parameters<typeof encoded<ReturnType<typeof event>>>[1]

const textsOf = (items: Items, given = options()) =>
  Effect.map(encoded(PiaAvtLines.encoder(given), items), (bytes) => bytes.toString().split("\n").slice(0, -1))

const linesOf = (items: Items, given = options()) =>
  Effect.map(textsOf(items, given), (texts) => texts.map((line) => JSON.parse(line)))

/** A task that is opened, acts, fails once, and is closed. */
const TASK = [
  event(1, "TaskOpened", { goal: "Find the key", measures: [], agent: "walker@1.0.0" }),
  event(2, "SensorRead", { sensor: "room/view", reading: 1 }),
  event(3, "ActuatorCommanded", { commandId: "c1", actuator: "room/go", args: { to: "north" } }),
  event(4, "CommandAllowed", { commandId: "c1", rule: "r" }),
  event(5, "CommandDispatched", { commandId: "c1" }),
  event(6, "CommandSucceeded", { commandId: "c1", result: {}, latencyMs: 1 }),
  event(7, "ActuatorCommanded", { commandId: "c2", actuator: "room/open", args: {} }),
  event(8, "CommandFailed", { commandId: "c2", error: { code: "x", message: "locked" }, latencyMs: 1 }),
  event(9, "EnvironmentChanged", { plugin: "room", patch: [] }),
  event(10, "RewardGiven", { measure: "room/m", amount: 0.5, because: [6] }),
  event(11, "PunishmentGiven", { measure: "room/m", amount: 0.25, because: [8] }),
  event(12, "TaskClosed", { outcome: "achieved", reason: "done" }),
]

describe("the levels of lines", () => {
  const levels = (least: (typeof LEVELS)[number], of: Readonly<Record<string, (typeof LEVELS)[number]>> = {}) => ({
    least,
    of: new Map(Object.entries(of)),
  })

  it.effect.each([
    [levels("TRACE"), 0, 12],
    [levels("INFO"), 2, 10],
    [levels("ERROR"), 11, 1],
    [levels("CRITICAL"), 12, 0],
    [levels("ERROR", { room: "INFO" }), 4, 8],
    [levels("ERROR", { "room/go": "TRACE" }), 7, 5],
    [levels("TRACE", { room: "ERROR" }), 9, 3],
    [levels("CRITICAL", { "walker@1.0.0": "ERROR" }), 11, 1],
  ] as const)("leave out less severe events of a module: %j", ([least, expected, kept]) =>
    Effect.gen(function* () {
      let leftOut = 0
      const lines = yield* linesOf(TASK, options({ levels: least, onLeftOut: () => void leftOut++ }))
      expect([leftOut, TASK.length - leftOut]).toEqual([expected, kept])
      const admitted = LEVELS.slice(LEVELS.indexOf(least.least))
      const others = lines.filter(({ log_level }) => !admitted.includes(log_level))
      expect(others.length === 0 || least.of.size > 0).toBe(true)
    }),
  )
})

describe("log lines of PiaAVT", () => {
  it.scopedLive("are taken by its loader, also those of events without a task, and with text beyond ASCII", () =>
    Effect.gen(function* () {
      const { log, records } = yield* hardLog
      const items = yield* readable(records, true)
      const texts = yield* textsOf(items)
      expect(texts.map(refusal).filter((why) => why !== undefined)).toEqual([])
      const events = yield* all(log)
      expect(
        texts.map((line) => JSON.parse(line)).map(({ event_data, event_type }) => [event_type, event_data]),
      ).toEqual(events.map(({ type, payload }) => [type, payload]))
    }),
  )

  it.effect("are taken by its loader, of a task and of what belongs to none, whatever the names and times are", () =>
    Effect.gen(function* () {
      const odd = [
        event(13, "KernelStopped", { reason: "" }, { taskId: null }),
        event(14, "TaskOpened", { goal: "", measures: [], agent: " " }, { taskId: "\u001c " }),
        event(15, "NoteAdded", {}, { actor: " \t", atMs: -9e15 }),
        event(16, "NoteAdded", {}, { atMs: 9e15 }),
        event(17, "NoteAdded", { text: "é 🗝 \u2028" }, { taskId: "ж", atMs: -62_167_219_200_000 }),
      ]
      const texts = yield* textsOf([...TASK, ...odd], options({ experiment: "\u001f" }))
      expect(texts.map(refusal).filter((why) => why !== undefined)).toEqual([])
      const [stopped] = texts
        .map((line) => JSON.parse(line))
        .filter(({ event_type }) => event_type === "SIMULATION_CONTROL")
      expect(stopped).toMatchObject({ simulation_run_id: "no-task", agent_id: "no-agent" })
      expect(JSON.parse(texts.at(-1) ?? "")).toMatchObject({
        simulation_run_id: "ж",
        event_data: { text: "é 🗝 \u2028" },
        timestamp: "0001-01-01T00:00:00.000Z",
      })
    }),
  )

  it.effect("are understood by its scripts: a task is a goal, with its time, its end and its actions", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf(TASK, options({ timestamps: "seconds" }))
      const goal = goalsOf(lines).get("t1")
      expect(goal).toMatchObject({ description: "Find the key", outcome: "ACHIEVED", status: "ACHIEVED", actions: 2 })
      expect([goal?.created, goal?.activated]).toEqual([1_700_000_000.01, 1_700_000_000.01])
      expect((goal?.ended ?? 0) - (goal?.created ?? 0)).toBeCloseTo(0.11, 6)
    }),
  )

  it.effect.each([
    ["achieved", "ACHIEVED", "COMPLETED"],
    ["failed", "FAILED", "FAILED"],
    ["abandoned", "ABANDONED", "ABANDONED"],
    ["truncated", "ABANDONED", "ABANDONED"],
  ] as const)("say of a task that is %s that its goal is %s", ([outcome, state, status]) =>
    Effect.gen(function* () {
      const lines = yield* linesOf([event(1, "TaskClosed", { outcome, reason: "why" })])
      expect(
        lines.map(({ event_type, event_data }) => [event_type, event_data.new_state ?? event_data.status]),
      ).toEqual([
        ["GOAL_STATE_CHANGED", state],
        ["GOAL_STATUS_CHANGED", state],
        ["TASK_STATUS_UPDATE", status],
      ])
      expect(lines.map(({ event_data }) => event_data.reason)).toEqual(["why", "why", "why"])
    }),
  )

  it.effect("have its words for what happens, and what happened with the names of here", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf(TASK)
      expect(lines.map(({ event_type }) => event_type)).toEqual([
        ...["GOAL_CREATED", "GOAL_ACTIVATED", "TASK_STATUS_UPDATE", "PERCEPTION_INPUT_RECEIVED"],
        ...["BEHAVIOR_COMMAND_ISSUED", "CommandAllowed", "AGENT_ACTION_SENT_TO_ENV", "AGENT_ACTION_EXECUTED_IN_ENV"],
        ...["BEHAVIOR_COMMAND_ISSUED", "AGENT_ACTION_EXECUTED_IN_ENV", "ENVIRONMENT_STATE_CHANGED"],
        ...["REWARD_SIGNAL_ISSUED", "REWARD_SIGNAL_ISSUED"],
        ...["GOAL_STATE_CHANGED", "GOAL_STATUS_CHANGED", "TASK_STATUS_UPDATE"],
      ])
      expect(lines[7].event_data).toEqual({
        goal_id: "t1",
        agent_id_acting: "walker@1.0.0",
        action_details: { type: "room/go", parameters: { to: "north", goal_id: "t1" } },
        environmental_outcome_summary: "succeeded",
        hindcast_type: "CommandSucceeded",
        commandId: "c1",
        result: {},
        latencyMs: 1,
      })
      expect(lines.slice(11, 13).map(({ event_data }) => event_data.reward)).toEqual([0.5, -0.25])
    }),
  )

  it("add fields to a payload that none of its own have the name of", () => {
    const command = { actuator: "a/b", args: {} }
    for (const type of MAPPED) {
      const fields = Vocabulary.core.types.get(type)?.payload
      const own = Schema.isSchema(fields) && "fields" in fields ? Object.keys(fields.fields as object) : []
      expect(own.length).toBeGreaterThan(0)
      for (const entry of entriesOf({ type, payload: {}, goal: "g", agent: "a", command })) {
        expect([type, Object.keys(entry.fields).filter((name) => own.includes(name))]).toEqual([type, []])
      }
    }
  })

  it.effect("say when, as text for the loader or as seconds for the scripts", () =>
    Effect.gen(function* () {
      const items = [event(1, "NoteAdded", {}, { atMs: 1_700_000_000_050 })]
      expect((yield* linesOf(items))[0].timestamp).toBe("2023-11-14T22:13:20.050Z")
      expect((yield* linesOf(items, options({ timestamps: "seconds" })))[0].timestamp).toBe(1_700_000_000.05)
    }),
  )

  it.effect("have the older names of source and data as well, where these are asked for", () =>
    Effect.gen(function* () {
      const [, , , reading] = yield* linesOf(TASK, options({ aliases: true }))
      expect(reading).toMatchObject({ source: "room/view", data: { sensor: "room/view", reading: 1 } })
      expect(reading.data).toEqual(reading.event_data)
      expect(Object.keys((yield* linesOf(TASK))[3])).toHaveLength(8)
    }),
  )

  it.effect("tell the runs of a fork from those of its parent", () =>
    Effect.gen(function* () {
      const forked = event(2, "NoteAdded", {})
      const items = [event(1, "NoteAdded", {}), { ...forked, link: { ...forked.link, timeline: "fork-1" } }]
      const runs = (lines: ReadonlyArray<{ simulation_run_id: string }>) => lines.map((line) => line.simulation_run_id)
      expect(runs(yield* linesOf(items))).toEqual(["t1", "fork-1/t1"])
      expect(runs(yield* linesOf(items, options({ timeline: "fork-1" })))).toEqual(["fork-1/t1", "fork-1/t1"])
    }),
  )

  it.effect("name the agent that an event names, in a task with several", () =>
    Effect.gen(function* () {
      const items = [
        event(1, "TaskOpened", { goal: "g", measures: [], agent: "group@1" }),
        event(2, "ActuatorCommanded", { commandId: "c1", actuator: "arena/step", args: {}, agentId: "ada" }),
        event(4, "CommandSucceeded", { commandId: "c1", result: {}, latencyMs: 1 }),
        event(5, "AgentLate", { agentId: "bob", waitedMs: 5 }),
        event(6, "AgentStateChanged", { state: { mood: 1 }, agentId: "bob" }),
      ]
      const lines = (yield* linesOf(items)).slice(3)
      expect(lines.map(({ agent_id }) => agent_id)).toEqual(["ada", "ada", "bob", "bob"])
      expect(lines[1].event_data.agent_id_acting).toBe("ada")
      expect(lines[2].log_level).toBe("WARN")
      expect(lines[3]).toMatchObject({ event_type: "AGENT_INTERNAL_STATE", event_data: { state: { mood: 1 } } })
    }),
  )

  it.effect("name the task's agent, and the component that an event is about, outcomes included", () =>
    Effect.gen(function* () {
      const items = [
        event(2, "SensorRead", { sensor: "room/view", reading: 1 }),
        event(3, "ActuatorCommanded", { commandId: "c1", actuator: "room/go", args: {} }),
        event(4, "CommandSucceeded", { commandId: "c1", result: {}, latencyMs: 1 }),
        event(5, "CommandSucceeded", { commandId: "c1", result: {}, latencyMs: 1 }),
        event(7, "NoteAdded", { about: "", text: "" }, { taskId: "earlier", actor: "human:ada" }),
      ]
      const agents = new Map([
        ["t1", "walker@1.0.0"],
        ["earlier", "runner@2"],
      ])
      const lines = yield* linesOf(items, options({ agents }))
      expect(lines.map((line) => [line.simulation_run_id, line.agent_id, line.source_component_id])).toEqual([
        ["t1", "walker@1.0.0", "room/view"],
        ["t1", "walker@1.0.0", "room/go"],
        ["t1", "walker@1.0.0", "room/go"],
        // The command is over: what names it again is not its outcome.
        ["t1", "walker@1.0.0", "kernel"],
        ["earlier", "runner@2", "human:ada"],
      ])
    }),
  )

  it.effect.each<[string, string, object]>([
    ["INFO", "SensorRead", { sensor: "a/b" }],
    ["DEBUG", "CommandAllowed", { commandId: "c", rule: "r" }],
    ["WARN", "CommandDenied", { commandId: "c", rule: "r", reason: "" }],
    ["ERROR", "CommandFailed", { commandId: "c", error: { code: "x", message: "" } }],
    ["ERROR", "SensorFailed", { sensor: "a/b", error: { code: "x", message: "" } }],
    ["ERROR", "PluginExited", { plugin: "a", code: null, signal: "SIGKILL" }],
    ["INFO", "PluginExited", { plugin: "a", code: 0, signal: null }],
    ["WARN", "PluginLogged", { plugin: "a", level: "warn", message: "" }],
    ["WARN", "TaskClosed", { outcome: "failed" }],
    ["INFO", "TaskClosed", { outcome: "achieved" }],
    ["STATE", "EnvironmentReset", { plugin: "a", state: {} }],
    ["INFO", "acme/OrderPlaced", {}],
  ])("say %s of %s", ([level, type, payload]) =>
    Effect.gen(function* () {
      expect((yield* linesOf([event(1, type, payload)]))[0].log_level).toBe(level)
    }),
  )

  it("have no other levels than its specification", () => {
    for (const type of Vocabulary.core.types.keys()) expect(LEVELS).toContain(levelOf(type, {}))
  })
})
