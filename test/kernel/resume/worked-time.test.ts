import { describe, expect, it } from "vitest"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import { workedMs } from "../../../src/kernel/resume/WorkedTime.ts"

let position = 0

const event = (type: string, payload: Event["payload"], causationId: string | null = null): Event => {
  position += 1
  return {
    position,
    id: `e${position}`,
    timeline: "main",
    stream: "task/t",
    version: position,
    type,
    schemaVersion: 1,
    taskId: "t",
    causationId,
    actor: "kernel",
    occurredAt: 0,
    recordedAt: 0,
    hash: "",
    payload,
  }
}

const asked = (ms: number | undefined, agentId?: string) =>
  event("ModelCalled", {
    provider: "p",
    model: "m",
    requestDigest: "",
    request: null,
    ...(ms === undefined ? {} : { workedMs: ms }),
    ...(agentId === undefined ? {} : { agentId }),
  })

const answered = ({ id }: Event, latencyMs: number) => event("ModelResponded", { response: null, latencyMs }, id)

const commanded = (commandId: string, latencyMs: number, agentId?: string) => [
  event("ActuatorCommanded", {
    commandId,
    actuator: "a/b",
    args: {},
    callId: commandId,
    ...(agentId === undefined ? {} : { agentId }),
  }),
  event("CommandSucceeded", { commandId, result: null, latencyMs }),
]

describe("how long an agent had worked on a task", () => {
  it("is what its last request says, until it was answered, and for as long as the longest command after it", () => {
    const first = asked(10)
    const second = asked(500)
    const until = [first, answered(first, 100), ...commanded("x", 40), ...commanded("y", 30)]
    expect(workedMs(until.slice(0, 1))).toBe(10)
    expect(workedMs(until.slice(0, 2))).toBe(110)
    expect(workedMs(until)).toBe(150)
    // What passed in between counts from the next request on, which measured it.
    expect(workedMs([...until, second])).toBe(500)
  })

  it("is each agent's own, and no critic's", () => {
    const [ada, bob, critic] = [asked(100, "ada"), asked(900, "bob"), asked(undefined)]
    const events = [ada, bob, answered(bob, 50), ...commanded("b", 70, "bob"), critic, answered(critic, 5_000)]
    expect([workedMs(events, "ada"), workedMs(events, "bob"), workedMs(events)]).toEqual([100, 1_020, 0])
  })

  it("is 0 in a log of an earlier version, which does not say it", () => {
    const call = asked(undefined)
    expect(workedMs([call, answered(call, 100), ...commanded("x", 40)])).toBe(0)
  })
})
