import { describe, expect, it } from "vitest"
import { conversation } from "../../../src/studio/page/model/talk/conversation.ts"
import { continued } from "../../../src/studio/page/model/talk/LiveTalk.ts"
import { longIn } from "../../../src/studio/page/model/talk/Spoken.ts"
import type { Entry } from "../../../src/studio/wire/CourseSlice.ts"
import type { JsonObject } from "../../../src/values/Json.ts"

/** Events at the positions 1, 2, 3 …, each a type, its payload and the position of its cause. */
const entries = (...events: ReadonlyArray<readonly [type: string, payload: JsonObject | null, cause?: number]>) =>
  events.map(
    ([type, payload, cause], index): Entry => ({
      position: index + 1,
      id: `id-${index + 1}`,
      type,
      kind: "model",
      bad: false,
      task: "t",
      timeline: "main",
      actor: "human:ada",
      recordedAt: 0,
      occurredAt: 0,
      line: `line ${index + 1}`,
      payload,
      length: 0,
      unreadable: [],
      changes: [],
      cause: cause === undefined ? null : { position: cause, type: "", line: "" },
    }),
  )

const called = { provider: "test", model: "one", request: {}, requestDigest: "" }

const use = (inputTokens: number, outputTokens: number, usd: number | null = null) => ({
  inputTokens,
  outputTokens,
  usd,
})

const answer = { kind: "answer", model: "test/one", request: null, reasoning: "", calls: [], failed: null }

describe("a conversation", () => {
  it("names what is no text in an answer: files, tools that the provider ran, and items that are kept as they are", () => {
    const parts = [
      { type: "hosted", callId: "w", tool: "web_search", args: {}, result: [] },
      { type: "text", text: "Here: " },
      { type: "file", mediaType: "image/png", data: "aGk=" },
      { type: "item", kind: "hologram", item: {}, unread: true },
    ]
    const [answered] = conversation(
      entries(["ModelCalled", called], ["ModelResponded", { response: { parts }, usage: use(1, 1) }, 1]),
    )
    expect(answered).toMatchObject({
      text: "[the provider ran web_search]Here: [a file: image/png][hologram]",
      calls: [],
    })
  })

  it("tells what an import added after the close where it happened, after its cause", () => {
    const at = (entry: Entry, occurredAt: number, actor = "hooks"): Entry => ({ ...entry, occurredAt, actor })
    const [prompt, call, done, close, asked, answered, again, last] = entries(
      ["InputReceived", { content: "do it" }],
      ["ActuatorCommanded", { commandId: "c", callId: "a", actuator: "Bash", args: {} }],
      ["CommandSucceeded", { commandId: "c", result: "ok" }, 2],
      ["TaskClosed", { outcome: "achieved" }],
      ["ModelCalled", called, 1],
      ["ModelResponded", { response: { parts: [{ type: "text", text: "I look." }] } }, 5],
      ["ModelCalled", called, 3],
      ["ModelResponded", { response: { parts: [{ type: "text", text: "Done." }] } }, 7],
    ) as [Entry, Entry, Entry, Entry, Entry, Entry, Entry, Entry]
    const spoken = conversation([
      ...[at(prompt, 10), at(call, 20), at(done, 30), at(close, 50)],
      // The file's clock is a little before the hook's.
      ...[at(asked, 9, "import:claude-code"), at(answered, 15, "import:claude-code")],
      ...[at(again, 30, "import:claude-code"), at(last, 40, "import:claude-code")],
    ])
    expect(spoken.map(({ kind }) => kind)).toEqual(["input", "answer", "call", "answer"])
    expect(spoken.map((one) => (one.kind === "answer" ? one.text : ""))).toEqual(["", "I look.", "", "Done."])
  })

  it("has each answer once, with what was thought, and its calls as commands with their results", () => {
    const parts = [
      { type: "reasoning", text: "Hm. " },
      { type: "text", text: "I " },
      { type: "text", text: "add." },
      { type: "call", callId: "a", tool: "counter__add", args: { by: 1 } },
      { type: "call", callId: "b", tool: "perceive", args: {} },
    ]
    const command = { commandId: "c1", callId: "a", actuator: "counter/add", args: { by: 1 } }
    const spoken = conversation(
      entries(
        ["InputReceived", { content: "Add one.", delivery: "steering" }],
        ["InputDelivered", { inputs: [1] }],
        ["ModelCalled", called],
        ["ModelResponded", { response: { parts }, usage: use(100, 10), cost: { usd: 0.5 } }, 3],
        ["DecisionMade", { choice: {} }],
        ["MessageSent", { content: "I add.", format: "markdown" }],
        ["ActuatorCommanded", command],
        ["CommandAllowed", { commandId: "c1" }],
        ["CommandSucceeded", { commandId: "c1", result: { count: 1 } }],
      ),
    )
    const [heard, answered, call] = spoken
    expect(heard).toEqual({
      kind: "input",
      position: 1,
      by: "human:ada",
      text: "Add one.",
      delivery: "steering",
      given: 2,
    })
    expect(answered).toEqual({
      ...answer,
      position: 4,
      text: "I add.",
      reasoning: "Hm. ",
      use: use(100, 10, 0.5),
      calls: [{ tool: "perceive", args: {} }],
    })
    expect(call).toEqual({
      kind: "call",
      position: 7,
      tool: "counter/add",
      args: { by: 1 },
      asked: null,
      end: { position: 9, status: "succeeded", result: { count: 1 } },
    })
    expect(spoken).toHaveLength(3)
  })

  it("says of what is under way that it is, and of a failure why, with what had come", () => {
    const spoken = conversation(
      entries(
        ["ModelCalled", called],
        [
          "ModelFailed",
          { kind: "interrupted", reason: "ada", response: { parts: [{ type: "text", text: "So" }] }, usage: use(7, 1) },
          1,
        ],
        ["ActuatorCommanded", { commandId: "c1", actuator: "boiler/heat", args: {} }],
        ["ConfirmationRequested", { confirmationId: "q", commandId: "c1" }],
        ["ModelCalled", called],
      ),
    )
    expect(spoken).toEqual([
      { ...answer, position: 2, text: "So", failed: "interrupted: ada", use: use(7, 1) },
      { kind: "call", position: 3, tool: "boiler/heat", args: {}, asked: "waits", end: null },
      { ...answer, position: 5, request: "id-5", text: "", use: use(0, 0) },
    ])
  })

  it("takes an input of a recorded or imported task as given with the next request, which records no delivery", () => {
    const told = entries(
      ["InputReceived", { source: "person", content: "Hello", delivery: "queued" }],
      ["ModelCalled", called],
      ["InputReceived", { source: "person", content: "And?", delivery: "queued" }],
    )
    const givenIn = (spoken: ReturnType<typeof conversation>) =>
      spoken.flatMap((one) => (one.kind === "input" ? [one.given] : []))
    expect(givenIn(conversation(told, true))).toEqual([2, null])
    expect(givenIn(conversation(told))).toEqual([null, null])
  })

  it("shows what an agent without a model says, and says of what is not here or of another form what is known", () => {
    const spoken = conversation(
      entries(
        ["MessageSent", { content: "Hello", format: "text" }],
        [
          "InputReceived",
          {
            content: [
              { type: "text", text: "Look" },
              { type: "file", mediaType: "image/png" },
            ],
          },
        ],
        ["MessageSent", { content: "Hello", format: "text" }],
        // Too long for a page, shredded, or written by another program.
        ["InputReceived", null],
        ["InputReceived", { content: null }],
        ["ModelResponded", null, 1],
        ["ModelResponded", { response: "A bare text", usage: null }, 77],
        ["ModelResponded", { response: { parts: ["x", { type: "call", tool: 3 }, { type: "text" }] } }],
        ["CommandSucceeded", { commandId: "nobody's" }],
        ["ConfirmationDecided", { confirmationId: "nobody's", approved: true }],
        ["InputDelivered", { inputs: "none" }],
      ),
    )
    expect(spoken.map((one) => [one.position, one.kind, "text" in one ? one.text : null])).toEqual([
      ...[
        [1, "said", "Hello"],
        [2, "input", "Look\n[image/png]"],
        [3, "said", "Hello"],
        [4, "input", "line 4"],
      ],
      ...[
        [5, "input", "line 5"],
        [6, "answer", "line 6"],
        [7, "answer", "A bare text"],
        [8, "answer", "line 8"],
      ],
    ])
  })
})

describe("events that are too long for a page", () => {
  const long = (position: number) => ({ long: { position, length: 0 } })

  it("belong to what caused them, and stand as their lines with how much is not shown", () => {
    const spoken = conversation(
      entries(
        ["ActuatorCommanded", null],
        ["CommandAllowed", { commandId: "c1" }, 1],
        ["ActuatorCommanded", { commandId: "c2", actuator: "boiler/heat", args: {} }],
        ["CommandDispatched", { commandId: "c2" }, 3],
        ["CommandSucceeded", null, 4],
        ["CommandFailed", null, 2],
        ["CommandSucceeded", null, 77],
      ),
    )
    expect(spoken).toEqual([
      {
        kind: "call",
        position: 1,
        tool: "line 1",
        args: null,
        asked: null,
        ...long(1),
        end: { position: 6, status: "failed", result: "line 6", ...long(6) },
      },
      {
        kind: "call",
        position: 3,
        tool: "boiler/heat",
        args: {},
        asked: null,
        end: { position: 5, status: "succeeded", result: "line 5", ...long(5) },
      },
    ])
    expect(spoken.map((one) => longIn(one).map(({ position }) => position))).toEqual([[1, 6], [5]])
  })
})

describe("an answer that streams", () => {
  it("grows part by part, and another request begins anew", () => {
    const pieces = [
      { request: "r", index: 1, kind: "text", text: "b" },
      { request: "r", index: 0, kind: "reasoning", text: "a" },
      { request: "r", index: 1, kind: "text", text: "c" },
    ] as const
    const whole = pieces.reduce(continued, null)
    expect(whole).toEqual({
      request: "r",
      pieces: [
        { kind: "reasoning", text: "a" },
        { kind: "text", text: "bc" },
      ],
    })
    const next = continued(whole, { request: "s", index: 0, kind: "text", text: "d" })
    expect(next).toEqual({ request: "s", pieces: [{ kind: "text", text: "d" }] })
  })
})
