import { describe, expect, it } from "vitest"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import * as Projection from "../../../src/projections/fold/Projection.ts"
import * as Capture from "../../../src/projections/state/Capture.ts"

/** The capture of a task by the types and payloads of its events. */
const captureOf = (...events: ReadonlyArray<readonly [type: string, payload: object]>) =>
  Capture.section(
    Projection.fold(
      Capture.projection,
      events.map(([type, payload]) => ({ type, payload, actor: "agent:a" }) as unknown as Event),
    ),
  )

const opened = ["TaskOpened", { goal: "go", agent: "a", measures: [], recorder: { host: "here", pid: 1 } }] as const
const usage = { inputTokens: 1, outputTokens: 1 }

describe("the capture of a task", () => {
  it("is absent of a task that a kernel ran", () => {
    expect(captureOf(["TaskOpened", { goal: "go", agent: "a", measures: [] }], ["ModelCalled", {}])).toBeUndefined()
  })

  it("says what was seen, what was cut, what a person set, and what was not visible", () => {
    const capture = captureOf(
      opened,
      ["TimelineForked", { overrides: { changes: { answer: "Yes" } } }],
      ["ModelCalled", { request: { messages: [], thread: { after: "resp_0" } } }],
      ["ModelResponded", { response: {}, usage, unread: [{ kind: "odd", count: 2 }] }],
      ["IoAnswered", { io: "fetch", result: { end: "cut" } }],
      ["ModelCalled", { request: { messages: [], after: "e1", thread: { after: "resp_1" } } }],
      ["ActuatorCommanded", { commandId: "c", observed: true }],
      ["ActuatorCommanded", { commandId: "d" }],
      ["CommandSucceeded", { commandId: "d", result: null, unrecorded: { reason: "a circle" } }],
      ["CaptureNoted", { unseen: [{ what: "a connection", target: "db:5432", count: 2 }] }],
      ["CaptureNoted", { unseen: [{ what: "a connection", target: "db:5432", count: 1 }] }],
    )
    expect(capture).toEqual({
      seen: { modelRequests: 2, otherRequests: 0, recordedTools: 1, observedTools: 1, keptRecords: 0 },
      inferred: [],
      stubbed: ["answer"],
      cut: { bodies: 1, results: 1, unread: 2 },
      notVisible: [
        { what: "earlier messages", target: expect.stringContaining("server"), count: 1 },
        { what: "a connection", target: "db:5432", count: 3 },
      ],
    })
  })
})
