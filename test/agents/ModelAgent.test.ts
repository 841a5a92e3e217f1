import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Option, Schema } from "effect"
import { expectTypeOf } from "vitest"
import { z } from "zod"
import * as Conversation from "../../src/agents/Conversation.ts"
import { fromModel } from "../../src/agents/ModelAgent.ts"
import type { ModelAgentOptions } from "../../src/agents/ModelAgentOptions.ts"
import type { Model } from "../../src/agents/models/Model.ts"
import type { AgentDelta } from "../../src/agents/Turns.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { ModelCallFailed } from "../../src/kernel/tasks/ModelCalls.ts"
import type { Json } from "../../src/values/Json.ts"
import type { Sample } from "../kernel/given.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { call, counter, eventsOf, failed, model, text, turn, typesOf } from "./given.ts"

/** Runs an agent from a model on a task of a new kernel. Answers with the audit and the task's events. */
const running = (options: ModelAgentOptions, kernel: Parameters<typeof testKernel>[0] = { plugins: [counter] }) =>
  Effect.gen(function* () {
    const { run } = yield* (yield* testKernel(kernel)).start
    const audit = yield* run(
      Effect.flatMap(Kernel, ({ tasks }) => tasks.run(fromModel(options), { goal: "Count to 5" })),
    )
    return { audit, events: yield* run(eventsOf(audit.taskId)), run }
  })

const payloads = (events: ReadonlyArray<{ readonly type: string; readonly payload: unknown }>, type: string) =>
  events.filter((event) => event.type === type).map(({ payload }) => payload)

describe("an agent from a model", () => {
  it.scopedLive("is told its guide, its goal and its tools, and what it was told is in the log", () =>
    Effect.gen(function* () {
      const scripted = model([[text("Done.")]])
      const guide = { systemPrompt: "You count.", temperature: 0.5, initialMemories: ["Five is the last one."] }
      const { audit, events } = yield* running({ model: scripted.model, guide })
      expect(audit).toMatchObject({ outcome: "achieved" })
      const [request] = scripted.requests
      expect(request).toMatchObject({
        messages: [{ role: "user", content: [{ type: "text", text: "Count to 5" }] }],
        temperature: 0.5,
      })
      expect(request?.tools.map(({ name }) => name)).toEqual(["counter__add", "counter__fail", "perceive"])
      for (const told of ["You count.", "## counter", "A plugin for a test", "- Five is the last one."])
        expect(request?.system).toContain(told)
      expect(payloads(events, "GuideApplied")).toMatchObject([
        { systemPrompt: request?.system, temperature: 0.5, memoryPolicy: { name: "full" } },
      ])
      expect(typesOf(events)).toEqual(
        expect.arrayContaining(["ModelCalled", "ModelResponded", "DecisionMade", "MessageSent", "TaskClosed"]),
      )
    }),
  )

  it.scopedLive("has one result for each call of an answer, in their order, whatever became of it", () =>
    Effect.gen(function* () {
      const scripted = model([
        [
          call("a", "counter__add", { by: 2 }),
          call("b", "counter__fail"),
          call("c", "nothing"),
          call("d", "perceive"),
          call("e", "counter__add", [1]),
          { type: "call", callId: "f", tool: "counter__add", args: '{"by": ', invalid: true },
          call("a", "counter__add", { by: 3 }),
        ],
        [text("Done.")],
      ])
      const { events } = yield* running({ model: scripted.model })
      const results = scripted.requests[1]?.messages.at(-1)
      expect(results).toMatchObject({
        role: "tool",
        content: [
          { callId: "a", isError: false },
          { callId: "b", isError: true, content: { failed: "it broke" } },
          { callId: "c", isError: true, content: expect.stringContaining("there is no tool of this name") },
          { callId: "d", isError: false, content: { "counter/count": 2 } },
          { callId: "e", isError: true, content: expect.stringContaining("found [1]") },
          { callId: "f", isError: true, content: expect.stringContaining('found {"by": ') },
          // A model that uses an id twice.
          { callId: "a-2", isError: false },
        ],
      })
      const commanded = payloads(events, "ActuatorCommanded")
      expect(commanded).toHaveLength(3)
      expect(commanded).toEqual(expect.arrayContaining([expect.objectContaining({ callId: "a-2", args: { by: 3 } })]))
    }),
  )

  it.scopedLive(
    "learns of a denial and of a question that nobody answered; what a tool's text says approves nothing",
    () =>
      Effect.gen(function* () {
        const scripted = model([
          [call("a", "counter__fail"), call("b", "counter__add", { by: 1 })],
          [text("The tool says: approve this. I approve it."), call("c", "counter__add", { by: 1 })],
          [text("Not done.")],
        ])
        const rules = [
          { name: "never", actuator: "counter/fail", decision: "deny" as const },
          { name: "ask", actuator: "counter/add", decision: "confirm" as const, confirmWithinMs: 1 },
        ]
        const { events } = yield* running(
          { model: scripted.model },
          { plugins: [counter], gate: { default: "deny", rules } },
        )
        expect(scripted.requests[1]?.messages.at(-1)).toMatchObject({
          content: [
            { callId: "a", isError: true, content: { denied: expect.any(String) } },
            { callId: "b", isError: true, content: { expired: expect.any(String) } },
          ],
        })
        expect(payloads(events, "CommandDispatched")).toEqual([])
        expect(payloads(events, "ConfirmationRequested")).toHaveLength(2)
      }),
  )

  it.scopedLive(
    "passes an answer on piece by piece, keyed by its request; a listener that throws disturbs nothing",
    () =>
      Effect.gen(function* () {
        const told: Array<AgentDelta> = []
        const onDelta = (delta: AgentDelta) => {
          told.push(delta)
          if (told.length === 3) throw new Error("no more")
        }
        const { audit, events } = yield* running({ model: model([[text("Done.")]]).model, onDelta })
        const called = events.find(({ type }) => type === "ModelCalled")
        const of = { taskId: audit.taskId, request: called?.id, index: 0, kind: "text" }
        expect(told).toEqual([..."Don"].map((piece) => ({ ...of, text: piece })))
        expect(payloads(events, "MessageSent")).toEqual([{ content: "Done.", format: "text" }])
      }),
  )

  it.scopedLive("asks again after a failure that may pass, each time as a request of its own", () =>
    Effect.gen(function* () {
      const scripted = model([failed("rate-limited", "too many"), failed("cut-off", "no end"), [text("Done.")]])
      const { audit, events } = yield* running({ model: scripted.model })
      expect(audit.outcome).toBe("achieved")
      expect(scripted.requests).toHaveLength(3)
      expect(scripted.requests[2]).toEqual(scripted.requests[0])
      expect(payloads(events, "ModelFailed")).toMatchObject([{ kind: "rate-limited" }, { kind: "cut-off" }])
      expect(payloads(events, "ModelCalled").map((called) => Object(called).request.messages.length)).toEqual([1, 0, 0])
    }),
  )

  it.scopedLive("fails, and its task with it, where its model does not answer", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel()).start
      const ended = (...failures: ReadonlyArray<ReturnType<typeof failed>>) =>
        run(
          Effect.gen(function* () {
            const { tasks } = yield* Kernel
            const id = `failed-${failures.length}`
            const agent = fromModel({ model: model(failures).model, retries: 1 })
            const { message } = yield* Effect.flip(tasks.run(agent, { goal: "Count", id }))
            const closed = (yield* eventsOf(id)).find(({ type }) => type === "TaskClosed")
            expect(closed?.payload).toMatchObject({ outcome: "failed", reason: message })
            return message
          }),
        )
      expect(yield* ended(failed("unauthorized", "the key is wrong"))).toMatch(/unauthorized.*the key is wrong/)
      expect(yield* ended(failed("overloaded", "busy"), failed("overloaded", "still busy"))).toMatch(/still busy/)
    }),
  )

  it.scopedLive("keeps what had come of an answer that is cancelled", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel()).start
      const streaming = yield* Deferred.make<void>()
      const endless = model([
        (_, onDelta) =>
          Effect.gen(function* () {
            onDelta({ index: 0, kind: "text", text: "I be" })
            onDelta({ index: 2, kind: "text", text: "gin" })
            yield* Deferred.succeed(streaming, undefined)
            return yield* Effect.never
          }),
      ])
      const events = yield* run(
        Effect.gen(function* () {
          const { tasks } = yield* Kernel
          const fiber = yield* Effect.fork(tasks.run(fromModel({ model: endless.model }), { goal: "Go", id: "cut" }))
          yield* Deferred.await(streaming)
          yield* Fiber.interrupt(fiber)
          return yield* eventsOf("cut")
        }),
      )
      const parts = [
        { type: "text", text: "I be" },
        { type: "text", text: "gin" },
      ]
      expect(payloads(events, "ModelFailed")).toMatchObject([{ kind: "cancelled", response: { parts } }])
      expect(payloads(events, "TaskClosed")).toMatchObject([{ outcome: "abandoned" }])
    }),
  )

  it.scopedLive("keeps no key and no half of a character of an answer that is cancelled", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel()).start
      const streaming = yield* Deferred.make<void>()
      const echoing = model([
        (_, onDelta) =>
          Effect.gen(function* () {
            onDelta({ index: 0, kind: "text", text: "The key is sk-1234" })
            onDelta({ index: 0, kind: "text", text: "5678 \ud83d" })
            yield* Deferred.succeed(streaming, undefined)
            return yield* Effect.never
          }),
      ])
      const redact = (words: string) => words.replaceAll("sk-12345678", "[redacted]")
      const events = yield* run(
        Effect.gen(function* () {
          const { tasks } = yield* Kernel
          const agent = fromModel({ model: { ...echoing.model, redact } })
          const fiber = yield* Effect.fork(tasks.run(agent, { goal: "Go", id: "echo" }))
          yield* Deferred.await(streaming)
          yield* Fiber.interrupt(fiber)
          return yield* eventsOf("echo")
        }),
      )
      const parts = [{ type: "text", text: "The key is [redacted] \ufffd" }]
      expect(payloads(events, "ModelFailed")).toMatchObject([{ kind: "cancelled", response: { parts } }])
    }),
  )

  it.scopedLive("is told that there is no perceive where there are no sensors", () =>
    Effect.gen(function* () {
      const scripted = model([[call("a", "perceive")], [text("Done.")]])
      yield* running({ model: scripted.model }, {})
      expect(scripted.requests[1]?.messages.at(-1)).toMatchObject({
        content: [{ callId: "a", isError: true, content: expect.stringContaining("no tool of this name") }],
      })
    }),
  )

  it.scopedLive("gives a structured answer, which is checked", () =>
    Effect.gen(function* () {
      const answer = Schema.Struct({ count: Schema.NumberFromString })
      const scripted = model([
        [text("It is five.")],
        [call("a", "answer", { count: 5 })],
        [call("b", "answer", { count: "5" })],
      ])
      const agent = { model: scripted.model, answer } as unknown as ModelAgentOptions
      const { audit, events } = yield* running(agent)
      expect(audit.outcome).toBe("achieved")
      expect(scripted.requests[1]?.messages.at(-1)).toMatchObject({ role: "user" })
      expect(scripted.requests[2]?.messages.at(-1)).toMatchObject({
        content: [{ callId: "a", isError: true, content: expect.stringContaining("Expected string, actual 5") }],
      })
      expect(Conversation.answerIn(answer, events)).toMatchObject({ _tag: "Some", value: { count: 5 } })
    }),
  )

  it.scopedLive("gives an answer that a schema of zod describes, which it is told and read by", () =>
    Effect.gen(function* () {
      const answer = z.object({ count: z.number().max(9), unit: z.string().default("steps") })
      const scripted = model([[call("a", "answer", { count: 12 })], [call("b", "answer", { count: 5 })]])
      const { audit, events } = yield* running({ model: scripted.model, answer })
      expect(audit.outcome).toBe("achieved")
      expect(scripted.requests[0]?.tools.find(({ name }) => name === "answer")?.args).toMatchObject({
        properties: { count: { type: "number", maximum: 9 } },
        required: ["count"],
      })
      expect(JSON.stringify(scripted.requests[1]?.messages.at(-1))).toContain(
        "count: Too big: expected number to be <=9",
      )
      const found = Conversation.answerIn(answer, events)
      expectTypeOf(found).toEqualTypeOf<Option.Option<{ count: number; unit: string }>>()
      expect(found).toMatchObject({ _tag: "Some", value: { count: 5, unit: "steps" } })
      expect(Conversation.answerIn(z.object({ count: z.string() }), events)._tag).toBe("None")
      const slow = z.object({ count: z.number().refine(async () => true) })
      expect(() => Conversation.answerIn(slow, events)).toThrow(/validates synchronously/)
    }),
  )

  it.scopedLive("gives an answer that a JSON Schema describes, checked by it", () =>
    Effect.gen(function* () {
      const answer = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] } as const
      const scripted = model([[call("a", "answer", { count: "5" })], [call("b", "answer", { count: 5 })]])
      const { audit, events } = yield* running({ model: scripted.model, answer })
      expect(audit.outcome).toBe("achieved")
      expect(JSON.stringify(scripted.requests[1]?.messages.at(-1))).toContain("answer.count: expected integer")
      const found = Conversation.answerIn(answer, events)
      expectTypeOf(found).toEqualTypeOf<Option.Option<{ readonly count: number }>>()
      expect(found).toMatchObject({ _tag: "Some", value: { count: 5 } })
    }),
  )

  it.scopedLive("fails its task where the JSON Schema of its answer is none, before it asks the model", () =>
    Effect.gen(function* () {
      const scripted = model([[call("a", "answer", { count: 5 })]])
      const answer = { type: "object", properties: { count: { type: "inteeger" } } }
      const { run } = yield* (yield* testKernel({ plugins: [counter] })).start
      const error = yield* Effect.flip(
        run(
          Effect.flatMap(Kernel, ({ tasks }) =>
            tasks.run(fromModel({ model: scripted.model, answer }), { goal: "Count to 5" }),
          ),
        ),
      )
      expect(String(error)).toMatch(/answer\.properties\.count\.type/)
      expect(scripted.requests).toEqual([])
    }),
  )

  it.scopedLive("does what it called beside an answer, and is asked for the answer alone", () =>
    Effect.gen(function* () {
      const scripted = model([
        [call("a", "counter__add", { by: 1 }), call("b", "answer", { count: 1 })],
        [call("c", "answer", { count: 1 })],
      ])
      const answer = Schema.Struct({ count: Schema.Number })
      const { audit, events } = yield* running({ model: scripted.model, answer } as unknown as ModelAgentOptions)
      expect(audit.outcome).toBe("achieved")
      expect(scripted.requests[1]?.messages.at(-1)).toMatchObject({
        content: [
          { callId: "a", isError: false },
          { callId: "b", isError: true, content: expect.stringContaining("alone") },
        ],
      })
      expect(payloads(events, "CommandSucceeded")).toHaveLength(1)
    }),
  )

  it.scopedLive("has calls with ids of their own in the whole conversation, which every provider takes", () =>
    Effect.gen(function* () {
      const again = [call("functions.x:0", "counter__add", { by: 1 })]
      const scripted = model([again, again, [text("Done.")]])
      yield* running({ model: scripted.model })
      const results = scripted.requests[2]?.messages.flatMap(({ role, content }) => (role === "tool" ? content : []))
      expect(results?.map((result) => Object(result).callId)).toEqual(["functions_x_0", "functions_x_0-2"])
    }),
  )

  it.scopedLive("works on several tasks at once, without mixing them", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel()).start
      const echo = model(
        Array.from({ length: 8 }, () => ({ messages }) => {
          const said = messages.flatMap(({ role, content }) => (role === "user" ? content : []))
          const [first] = said.flatMap((part) => (part.type === "text" ? [part.text] : []))
          return Effect.succeed(turn(messages.length > 2 ? [text(`Done: ${first}`)] : [call("a", "none")]))
        }),
      )
      const agent = fromModel({ model: echo.model })
      const said = yield* run(
        Effect.forEach(
          ["one", "two", "three", "four"],
          (goal) =>
            Effect.gen(function* () {
              const { taskId } = yield* (yield* Kernel).tasks.run(agent, { goal })
              return payloads(yield* eventsOf(taskId), "MessageSent").map((sent) => Object(sent).content)
            }),
          { concurrency: "unbounded" },
        ),
      )
      expect(said).toEqual([["Done: one"], ["Done: two"], ["Done: three"], ["Done: four"]])
    }),
  )
})

describe("a budget", () => {
  for (const [budget, asked, name] of [
    [{ steps: 0 }, 0, "steps"],
    [{ steps: 2 }, 2, "steps"],
    [{ tokens: 110 }, 1, "tokens"],
    [{ commands: 1 }, 1, "commands"],
    [{ wallMs: 0 }, 0, "wallMs"],
    [{ usd: 1 }, 0, "usd"],
  ] as const) {
    it.scopedLive(`of ${JSON.stringify(budget)} allows ${asked} requests, and the task is truncated`, () =>
      Effect.gen(function* () {
        const scripted = model(Array.from({ length: 5 }, (_, turn) => [call(`${turn}`, "counter__add", { by: 1 })]))
        const { audit, events } = yield* running({ model: scripted.model, budget })
        expect(scripted.requests).toHaveLength(asked)
        expect(audit.outcome).toBe("truncated")
        expect(payloads(events, "BudgetExceeded")).toMatchObject([{ budget: name, limit: Object(budget)[name] }])
        expect(payloads(events, "TaskClosed")).toMatchObject([{ reason: expect.stringContaining("budget") }])
        expect(audit.scores).toHaveLength(1)
      }),
    )
  }
})

describe("a budget that is used up in mid-turn", () => {
  it.scopedLive("refuses the commands beyond it, and says so", () =>
    Effect.gen(function* () {
      const adds = ["a", "b", "c"].map((id) => call(id, "counter__add", { by: 1 }))
      const { events } = yield* running({ model: model([adds]).model, budget: { commands: 2 } })
      expect(payloads(events, "ActuatorCommanded")).toHaveLength(2)
      expect(payloads(events, "BudgetExceeded")).toMatchObject([{ budget: "commands", used: 2 }])
    }),
  )

  it.scopedLive("makes no request again: neither beyond its tokens nor after a wait that is too long", () =>
    Effect.gen(function* () {
      const used = { inputTokens: 100, outputTokens: 1 }
      const cut = new ModelCallFailed({ ...failed("cut-off", "no end"), reason: "no end", usage: used })
      const costly = model([cut, cut, cut])
      const { audit } = yield* running({ model: costly.model, budget: { tokens: 150 } })
      expect([audit.outcome, costly.requests.length]).toEqual(["truncated", 2])

      const late = model([failed("rate-limited", "later", 3_600_000)])
      const ended = yield* Effect.either(running({ model: late.model, budget: { wallMs: 60_000 } }))
      expect(ended._tag).toBe("Left")
      expect(late.requests).toHaveLength(1)
    }),
  )
})

describe("a budget of wall time", () => {
  it.scopedLive("ends an answer that does not end, whose text and tokens are kept", () =>
    Effect.gen(function* () {
      const { model: endless } = model([])
      const usage = { inputTokens: 7, outputTokens: 1 }
      const turn: Model["turn"] = (_, onDelta, onUsage) =>
        Effect.suspend(() => {
          onDelta({ index: 0, kind: "text", text: "On and " })
          onUsage?.(usage)
          return Effect.never
        })
      const options = { model: { ...endless, turn }, budget: { wallMs: 30 } }
      const { audit, events, run } = yield* running(options)
      expect(audit.outcome).toBe("truncated")
      expect(payloads(events, "ModelFailed")).toMatchObject([
        { kind: "timed-out", response: { parts: [{ type: "text", text: "On and " }] }, usage },
      ])
      expect(payloads(events, "BudgetExceeded")).toMatchObject([{ budget: "wallMs", limit: 30 }])
      expect(audit.scores).toHaveLength(1)
      const again = yield* run(Effect.flatMap(Kernel, ({ replay }) => replay(audit.taskId, fromModel(options))))
      expect(again).toMatchObject({ verdict: "identical", complete: true })
    }),
  )
})

describe("the cost that a provider names", () => {
  it.scopedLive("is the cost of the answer, whatever a table says", () =>
    Effect.gen(function* () {
      const priced = model([() => Effect.succeed({ ...turn([text("Done.")]), cost: 0.5 })])
      const { audit } = yield* running({ model: priced.model })
      expect(audit).toMatchObject({ model: { cost: { usd: 0.5, unpriced: 0, prices: ["source"] } } })
    }),
  )
})

describe("a budget of tokens", () => {
  it.scopedLive("ends a task whose provider gives one count without the other: what it used is unknown", () =>
    Effect.gen(function* () {
      const usage = { inputTokens: 10, outputTokens: 0, unknown: ["outputTokens"] as const }
      const half = model([
        () => Effect.succeed({ ...turn([call("a", "counter__add", { by: 1 })]), usage }),
        [text("Done.")],
      ])
      const { audit } = yield* running({ model: half.model, budget: { tokens: 1000 } })
      expect(half.requests).toHaveLength(1)
      expect(audit).toMatchObject({
        outcome: "truncated",
        reason: expect.stringContaining("what its model used is unknown"),
        model: { inputTokens: 10, unmetered: 1 },
      })
    }),
  )
})

describe("a budget of money", () => {
  it.scopedLive(
    "is no reason to ask a model whose price is unknown, beside other budgets too; a replay does the same",
    () =>
      Effect.gen(function* () {
        const { model: unpriced, requests } = model([[text("Done.")]])
        const options = { model: unpriced, budget: { usd: 1, tokens: 1000 } }
        const { audit, events, run } = yield* running(options)
        expect(requests).toEqual([])
        expect(audit).toMatchObject({
          outcome: "truncated",
          reason: expect.stringContaining("price of its model is unknown"),
        })
        expect(payloads(events, "ModelFailed")).toMatchObject([
          { reason: expect.stringContaining("nothing was asked") },
        ])
        expect(payloads(events, "BudgetExceeded")).toMatchObject([{ budget: "usd" }])
        const again = yield* run(Effect.flatMap(Kernel, ({ replay }) => replay(audit.taskId, fromModel(options))))
        expect(again).toMatchObject({ verdict: "identical", divergence: null, complete: true })
      }),
  )

  it.scopedLive("counts what a failed request cost, and is not used up by it where its price is known", () =>
    Effect.gen(function* () {
      const usage = { inputTokens: 1000, outputTokens: 10 }
      const cut = new ModelCallFailed({ ...failed("cut-off", "no end"), reason: "no end", usage, retryAfterMs: 1 })
      const scripted = model([cut, [call("a", "counter__add", { by: 1 })], [text("Done.")]])
      const priced = { ...scripted.model, provider: "anthropic", model: "claude-sonnet-4-5" }
      const { audit, events } = yield* running({ model: priced, budget: { usd: 10 } })
      expect(audit.outcome).toBe("achieved")
      const cost = { usd: expect.any(Number), prices: expect.stringMatching(/^genai-prices@/) }
      expect(payloads(events, "ModelFailed")).toMatchObject([{ usage, cost }])
      expect(payloads(events, "ModelResponded")).toMatchObject([{ cost }, { cost }])
    }),
  )
})

describe("an answer that cannot be recorded", () => {
  const usage = { inputTokens: 1, outputTokens: 1 }
  const said = { parts: [text("x")], finish: "stop", usage }
  it.scopedLive.each([
    ["is longer than an event", { ...said, parts: [text("é".repeat(4_500_000))] }],
    ["has arguments that have themselves", { ...said, parts: [call("a", "counter__add", itself())] }],
    ["has no parts", { ...said, parts: undefined }],
    ["ends in another way", { ...said, finish: "done" }],
    ["used less than nothing", { ...said, usage: { inputTokens: Number.NaN, outputTokens: -1 } }],
    ["has a call without an id", { ...said, parts: [call("", "counter__add")] }],
    ["is nothing", undefined],
  ] as const)("because it %s fails the task, and is on record", ([, answer]) =>
    Effect.gen(function* () {
      const { model: own } = model([])
      const turn = () => Effect.succeed(answer) as unknown as ReturnType<Model["turn"]>
      yield* unfollowed({ ...own, turn })
    }),
  )

  it.scopedLive("because its model answers with a promise fails the task, and is on record", () =>
    Effect.gen(function* () {
      const { model: own } = model([])
      const turn = () => Promise.resolve(said) as unknown as ReturnType<Model["turn"]>
      expect(yield* unfollowed({ ...own, turn })).toContain("an Effect")
    }),
  )

  it.scopedLive("for what had come of it fails without that", () =>
    Effect.gen(function* () {
      const response = [{ type: "text", text: "é".repeat(4_500_000) }]
      const cut = new ModelCallFailed({ provider: "test", model: "one", kind: "refused", reason: "No.", response })
      expect(yield* unfollowed(model([cut]).model)).toBe("No.")
    }),
  )

  /** Runs an agent whose model's one answer is none; the reason on record. */
  const unfollowed = (own: Model) =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel({ plugins: [counter] })).start
      const working = Effect.flatMap(Kernel, ({ tasks }) =>
        tasks.run(fromModel({ model: own }), { id: "t", goal: "g" }),
      )
      expect(yield* run(Effect.flip(working))).toMatchObject({
        _tag: "AgentFailed",
        reason: expect.stringContaining("did not answer"),
      })
      const events = yield* run(eventsOf("t"))
      expect(typesOf(events).filter((type) => type.startsWith("Model"))).toEqual(["ModelCalled", "ModelFailed"])
      return Object(payloads(events, "ModelFailed")[0]).reason
    })
})

/** An object that has itself. */
function itself() {
  const made: { [key: string]: Json } = {}
  made.self = made
  return made
}

describe("results that are too long together for an event", () => {
  it.scopedLive("are told as far as they fit; the log has all of them", () =>
    Effect.gen(function* () {
      const tall: Sample = {
        ...counter,
        entry: `export default {
          sensors: { count: () => 1 },
          actuators: { add: () => "x".repeat(4_000_000), fail: () => "short" },
        }`,
      }
      const scripted = model([
        [call("a", "counter__add"), call("b", "counter__add"), call("c", "counter__fail")],
        [text("Done.")],
      ])
      const { audit, events } = yield* running({ model: scripted.model }, { plugins: [tall] })
      expect(audit.outcome).toBe("achieved")
      const told = scripted.requests[1]?.messages.at(-1)?.content
      expect(told).toMatchObject([
        { callId: "a", isError: false, content: expect.stringMatching(/^x{1000}/) },
        { callId: "b", isError: false, content: "the result has 4000002 bytes, which is too long to be told" },
        { callId: "c", isError: false, content: "short" },
      ])
      expect(payloads(events, "CommandSucceeded")).toHaveLength(3)
    }),
  )
})

describe("the conversation", () => {
  const chatty = () => [
    ...Array.from({ length: 5 }, (_, turn) => [text(`Turn ${turn}`), call(`${turn}`, "counter__add", { by: 1 })]),
    [text("Done.")],
  ]

  it.scopedLive("is in the log: a fold has every message that the model was told, and each answer", () =>
    Effect.gen(function* () {
      const scripted = model(chatty())
      const { events } = yield* running({ model: scripted.model })
      const { messages, tools } = Conversation.of(events)
      expect(messages.slice(0, -1)).toEqual(scripted.requests.at(-1)?.messages)
      expect(messages.at(-1)).toEqual({ role: "assistant", content: [text("Done.")] })
      expect(tools).toEqual(scripted.requests[0]?.tools)
    }),
  )

  it.scopedLive("is told in a window: the goal and the last turns", () =>
    Effect.gen(function* () {
      const scripted = model(chatty())
      const { events } = yield* running({
        model: scripted.model,
        memory: { name: "sliding-window", turns: 1 },
      })
      expect(scripted.requests.map(({ messages }) => messages.map(({ role }) => role).join(" "))).toEqual([
        "user",
        ...Array.from({ length: 5 }, () => "user assistant tool"),
      ])
      expect(Conversation.of(events).messages).toHaveLength(12)
    }),
  )

  it.scopedLive("is summarized where it is too long, which is an event; the log keeps all of it", () =>
    Effect.gen(function* () {
      const short = model([...chatty().slice(0, 2), [text("I counted to 1.")], [text("Done.")]])
      const { events: compacted } = yield* running({
        model: short.model,
        memory: { name: "summary", maxTokens: 109, keepTurns: 1 },
      })
      expect(payloads(compacted, "MemoryCompacted")).toEqual([
        { policy: "summary", messages: 3, summary: "I counted to 1." },
      ])
      expect(short.requests.at(-1)?.messages.map(({ role }) => role)).toEqual(["user", "user", "assistant", "tool"])
      expect(JSON.stringify(short.requests.at(-1)?.messages[1])).toContain("I counted to 1.")
      expect(Conversation.of(compacted)).toMatchObject({ summary: { messages: 3, text: "I counted to 1." } })
      expect(Conversation.of(compacted).messages).toHaveLength(6)
    }),
  )

  it.scopedLive("that its model finds too long is summarized, and the request made again", () =>
    Effect.gen(function* () {
      const tooLong = failed("context-too-long", "expected at most 100 tokens")
      const scripted = model([...chatty().slice(0, 2), tooLong, [text("I counted.")], [text("Done.")]])
      const memory = { name: "summary", keepTurns: 1 } as const
      const { audit, events } = yield* running({ model: scripted.model, memory })
      expect(audit.outcome).toBe("achieved")
      expect(payloads(events, "MemoryCompacted")).toHaveLength(1)
    }),
  )
})

describe("the options of fromModel", () => {
  const { model: given } = model([])
  for (const [options, problem] of [
    [{}, /model: expected/],
    [{ model: "no-slash" }, /Expected a model as provider\/model/],
    [{ model: "antropic/one" }, /Did you mean anthropic/],
    [{ model: 1 }, /model: expected/],
    [{ model: { provider: 1, model: 2, turn: 3 } }, /model: expected .* a model/],
    [{ model: given, memory: "vector-db" }, /memory: expected "full", "sliding-window", "summary"/],
    [{ model: given, guide: { systemPromt: "x" } }, /guide\.systemPromt: .*systemPrompt/],
    [{ model: given, guide: { memoryPolicy: "all" } }, /guide\.memoryPolicy: expected/],
    [{ model: given, budget: { tokens: -1 } }, /budget\.tokens: expected a whole number, 0 or more/],
    [{ model: given, budget: { euros: 1 } }, /budget\.euros/],
    [
      { model: given, answer: new Map() },
      /answer: expected a Standard Schema \(such as zod's\), an Effect Schema or a JSON/,
    ],
    [{ model: given, answer: { type: "array" } }, /answer: expected a schema of an object/],
    [{ model: given, answer: z.object({ at: z.date() }) }, /Date cannot be represented/],
    [{ model: given, answer: Schema.String }, /answer: expected a schema of an object/],
    [{ model: given, answer: Schema.Struct({ when: Schema.DateFromSelf }) }, /answer: expected a schema of an object/],
    [{ model: given, retries: -1 }, /retries: expected/],
  ] as const) {
    it(`are refused where they are ${JSON.stringify(options).slice(0, 80)}`, () => {
      expect(() => fromModel(options as unknown as ModelAgentOptions)).toThrow(problem)
    })
  }
})
