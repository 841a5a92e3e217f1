import { describe, expect, it } from "vitest"
import { fold } from "../../src/projections/fold/Projection.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import type { Json } from "../../src/values/Json.ts"
import { event, given, inTask, place, sha, type Unplaced } from "./given.ts"

const stateOf = (...events: ReadonlyArray<Unplaced>) => given(EnvironmentState.projection, events)
const read = (sensor: string, reading: Json) => event("SensorRead", { sensor, reading, priority: 0, latencyMs: 1 })
const reset = (plugin: string, state: Json) => event("EnvironmentReset", { plugin, seed: 1, options: {}, state })
const replaced = (plugin: string, path: string, value: null | number | string) =>
  event("EnvironmentChanged", { plugin, patch: [{ op: "replace", path, value }] })
const opened = event("TaskOpened", { goal: "Tidy up", measures: [], agent: "me" })
const commanded = event("ActuatorCommanded", {
  commandId: "c1",
  actuator: "room/go",
  args: { to: "hall" },
  argsDigest: sha("args"),
  priority: 0,
})

describe("the state of the environment", () => {
  it("holds the latest reading of every sensor, in the scope of its event", () => {
    const state = stateOf(read("room/look", 1), ...inTask("t1", [opened, read("room/look", 2), read("room/look", 3)]))
    expect(state).toEqual({
      shared: { readings: { "room/look": 1 }, environment: {}, pending: {} },
      tasks: {
        t1: { goal: "Tidy up", open: true, readings: { "room/look": 3 }, environment: {}, pending: {} },
      },
    })
  })

  it("keeps the last reading of a sensor that fails", () => {
    const failed = event("SensorFailed", { sensor: "room/look", error: { code: "timeout", message: "late" } })
    expect(stateOf(read("room/look", 1), failed).shared.readings).toEqual({ "room/look": 1 })
  })

  it("does not change when a sensor reads the same again", () => {
    const state = stateOf(read("room/look", { room: "hall" }))
    expect(fold(EnvironmentState.projection, place([read("room/look", { room: "hall" })]), state)).toBe(state)
  })

  it("follows an environment's document through its patches", () => {
    const state = stateOf(
      ...inTask("t1", [reset("room", { at: "hall", lamp: { on: false } }), replaced("room", "/at", "attic")]),
    )
    expect(EnvironmentState.taskScope(state, "t1").environment).toEqual({ room: { at: "attic", lamp: { on: false } } })
  })

  it("shares every branch that an event did not touch", () => {
    const before = stateOf(
      read("a/b", { deep: {} }),
      ...inTask("t1", [reset("room", { at: "hall", lamp: { on: false } })]),
    )
    const after = fold(EnvironmentState.projection, place(inTask("t1", [replaced("room", "/at", "attic")])), before)
    const lamp = (state: EnvironmentState.EnvironmentState) =>
      (state.tasks.t1?.environment.room as { lamp: object } | undefined)?.lamp
    expect(after.shared).toBe(before.shared)
    expect(after.tasks.t1?.readings).toBe(before.tasks.t1?.readings)
    expect(lamp(after)).toBe(lamp(before))
  })

  it("holds a command from its request to its outcome", () => {
    const status = (...events: ReadonlyArray<Unplaced>) => stateOf(commanded, ...events).shared.pending.c1?.status
    const allowed = event("CommandAllowed", { commandId: "c1", rule: "all" })
    const dispatched = event("CommandDispatched", { commandId: "c1" })
    const asked = event("ConfirmationRequested", {
      confirmationId: "q1",
      commandId: "c1",
      argsDigest: sha("args"),
      shown: {},
      expiresAt: 1,
    })
    expect(status()).toBe("commanded")
    expect(status(asked)).toBe("confirming")
    expect(status(asked, allowed)).toBe("allowed")
    expect(status(allowed, dispatched)).toBe("dispatched")
    const endings = [
      event("CommandSucceeded", { commandId: "c1", result: null, latencyMs: 1 }),
      event("CommandFailed", { commandId: "c1", error: { code: "x", message: "y" } }),
      event("CommandOutcomeUnknown", { commandId: "c1" }),
      event("CommandDenied", { commandId: "c1", rule: "none", reason: "no" }),
    ]
    for (const ending of endings) expect(stateOf(commanded, ending).shared.pending).toEqual({})
  })

  it("says how a task ended", () => {
    const closed = event("TaskClosed", { outcome: "achieved" })
    expect(stateOf(...inTask("t1", [opened, closed])).tasks.t1).toMatchObject({ open: false, outcome: "achieved" })
  })

  it("keeps the first outcome of a task that is closed twice", () => {
    const closings = [event("TaskClosed", { outcome: "achieved" }), event("TaskClosed", { outcome: "failed" })]
    expect(stateOf(...inTask("t1", [opened, ...closings])).tasks.t1).toMatchObject({ open: false, outcome: "achieved" })
  })

  it("takes names that objects inherit for names like any other", () => {
    const state = stateOf(...inTask("__proto__", [read("constructor/__proto__", 1)]), read("toString/valueOf", 2))
    expect(EnvironmentState.taskScope(state, "__proto__").readings).toEqual({ "constructor/__proto__": 1 })
    expect(EnvironmentState.taskScope(state, "constructor").readings).toEqual({})
    expect(Object.getPrototypeOf(state.tasks)).toBe(Object.prototype)
  })
})

describe("a patch that does not fit", () => {
  const misfit = replaced("room", "/nowhere", 1)

  it("leaves the document as it was and is named in the state", () => {
    const scope = stateOf(reset("room", { at: "hall" }), misfit).shared
    expect(scope.environment).toEqual({ room: { at: "hall" } })
    expect(scope.outOfStep).toEqual({
      room: { position: 2, path: "/nowhere", reason: "there is nothing at this path" },
    })
  })

  it("is applied in no part", () => {
    const half = event("EnvironmentChanged", {
      plugin: "room",
      patch: [
        { op: "replace", path: "/at", value: "attic" },
        { op: "remove", path: "/nowhere" },
      ],
    })
    expect(stateOf(reset("room", { at: "hall" }), half).shared.environment).toEqual({ room: { at: "hall" } })
  })

  it("keeps later patches from being applied until the next reset", () => {
    const later = replaced("room", "/at", "attic")
    const scope = stateOf(reset("room", { at: "hall" }), misfit, later).shared
    expect(scope.environment).toEqual({ room: { at: "hall" } })
    expect(scope.outOfStep?.room?.position).toBe(2)
    const again = stateOf(reset("room", { at: "hall" }), misfit, reset("room", { at: "hall" }), later).shared
    expect(again).toEqual({ readings: {}, environment: { room: { at: "attic" } }, pending: {} })
  })

  it("is one where the environment was never reset", () => {
    expect(stateOf(misfit).shared).toMatchObject({ environment: {}, outOfStep: { room: { position: 1 } } })
  })
})

describe("the agents of a task", () => {
  const of = (agentId: string, sensor: string, reading: Json) =>
    event("SensorRead", { sensor, reading, priority: 0, latencyMs: 1, agentId })
  const agentsAfter = (...events: ReadonlyArray<Unplaced>) => {
    const { agents, readings } = EnvironmentState.taskScope(stateOf(...inTask("t1", events)), "t1")
    return { agents, readings }
  }
  const arrived = [
    event("EnvironmentReset", { plugin: "w", seed: 1, options: {}, agents: ["ada", "bob"], state: {} }),
    event("AgentJoined", { agentId: "ada", agent: "walker@1" }),
  ]

  it("have their own readings, apart from those that all share", () => {
    const events = [...arrived, of("ada", "w/observation", 1), of("bob", "w/observation", 2), read("room/look", 3)]
    expect(agentsAfter(...events)).toEqual({
      agents: {
        ada: { agent: "walker@1", status: "active", return: 0, readings: { "w/observation": 1 } },
        bob: { status: "active", return: 0, readings: { "w/observation": 2 } },
      },
      readings: { "room/look": 3 },
    })
  })

  it("are suspended, go on, leave with an outcome, and may join again", () => {
    const suspended = event("AgentSuspended", { agentId: "ada", reason: "rest" })
    const left = event("AgentLeft", { agentId: "ada", outcome: "failed", reason: "fell" })
    const ada = { agent: "walker@1", return: 0 }
    expect(agentsAfter(...arrived, suspended).agents?.ada).toEqual({ ...ada, status: "suspended", reason: "rest" })
    const continued = event("AgentContinued", { agentId: "ada" })
    expect(agentsAfter(...arrived, suspended, continued).agents?.ada).toEqual({ ...ada, status: "active" })
    const again = event("AgentLeft", { agentId: "ada", outcome: "achieved" })
    expect(agentsAfter(...arrived, left, again).agents?.ada).toEqual({
      ...ada,
      status: "left",
      outcome: "failed",
      reason: "fell",
    })
    expect(agentsAfter(...arrived, left, ...arrived).agents?.ada).toEqual({ ...ada, status: "active" })
  })

  it("have what the world gave them, and no other score", () => {
    const verdict = { measure: "w/return", name: "reward", weight: 1, because: [1], agentId: "ada" }
    const rewarded = event("RewardGiven", { ...verdict, scoreSetId: "return-t1", amount: 0.3 })
    const punished = event("PunishmentGiven", { ...verdict, scoreSetId: "return-t1", amount: 0.1 })
    const other = event("RewardGiven", { ...verdict, scoreSetId: "official", amount: 9 })
    expect(agentsAfter(...arrived, rewarded, punished, other).agents?.ada?.return).toBe(0.2)
  })

  it("have the inner state that they recorded, also where there is only one", () => {
    const felt = (state: Json, agentId?: string) =>
      event("AgentStateChanged", { state, ...(agentId === undefined ? {} : { agentId }) })
    expect(agentsAfter(opened, felt({ mood: 1 })).agents).toEqual({ agent: { state: { mood: 1 } } })
    expect(agentsAfter(...arrived, felt(null, "bob")).agents?.bob).toMatchObject({ state: null })
    const before = stateOf(...inTask("t1", [opened, felt({ mood: 1 })]))
    expect(fold(EnvironmentState.projection, place(inTask("t1", [felt({ mood: 1 })])), before)).toBe(before)
    expect(stateOf(felt({ mood: 1 })).shared).toEqual({ readings: {}, environment: {}, pending: {} })
  })
})
