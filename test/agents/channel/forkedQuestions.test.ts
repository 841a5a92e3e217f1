import { describe, expect, it } from "vitest"
import * as ChannelEvent from "../../../src/agents/channel/ChannelEvent.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"

let position = 0

const event = (timeline: string, type: string, payload: Event["payload"]): Event =>
  ({
    position: ++position,
    id: `e${position}`,
    timeline,
    stream: "confirmation/c1",
    version: 1,
    type,
    schemaVersion: 2,
    taskId: "t",
    causationId: null,
    actor: "kernel",
    occurredAt: 0,
    recordedAt: 0,
    payload,
    hash: "00",
  }) as unknown as Event

const requested = (timeline: string) =>
  event(timeline, "ConfirmationRequested", {
    confirmationId: "c1",
    commandId: "k",
    argsDigest: "0".repeat(64),
    shown: { actuator: "a/b", args: {} },
    expiresAt: 1,
  })

const decided = (timeline: string) =>
  event(timeline, "ConfirmationDecided", {
    confirmationId: "c1",
    approved: true,
    by: "ada",
    channel: "test",
    argsDigest: "0".repeat(64),
    waitedMs: 1,
  })

/** What a channel of `main` tells of some events. */
const told = (events: ReadonlyArray<Event>): ReadonlyArray<string> => {
  let telling = ChannelEvent.initial
  return events.flatMap((one) => {
    const [next, happenings] = ChannelEvent.tell(telling, one, one.timeline === "main")
    telling = next
    return happenings.map(({ type }) => type)
  })
}

describe("a question that waits", () => {
  it("is not settled by what a fork does with it, and is by its own answer", () => {
    const withdrawn = event("fork-1", "ConfirmationWithdrawn", { confirmationId: "c1" })
    const types = told([requested("main"), withdrawn, decided("main")])
    expect(types.filter((type) => type.startsWith("onToolCall"))).toEqual(["onToolCallRequest", "onToolCallSettled"])
    expect(told([requested("main"), withdrawn])).not.toContain("onToolCallSettled")
  })

  it("of a fork is told and settled as well", () => {
    expect(told([requested("fork-1"), decided("fork-1")])).toEqual(["onToolCallRequest", "onToolCallSettled"])
  })
})
