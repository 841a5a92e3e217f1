import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import * as Requests from "../../../src/projections/request/Requests.ts"
import type { WholeRequest } from "../../../src/projections/request/WholeRequest.ts"
import * as Claude from "../../importing/claudeSession.ts"
import { events, importing, lines, withFiles } from "../../importing/given.ts"

const requestsIn = (all: ReadonlyArray<Event>): ReadonlyArray<WholeRequest> =>
  Requests.turnsIn(all).flatMap(({ position }) => Requests.wholeRequest(all, position) ?? [])

const imported = (records: ReadonlyArray<unknown>) =>
  withFiles({ [`${Claude.SESSION}.jsonl`]: lines(records) }, (directory) =>
    Effect.gen(function* () {
      yield* importing(directory)
      return yield* events
    }),
  )

const words = ({ messages }: WholeRequest): ReadonlyArray<string> =>
  messages.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`)

describe("the whole request of an imported task", () => {
  it.effect("has the messages of the file, with the events they come from, and no invented prompt", () =>
    Effect.gen(function* () {
      const all = yield* imported(Claude.session())
      const found = requestsIn(all)
      expect(found.length).toBeGreaterThan(2)
      const [first, second] = found
      expect(first).toMatchObject({
        recordedBy: "import",
        system: { notRecorded: "The imported file does not have the system prompt of this agent." },
        tools: { notRecorded: "An import does not record the tools of a request." },
        settings: { notRecorded: "An import does not record the settings of a request." },
        earlier: null,
        previous: null,
      })
      expect(first === undefined ? [] : words(first)).toEqual([
        'user: [{"type":"text","text":"Fix the sum in sum.ts"}]',
      ])
      expect(second?.messages.slice(0, 2).map(({ role }) => role)).toEqual(["user", "assistant"])
      expect(second?.previous).toBe(first?.position)
      const outcomes = all
        .filter(({ type }) => /^Command(Succeeded|Failed)$/.test(type))
        .map(({ position }) => position)
      const results = second?.messages.filter(({ role }) => role === "tool").flatMap(({ sources }) => sources) ?? []
      expect(results.length).toBeGreaterThan(0)
      for (const position of results) expect(outcomes).toContain(position)
      // Each request contains the one before it and its answer.
      for (const [index, request] of found.entries()) {
        const before = found[index - 1]
        if (before !== undefined) expect(words(request).slice(0, before.messages.length)).toEqual(words(before))
      }
    }),
  )

  it.effect("begins with the summary after a compaction, once, and says what the file does not", () =>
    Effect.gen(function* () {
      const records = [
        Claude.first("Fix the sum"),
        Claude.assistant("msg-1", Claude.text("It is fixed.")),
        Claude.user("Summary: the sum is fixed.", { isCompactSummary: true }),
        Claude.user("Now the product"),
        Claude.assistant("msg-2", Claude.text("Done.")),
      ]
      const last = requestsIn(yield* imported(records)).at(-1)
      expect(last === undefined ? [] : words(last)).toEqual([
        'user: [{"type":"text","text":"Summary: the sum is fixed."}]',
        'user: [{"type":"text","text":"Now the product"}]',
      ])
      expect(last?.earlier).toMatch(/^A summary replaced the conversation before @\d+\./)
    }),
  )
})

const event = (position: number, type: string, payload: object, more: Partial<Event> = {}) => ({
  ...{ position, id: `id-${position}`, type, actor: "agent:own", causationId: null },
  payload: payload as Event["payload"],
  ...more,
})

describe("a request in a form of its own", () => {
  const asked = { provider: "own", model: "m", requestDigest: "d" }

  it("is shown as its program recorded it, whole only if its digest says so", () => {
    const request = { messages: [{ role: "user", content: "Hi" }], top_k: 3 }
    const all = [event(1, "TaskOpened", { goal: "Hi" }), event(2, "ModelCalled", { ...asked, request })]
    expect(Requests.wholeRequest(all, 2)).toMatchObject({
      recordedBy: "program",
      system: { notRecorded: "The agent's own code did not record it." },
      settings: { value: { top_k: 3 }, at: 2 },
      messages: [{ role: "user", content: "Hi", at: 2, sources: [1] }],
      earlier: "The agent's own code recorded the request. It may be only the part that was new.",
    })
    expect(Requests.wholeRequest(all, 2, { digest: () => "d" })?.earlier).toBeNull()
    expect(Requests.wholeRequest(all, 2, { digest: () => "other" })?.earlier).toBe(
      "The agent's own code recorded only a part of the request.",
    )
  })

  it("may be any JSON", () => {
    for (const request of [null, 7, "Hi", [], { __proto__: null, messages: 3 }, { messages: [null, 1, { role: 2 }] }]) {
      const all = [event(2, "ModelCalled", { ...asked, request })]
      expect(Requests.wholeRequest(all, 2)?.position).toBe(2)
    }
  })

  it("says that its contents were destroyed", () => {
    const guide = { systemPrompt: "[shredded]", memoryPolicy: { name: "full" }, initialMemories: [] }
    const all = [
      event(1, "TaskOpened", { goal: "Hi" }),
      event(2, "GuideApplied", guide),
      event(3, "ModelCalled", { ...asked, request: null }),
      event(
        4,
        "ModelResponded",
        { response: null, usage: { inputTokens: 0, outputTokens: 0 } },
        { causationId: "id-3" },
      ),
      event(5, "ModelCalled", { ...asked, request: { messages: [{ role: "user", content: [] }] } }),
    ]
    expect(Requests.wholeRequest(all, 5)?.notes).toEqual([
      "The log no longer has the contents of @3, @4, whose personal data was destroyed. Messages may be missing.",
    ])
    expect(Requests.wholeRequest(all, 3)).toMatchObject({ recordedBy: "agent", usage: {} })
  })
})

describe("a critic's question", () => {
  const first = {
    ...{ measure: "m", description: "d", reward: { name: "good" }, repeat: 1, repeats: 2 },
    ...{ task: { id: "t", goal: "g" }, evidence: [{ at: 3 }], omitted: 0, settings: { temperature: 0 } },
  }
  const { task: _t, evidence: _e, omitted: _o, settings: _s, ...news } = first
  const called = (position: number, request: object) =>
    event(position, "ModelCalled", { provider: "p", model: "m", requestDigest: "d", request })

  it("has the evidence that the first question about its task recorded", () => {
    const all = [called(1, first), called(2, { ...news, repeat: 2, task: { id: "t" } })]
    expect(Requests.wholeRequest(all, 2)).toMatchObject({
      recordedBy: "critic",
      asksFor: "verdict",
      settings: { value: { temperature: 0 }, at: 1 },
      messages: [{ content: { evidence: [{ at: 3 }], task: { id: "t", goal: "g" }, repeat: 2 }, sources: [1] }],
      earlier: null,
    })
    expect(Requests.wholeRequest(all.slice(1), 2)).toMatchObject({
      earlier: "The evidence is in the first question about the task, which is not in these events.",
    })
  })
})
