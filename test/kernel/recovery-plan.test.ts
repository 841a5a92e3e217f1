import { describe, expect, it } from "vitest"
import { Exact } from "../../src/events/log/EventLog.ts"
import * as RecoveryPlan from "../../src/kernel/recovery/RecoveryPlan.ts"
import * as Unfinished from "../../src/projections/unfinished/Unfinished.ts"
import { event, given, inTask } from "../projections/given.ts"

const opened = (agent: string) => event("TaskOpened", { goal: "go", measures: [], agent }, { stream: "task/t" })

const commanded = (commandId: string) =>
  event(
    "ActuatorCommanded",
    { commandId, actuator: "room/go", args: {}, argsDigest: "a".repeat(64), priority: 0 },
    { stream: "task/t" },
  )

const dispatched = (commandId: string) => event("CommandDispatched", { commandId }, { stream: "task/t" })

const started = event("PluginStarted", { plugin: "room", instance: "t", pid: 7, sandbox: "none", permissions: [] })

const left = (...events: Parameters<typeof inTask>[1]) => given(Unfinished.projection, inTask("t", events))

describe("what a kernel that takes over does with a task that was left", () => {
  it("goes on with one that an agent worked on and nobody cancelled, and with no other", () => {
    const cancelled = event("TaskCancelled", { by: "ada" }, { stream: "task/t" })
    const resumable = (...events: Parameters<typeof inTask>[1]) =>
      RecoveryPlan.resumable(left(...events)).map(([taskId]) => taskId)
    expect(resumable(opened("me@1"))).toEqual(["t"])
    expect(resumable(opened("me@1"), cancelled)).toEqual([])
    expect(resumable(opened("program"))).toEqual([])
  })

  it("ends its commands by how far they came, if nobody appended to it meanwhile", () => {
    const ending = RecoveryPlan.taskEnding(left(opened("me@1"), commanded("a"), commanded("b"), dispatched("b")), "t")
    expect(ending?.events).toMatchObject([
      { type: "CommandDenied", payload: { commandId: "a", rule: "recovery" } },
      { type: "CommandOutcomeUnknown", payload: { commandId: "b" } },
      { type: "TaskClosed", payload: { outcome: "abandoned" } },
    ])
    expect(ending?.expected).toEqual(Exact(4))
  })

  it("says of a process that ended which commands it had, and not which it would have had", () => {
    const state = left(opened("me@1"), started, commanded("a"), commanded("b"), dispatched("b"))
    const exits = RecoveryPlan.endings(state).flatMap(({ events }) =>
      events.filter(({ type }) => type === "PluginExited"),
    )
    expect(exits).toMatchObject([{ payload: { plugin: "room", inFlight: ["act room/go"] } }])
  })
})
