import { describe, expect, it } from "vitest"
import { byPosition, conversation } from "../../src/projections/conversation/Conversation.ts"
import { editsIn } from "../../src/projections/conversation/Edits.ts"
import type { Item, Use } from "../../src/projections/conversation/Item.ts"
import type { Told } from "../../src/projections/conversation/Told.ts"
import type { JsonObject } from "../../src/values/Json.ts"

/** Events at the positions 1, 2, 3 …, each a type, its payload and the position of its cause. */
const told = (...events: ReadonlyArray<readonly [type: string, payload: JsonObject | null, cause?: number]>) =>
  events.map(
    ([type, payload, cause], index): Told => ({
      position: index + 1,
      id: `id-${index + 1}`,
      type,
      actor: "human:ada",
      occurredAt: 0,
      line: `line ${index + 1}`,
      payload,
      length: 0,
      cause: cause === undefined ? null : { position: cause },
    }),
  )

const called = { provider: "test", model: "one", request: {}, requestDigest: "" }

const use = (known: Partial<Use> = {}): Use => ({
  inputTokens: null,
  outputTokens: null,
  cachedTokens: null,
  reasoningTokens: null,
  usd: null,
  ...known,
})

const text = (words: string) => ({ parts: [{ type: "text", text: words }] })

const kinds = (items: ReadonlyArray<Item>) => items.map(({ kind }) => kind)

describe("a conversation", () => {
  it("begins with the goal and the guide, and does not repeat what a request says again", () => {
    const items = conversation(
      told(
        ["TaskOpened", { goal: "Mend it", agent: "careful@1", agents: ["a", "b"] }],
        ["GuideApplied", { systemPrompt: "You mend.", initialMemories: ["Ada likes tea"] }],
        ["InputReceived", { content: "Quickly" }],
        ["InputDelivered", { inputs: [3] }],
        [
          "ModelCalled",
          {
            ...called,
            agentId: "a",
            request: {
              system: "You mend.",
              messages: [
                {
                  role: "user",
                  content: [
                    { type: "text", text: "Mend it" },
                    { type: "text", text: "Quickly" },
                  ],
                },
                { role: "user", content: "Only here" },
                { role: "system", content: [{ type: "text", text: "From now on, in French" }] },
              ],
            },
          },
        ],
      ),
    )
    expect(kinds(items)).toEqual(["goal", "guide", "input", "guide", "guide", "input", "answer"])
    expect(items[0]).toMatchObject({ text: "Mend it", agent: "careful@1", agents: ["a", "b"], isRepeated: false })
    expect(items[1]).toMatchObject({ text: "You mend.", memories: ["Ada likes tea"], agentId: null, begins: 2 })
    expect(items[2]).toMatchObject({ text: "Quickly", given: 4, events: [3, 4] })
    // Without the memories, it is another guide.
    expect(items.slice(3, 6)).toMatchObject([
      { text: "You mend.", memories: [], begins: 5 },
      { text: "From now on, in French" },
      { text: "Only here", by: "agent", delivery: null, given: 5 },
    ])
    expect(items[6]).toMatchObject({ model: "test/one", agentId: "a", request: "id-5" })
  })

  it("says where a task comes from, and that a person's message is the goal", () => {
    const [goal, input] = conversation(
      told(
        [
          "TaskOpened",
          {
            goal: "go",
            agent: "claude-code@2",
            environment: { "claude-code": { parent: "session-1" } },
            forkedFrom: { taskId: "t0", timeline: "main", at: 7 },
          },
        ],
        ["InputReceived", { source: "user", content: "go" }],
      ),
      { isCaptured: true },
    )
    expect(goal).toMatchObject({
      parent: "session-1",
      forkedFrom: { task: "t0", timeline: "main", at: 7 },
      isRepeated: true,
    })
    expect(input).toMatchObject({ by: "human:ada", text: "go" })
  })

  it("tells what the next request says of a call that is no command, and which answers are retries", () => {
    const looks = { parts: [{ type: "call", callId: "l", tool: "perceive", args: {} }] }
    const result = { role: "tool", content: [{ callId: "l", tool: "perceive", isError: true, content: "no sensor" }] }
    const items = conversation(
      told(
        ["ModelCalled", called],
        ["ModelFailed", { kind: "overloaded", reason: "later", retryInMs: 2000 }, 1],
        ["ModelCalled", called],
        ["ModelResponded", { response: looks }, 3],
        ["ModelCalled", { ...called, request: { messages: [result] } }],
        ["ModelCalled", { ...called, retryOf: "id-5" }],
      ),
    )
    expect(items).toMatchObject([
      { failed: { kind: "overloaded", reason: "later", retryInMs: 2000 }, isRetry: false, request: null },
      { isRetry: true, calls: [{ tool: "perceive", args: {}, result: "no sensor", isError: true }] },
      { isRetry: false, calls: [], request: "id-5" },
      { isRetry: true, request: "id-6" },
    ])
  })

  it("shows a call as one item: who let it pass, how long it took, what it changed", () => {
    const command = { commandId: "c", actuator: "files/write", args: { path: "a" }, agentId: "ed" }
    const events = told(
      ["ActuatorCommanded", command],
      ["ConfirmationRequested", { confirmationId: "q", commandId: "c", shown: { rule: "ask-a-person" } }],
      ["ConfirmationDecided", { confirmationId: "q", approved: true, by: "ada", reason: "fine", waitedMs: 876 }],
      ["CommandAllowed", { commandId: "c", rule: "ask-a-person" }, 1],
      ["CommandDispatched", { commandId: "c" }, 4],
      ["CommandSucceeded", { commandId: "c", result: "ok", latencyMs: 12 }, 5],
      [
        "EnvironmentChanged",
        {
          plugin: "files",
          patch: [
            { op: "add", path: "/files/src~1a.ts", value: { kind: "changed", added: 1, removed: 2 } },
            { op: "add", path: "/root", value: "/" },
          ],
        },
        6,
      ],
      ["ModelCalled", called, 6],
      // What the next request causes is not the call's doing.
      ["EnvironmentChanged", { plugin: "other", patch: [] }, 8],
    )
    const [call] = conversation(events)
    expect(call).toMatchObject({
      kind: "call",
      agentId: "ed",
      state: "succeeded",
      rule: "ask-a-person",
      approval: { state: "approved", by: "ada", reason: "fine", waitedMs: 876, rule: "ask-a-person" },
      end: { position: 6, latencyMs: 12, result: "ok" },
      events: [1, 2, 3, 4, 5, 6, 7],
      changes: [{ position: 7, plugin: "files", files: [{ path: "src/a.ts", kind: "changed", added: 1, removed: 2 }] }],
    })
    const stateAfter = (count: number) => Object(conversation(events.slice(0, count))[0]).state
    expect([1, 2, 3, 5, 6].map(stateAfter)).toEqual(["running", "waiting", "running", "running", "succeeded"])
    expect(byPosition(conversation(events)).get(5)).toMatchObject({ begins: 1 })
  })

  it("notes compactions, budgets, forks and agents, and ends with the close", () => {
    const items = conversation(
      told(
        ["AgentJoined", { agentId: "ann", agent: "a@1" }],
        ["MemoryCompacted", { policy: "short", messages: 3, summary: "We talked." }],
        ["BudgetExceeded", { budget: "usd", limit: 1, used: 2 }],
        ["TimelineForked", { timeline: "fork-1", parent: "main", at: 3, overrides: {} }],
        ["TaskClosed", { outcome: "achieved", unjudged: true, reason: "done", exit: 0 }],
        ["TaskClosed", { outcome: "failed" }],
      ),
    )
    expect(items).toMatchObject([
      { what: "agent", agentId: "ann", line: "line 1" },
      { what: "compacted", text: "We talked." },
      { what: "budget", isBad: true },
      { what: "forked" },
      { kind: "close", outcome: "finished", reason: "done", exit: "0" },
      { kind: "close", outcome: "failed", reason: "", exit: null },
    ])
  })

  it("does not know tokens and costs that nobody recorded, and does not take them for 0", () => {
    const useIn = (payload: JsonObject) => {
      const [answer] = conversation(told(["ModelResponded", { response: text("x"), ...payload }]))
      return answer?.kind === "answer" ? answer.use : undefined
    }
    expect(useIn({})).toEqual(use())
    expect(useIn({ usage: { inputTokens: 0, outputTokens: 0 }, cost: null })).toEqual(use())
    expect(useIn({ usage: { inputTokens: 0, outputTokens: 9, unknown: ["inputTokens"] } })).toEqual(
      use({ outputTokens: 9 }),
    )
    expect(useIn({ usage: { inputTokens: "NaN", outputTokens: 9, cachedTokens: -1 } })).toEqual(
      use({ outputTokens: 9 }),
    )
    expect(useIn({ usage: { inputTokens: 4, outputTokens: 9, cachedTokens: 0 }, cost: { usd: 0 } })).toEqual(
      use({ inputTokens: 4, outputTokens: 9, cachedTokens: 0, usd: 0 }),
    )
  })

  it("leaves out critics, and keeps names such as __proto__ apart", () => {
    const critic = { ...(told(["ModelCalled", called])[0] as Told), actor: "critic:strict" }
    expect(conversation([critic])).toEqual([])
    const wanted = { parts: [{ type: "call", callId: "__proto__", tool: "__proto__", args: {} }] }
    const [answer] = conversation(told(["ModelResponded", { response: wanted }]))
    expect(answer).toMatchObject({ calls: [{ callId: "__proto__", tool: "__proto__" }] })
  })
  it("names what is no text in an answer: files, tools that the provider ran, and items that are kept as they are", () => {
    const parts = [
      { type: "hosted", callId: "w", tool: "web_search", args: {}, result: [] },
      { type: "text", text: "Here: " },
      { type: "file", mediaType: "image/png", data: "aGk=" },
      { type: "item", kind: "hologram", item: {}, unread: true },
    ]
    const [answered] = conversation(told(["ModelCalled", called], ["ModelResponded", { response: { parts } }, 1]))
    expect(answered).toMatchObject({
      text: "Here: [hologram]",
      files: [{ mediaType: "image/png", data: "aGk=" }],
      calls: [{ callId: "w", tool: "web_search, run by the provider", args: {}, result: [] }],
    })
  })

  it("tells what an import added after the close where it happened, after its cause", () => {
    const at = (event: Told, occurredAt: number, actor = "hooks"): Told => ({ ...event, occurredAt, actor })
    const [prompt, call, done, close, asked, answered, again, last] = told(
      ["InputReceived", { content: "do it" }],
      ["ActuatorCommanded", { commandId: "c", callId: "a", actuator: "Bash", args: {} }],
      ["CommandSucceeded", { commandId: "c", result: "ok" }, 2],
      ["TaskClosed", { outcome: "achieved" }],
      ["ModelCalled", called, 1],
      ["ModelResponded", { response: { parts: [{ type: "text", text: "I look." }] } }, 5],
      ["ModelCalled", called, 3],
      ["ModelResponded", { response: { parts: [{ type: "text", text: "Done." }] } }, 7],
    ) as [Told, Told, Told, Told, Told, Told, Told, Told]
    const items = conversation([
      ...[at(prompt, 10), at(call, 20), at(done, 30), at(close, 50)],
      // The file's clock is a little before the hook's.
      ...[at(asked, 9, "import:claude-code"), at(answered, 15, "import:claude-code")],
      ...[at(again, 30, "import:claude-code"), at(last, 40, "import:claude-code")],
    ])
    expect(items.map(({ kind }) => kind)).toEqual(["input", "answer", "call", "answer", "close"])
    expect(items.map((one) => (one.kind === "answer" ? one.text : ""))).toEqual(["", "I look.", "", "Done.", ""])
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
    const items = conversation(
      told(
        ["InputReceived", { content: "Add one.", delivery: "steering" }],
        ["InputDelivered", { inputs: [1] }],
        ["ModelCalled", called],
        [
          "ModelResponded",
          { response: { parts }, usage: { inputTokens: 100, outputTokens: 10 }, cost: { usd: 0.5 } },
          3,
        ],
        ["DecisionMade", { choice: {} }],
        ["MessageSent", { content: "I add.", format: "markdown" }],
        ["ActuatorCommanded", command],
        ["CommandAllowed", { commandId: "c1" }],
        ["CommandSucceeded", { commandId: "c1", result: { count: 1 } }],
      ),
    )
    const [heard, answered, call] = items
    expect(heard).toMatchObject({
      kind: "input",
      position: 1,
      by: "human:ada",
      text: "Add one.",
      delivery: "steering",
      given: 2,
    })
    expect(answered).toMatchObject({
      model: "test/one",
      request: null,
      failed: null,
      position: 4,
      text: "I add.",
      reasoning: "Hm. ",
      use: use({ inputTokens: 100, outputTokens: 10, usd: 0.5 }),
      calls: [{ tool: "perceive", args: {} }],
    })
    expect(call).toMatchObject({
      kind: "call",
      position: 7,
      tool: "counter/add",
      args: { by: 1 },
      approval: null,
      end: { position: 9, status: "succeeded", result: { count: 1 } },
    })
    expect(items).toHaveLength(3)
  })

  it("says of what is under way that it is, and of a failure why, with what had come", () => {
    const items = conversation(
      told(
        ["ModelCalled", called],
        [
          "ModelFailed",
          {
            kind: "interrupted",
            reason: "ada",
            response: { parts: [{ type: "text", text: "So" }] },
            usage: { inputTokens: 7, outputTokens: 1 },
          },
          1,
        ],
        ["ActuatorCommanded", { commandId: "c1", actuator: "boiler/heat", args: {} }],
        ["ConfirmationRequested", { confirmationId: "q", commandId: "c1" }],
        ["ModelCalled", called],
      ),
    )
    expect(items).toMatchObject([
      {
        begins: 1,
        position: 2,
        text: "So",
        failed: { kind: "interrupted", reason: "ada", retryInMs: null },
        use: use({ inputTokens: 7, outputTokens: 1 }),
      },
      { kind: "call", position: 3, tool: "boiler/heat", args: {}, state: "waiting", end: null },
      { position: 5, request: "id-5", text: "", use: use() },
    ])
  })

  it("takes an input of a recorded or imported task as given with the next request, which records no delivery", () => {
    const events = told(
      ["InputReceived", { source: "person", content: "Hello", delivery: "queued" }],
      ["ModelCalled", called],
      ["InputReceived", { source: "person", content: "And?", delivery: "queued" }],
    )
    const givenIn = (items: ReturnType<typeof conversation>) =>
      items.flatMap((one) => (one.kind === "input" ? [one.given] : []))
    expect(givenIn(conversation(events, { isCaptured: true }))).toEqual([2, null])
    expect(givenIn(conversation(events))).toEqual([null, null])
  })

  it("shows what an agent without a model says, and says of what is not here or of another form what is known", () => {
    const items = conversation(
      told(
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
    expect(items.map((one) => [one.position, one.kind, "text" in one ? one.text : null])).toEqual([
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

describe("the edits that a call states", () => {
  it("are found by the names that tools use, and none where there are none", () => {
    expect(editsIn({ file_path: "a.ts", old_string: "x", new_string: "y" })).toEqual([
      { path: "a.ts", before: "x", after: "y" },
    ])
    expect(editsIn({ path: "a.ts", content: "all" })).toEqual([{ path: "a.ts", before: null, after: "all" }])
    const edits = [{ old_string: "1", new_string: "2" }, "no edit", { old_string: "3" }]
    expect(editsIn({ file_path: "a.ts", edits })).toEqual([{ path: "a.ts", before: "1", after: "2" }])
    for (const none of [null, "text", [], { path: "a.ts" }, { content: "x" }, { path: 1, content: "x" }])
      expect(editsIn(none)).toEqual([])
  })
})

describe("events that are too long for a page", () => {
  const long = (...positions: ReadonlyArray<number>) => ({
    long: positions.map((position) => ({ position, length: 0 })),
  })

  it("belong to what caused them, and stand as their lines with how much is not shown", () => {
    const items = conversation(
      told(
        ["ActuatorCommanded", null],
        ["CommandAllowed", { commandId: "c1" }, 1],
        ["ActuatorCommanded", { commandId: "c2", actuator: "boiler/heat", args: {} }],
        ["CommandDispatched", { commandId: "c2" }, 3],
        ["CommandSucceeded", null, 4],
        ["CommandFailed", null, 2],
        ["CommandSucceeded", null, 77],
      ),
    )
    expect(items).toMatchObject([
      {
        kind: "call",
        position: 1,
        tool: "line 1",
        args: null,
        ...long(1, 6),
        end: { position: 6, status: "failed", result: "line 6" },
      },
      {
        kind: "call",
        position: 3,
        tool: "boiler/heat",
        args: {},
        ...long(5),
        end: { position: 5, status: "succeeded", result: "line 5" },
      },
    ])
  })
})
