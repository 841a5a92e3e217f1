import { describe, expect, it } from "vitest"
import * as AgentState from "../../../src/agents/channel/AgentState.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"

const event = (position: number, type: string, payload: Event["payload"] = {}): Event => ({
  position,
  type,
  payload,
  id: `event-${position}`,
  timeline: "main",
  stream: "task/t",
  version: position,
  schemaVersion: 1,
  taskId: "t",
  causationId: null,
  actor: "kernel",
  occurredAt: 0,
  recordedAt: 0,
  hash: "",
})

const story = [
  ["TaskOpened", {}, "thinking"],
  ["ActuatorCommanded", { commandId: "a" }, "executing_tool"],
  ["ActuatorCommanded", { commandId: "b" }, "executing_tool"],
  ["ConfirmationRequested", { confirmationId: "q", commandId: "b" }, "waiting_for_confirmation"],
  ["CommandSucceeded", { commandId: "a" }, "waiting_for_confirmation"],
  ["ConfirmationExpired", { confirmationId: "q" }, "executing_tool"],
  ["CommandDenied", { commandId: "b" }, "thinking"],
  ["DecisionMade", { choice: { calls: [], say: "Hello", waits: "input" } }, "thinking"],
  ["MessageSent", { content: "Hello" }, "ready"],
  ["InputReceived", { content: "One" }, "thinking"],
  ["InputDelivered", { inputs: [10] }, "thinking"],
  ["InputReceived", { content: "Two" }, "thinking"],
  ["DecisionMade", { choice: { calls: [], waits: "input" } }, "thinking"],
  ["InputDelivered", { inputs: [12] }, "thinking"],
  ["DecisionMade", { choice: { calls: [], waits: "input" } }, "ready"],
  ["TimelineForked", { overrides: {} }, "ready"],
  ["TimelineForked", { overrides: { fresh: true } }, "thinking"],
  ["TaskClosed", { outcome: "achieved" }, "done"],
] as const

describe("the state of an agent", () => {
  it("follows from the events of its task", () => {
    const events = story.map(([type, payload], index) => event(index + 1, type, payload as Event["payload"]))
    expect(events.map(({ type }, index) => [type, AgentState.of(events.slice(0, index + 1))])).toEqual(
      story.map(([type, , state]) => [type, state]),
    )
  })
})
