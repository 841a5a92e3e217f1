import type * as http from "node:http"
import { it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Runtime, TestClock } from "effect"
import { describe, expect } from "vitest"
import { fromModel } from "../../src/agents/ModelAgent.ts"
import type { Model } from "../../src/agents/models/Model.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { ModelCallFailed } from "../../src/kernel/tasks/ModelCalls.ts"
import { seen } from "../kernel/given.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { temporaryDirectory } from "../temporary.ts"
import { call, counter, eventsOf, failed, model, say, text, turn } from "./given.ts"
import { modelAt, server } from "./models/servers.ts"

type Reply = (response: http.ServerResponse, number: number) => void

/** A server that answers each request in its turn, and counts them. */
const provider = (reply: Reply) =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    const url = yield* server((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        asked.push(Buffer.concat(chunks).toString())
        reply(response, asked.length)
      })
    })
    return { url, asked }
  })

/** An answer of Anthropic's server. */
const anthropic =
  (headers: { readonly [name: string]: string } = {}): Reply =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream", ...headers })
    const usage = { input_tokens: 100, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 1 }
    for (const event of [
      {
        type: "message_start",
        message: { id: "m", type: "message", role: "assistant", model: "c", content: [], usage },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Done." } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 5 } },
      { type: "message_stop" },
    ]) {
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    }
    response.end()
  }

/** An answer of a server that is compatible with OpenAI's. */
const compatible =
  (headers: { readonly [name: string]: string } = {}): Reply =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream", ...headers })
    const of = { id: "c", object: "chat.completion.chunk", created: 0, model: "qwen3" }
    for (const chunk of [
      { ...of, choices: [{ index: 0, delta: { role: "assistant", content: "Done." }, finish_reason: null }] },
      { ...of, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      { ...of, choices: [], usage: { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 } },
    ]) {
      response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    }
    response.end("data: [DONE]\n\n")
  }

const refusing =
  (status: number, headers: { readonly [name: string]: string } = {}): Reply =>
  (response) => {
    const error = { type: status === 429 ? "rate_limit_error" : "overloaded_error", message: "later" }
    response.writeHead(status, { "content-type": "application/json", ...headers })
    response.end(JSON.stringify({ type: "error", error }))
  }

const running = (id: string, of: Parameters<typeof fromModel>[0]) =>
  Effect.flatMap(Kernel, ({ tasks }) => tasks.run(fromModel(of), { goal: "Go", id }))

const failuresIn = (events: ReadonlyArray<{ type: string; payload: object }>) =>
  events.flatMap(({ type, payload }) => (type === "ModelFailed" ? [payload] : []))

describe("an agent with fallbacks", () => {
  it.scopedLive("asks the next model once the retries are used up, stays with it, and records why", () =>
    Effect.gen(function* () {
      const first = yield* provider(refusing(529, { "retry-after-ms": "1" }))
      const second = yield* provider(compatible())
      const { run } = yield* (yield* testKernel()).start
      const agentOf = (one: Model, two: Model) => ({ model: one, fallbacks: [two], retries: 1 })
      const options = agentOf(yield* modelAt(first.url, "anthropic"), yield* modelAt(second.url, "openai-compatible"))
      const { outcome, model: use } = yield* run(running("t", options))
      expect(outcome).toBe("achieved")
      expect([first.asked.length, second.asked.length]).toEqual([2, 1])
      const events = yield* run(eventsOf("t"))
      expect(failuresIn(events)).toMatchObject([
        { kind: "overloaded", retryInMs: 1 },
        { kind: "overloaded", fallbackTo: "openai-compatible/qwen3" },
      ])
      const called = events.filter(({ type }) => type === "ModelCalled").map(({ payload }) => payload.model)
      expect(called).toEqual(["claude-sonnet-4-5", "claude-sonnet-4-5", "qwen3"])
      expect(Object.keys(use?.byModel ?? {})).toEqual(["anthropic/claude-sonnet-4-5", "openai-compatible/qwen3"])
      // The whole conversation is sent to the other model.
      expect(second.asked[0]).toContain("Go")
      const replayed = yield* run(Effect.flatMap(Kernel, ({ replay }) => replay("t", fromModel(options))))
      expect(replayed).toMatchObject({ verdict: "identical", complete: true })
      expect([first.asked.length, second.asked.length]).toEqual([2, 1])
    }),
  )

  it.scopedLive("does not wait for a model that asks to wait for more than a minute", () =>
    Effect.gen(function* () {
      const first = yield* provider(refusing(429, { "retry-after": "3600" }))
      const second = yield* provider(anthropic())
      const { run } = yield* (yield* testKernel()).start
      const options = {
        model: yield* modelAt(first.url, "openai-compatible"),
        fallbacks: [{ model: yield* modelAt(second.url, "anthropic"), on: ["rate-limited" as const] }],
      }
      expect(yield* run(running("t", options))).toMatchObject({ outcome: "achieved" })
      expect([first.asked.length, second.asked.length]).toEqual([1, 1])
      expect(failuresIn(yield* run(eventsOf("t")))).toMatchObject([
        { kind: "rate-limited", retryAfterMs: 3_600_000, fallbackTo: "anthropic/claude-sonnet-4-5" },
      ])
    }),
  )

  it.scopedLive("asks only models whose conditions hold, in their order, and fails where none is left", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel({ plugins: [counter] })).start
      const one = model([failed("context-too-long", "too long")], "one")
      const two = model([], "two")
      const three = model([[call("a", "counter__add", { by: 1 })], failed("refused", "no"), [text("unasked")]], "three")
      const options = {
        model: one.model,
        fallbacks: [two.model, { model: three.model, on: ["context-too-long", "refused"] as const }],
      }
      const exit = yield* Effect.exit(run(running("t", options)))
      expect(exit._tag).toBe("Failure")
      expect([one, two, three].map(({ requests }) => requests.length)).toEqual([1, 0, 2])
      const failures = failuresIn(yield* run(eventsOf("t")))
      expect(failures).toMatchObject([{ fallbackTo: "test/three" }, { kind: "refused" }])
      expect(failures[1]).not.toHaveProperty("fallbackTo")
      // A replay with models that answer nothing fails in the same way.
      const silent = { ...options, model: model([], "one").model }
      const replayed = yield* run(Effect.flatMap(Kernel, ({ replay }) => replay("t", fromModel(silent))))
      expect(replayed).toMatchObject({ complete: true })
    }),
  )

  it.scopedLive("is followed in a fork, also by an agent with another model and no fallbacks", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel({ plugins: [counter] })).start
      const one = model([failed("context-too-long", "too long")], "one")
      const two = model([[call("a", "counter__add", { by: 1 })], [text("Done.")]], "two")
      const fallbacks = [{ model: two.model, on: ["context-too-long"] as const }]
      yield* run(running("t", { model: one.model, fallbacks }))
      const asked = (yield* run(eventsOf("t"))).filter(({ type }) => type === "ModelCalled").at(-1)
      const other = model([[text("Done, too.")]], "other")
      const forked = yield* run(
        Effect.flatMap(Kernel, ({ fork }) =>
          fork(fromModel({ model: other.model }), { task: "t", at: (asked?.position ?? 0) - 1 }),
        ),
      )
      expect(other.requests).toHaveLength(1)
      expect(JSON.stringify(other.requests[0]?.messages)).toContain("counter__add")
      expect(forked).toMatchObject({ audit: { outcome: "achieved" } })
    }),
  )

  it("refuses conditions that nobody knows", () => {
    const given = (fallback: unknown) => () => fromModel({ model: "openai/gpt-5", fallbacks: [fallback as string] })
    for (const wrong of [7, {}, { model: "openai/gpt-5", on: [] }, { model: "openai/gpt-5", on: ["busy"] }]) {
      expect(given(wrong)).toThrow(/fallbacks/)
    }
    expect(given({ model: "openai/gpt-5", on: ["cancelled"] })).toThrow(/fallbacks/)
    expect(given("opena/gpt-5")).toThrow(/opena/)
    expect(given({ model: "anthropic/claude-opus-4-6", on: ["refused"] })).not.toThrow()
  })
})

describe("the rate limit of a kernel", () => {
  /** Tasks that ask one model at the same time, under the clock of the test. */
  const together = (count: number, of: Model, options: Parameters<typeof testKernel>[0] = {}) =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel(options)).start
      const working = yield* Effect.forEach(
        Array.from({ length: count }, (_, index) => `t${index}`),
        (id) => Effect.fork(run(running(id, { model: of }))),
      )
      const delayed = (number: number) => run(seen(({ type }) => type === "ModelCallDelayed", number))
      return { run, working, delayed, join: Fiber.joinAll(working) }
    })

  it.scoped("is shared by all tasks: each waits for its turn, and the log says how long and why", () =>
    Effect.gen(function* () {
      const { url, asked } = yield* provider(anthropic())
      const of = yield* modelAt(url, "anthropic")
      const { run, delayed, join } = yield* together(3, of, { rateLimits: { "anthropic/*": { requestsPerMinute: 1 } } })
      yield* delayed(2)
      yield* run(seen(({ type }) => type === "TaskClosed"))
      expect(asked).toHaveLength(1)
      yield* TestClock.adjust(60_000)
      yield* run(seen(({ type }) => type === "TaskClosed", 2))
      expect(asked).toHaveLength(2)
      yield* TestClock.adjust(60_000)
      const audits = yield* join
      expect(audits.map(({ outcome }) => outcome)).toEqual(["achieved", "achieved", "achieved"])
      const all = (yield* Effect.forEach(["t0", "t1", "t2"], (id) => run(eventsOf(id)))).flat()
      const waits = all.flatMap(({ type, payload }) => (type === "ModelCallDelayed" ? [payload] : []))
      expect(waits.map(({ waitMs }) => waitMs).sort()).toEqual([120_000, 60_000].sort())
      expect(waits).toMatchObject([{ provider: "anthropic", because: "requests" }, { because: "requests" }])
      // A replay does not wait.
      const waited = waits[0] === undefined ? "" : (all.find(({ payload }) => payload === waits[0])?.taskId ?? "")
      const replayed = yield* run(Effect.flatMap(Kernel, ({ replay }) => replay(waited, fromModel({ model: of }))))
      expect(replayed).toMatchObject({ verdict: "identical", complete: true })
    }),
  )

  it.scoped.each([
    [
      "anthropic",
      anthropic({
        "anthropic-ratelimit-requests-limit": "5",
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": "2026-11-30T12:00:30Z",
        date: "Mon, 30 Nov 2026 12:00:00 GMT",
      }),
      "requests",
    ],
    [
      "openai-compatible",
      compatible({
        "x-ratelimit-limit-tokens": "5000",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "30s",
      }),
      "tokens",
    ],
  ] as const)("is learned from the answers of %s", ([name, reply, because]) =>
    Effect.gen(function* () {
      const { url, asked } = yield* provider(reply)
      const of = yield* modelAt(url, name)
      const { run } = yield* (yield* testKernel()).start
      yield* run(running("first", { model: of }))
      const second = yield* Effect.fork(run(running("second", { model: of })))
      const delayed = yield* run(seen(({ type }) => type === "ModelCallDelayed"))
      expect(delayed.payload).toMatchObject({ because, waitMs: 30_000 })
      yield* TestClock.adjust(29_999)
      expect(asked).toHaveLength(1)
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(second)).toMatchObject({ outcome: "achieved" })
      expect(asked).toHaveLength(2)
    }),
  )

  it.scoped("is learned from a refusal: the other tasks wait as long as the provider asks", () =>
    Effect.gen(function* () {
      const { url, asked } = yield* provider((response, number) =>
        number === 1 ? refusing(429, { "retry-after": "20" })(response, number) : anthropic()(response, number),
      )
      const of = yield* modelAt(url, "anthropic")
      const { run } = yield* (yield* testKernel()).start
      const first = yield* Effect.fork(run(running("first", { model: of })))
      yield* run(seen(({ type }) => type === "ModelFailed"))
      const second = yield* Effect.fork(run(running("second", { model: of })))
      const delayed = yield* run(seen(({ type }) => type === "ModelCallDelayed"))
      expect(delayed).toMatchObject({ taskId: "second", payload: { because: "retry-after", waitMs: 20_000 } })
      expect(asked).toHaveLength(1)
      yield* TestClock.adjust(20_000)
      const audits = yield* Effect.all([Fiber.join(first), Fiber.join(second)])
      expect(audits.map(({ outcome }) => outcome)).toEqual(["achieved", "achieved"])
      expect(asked).toHaveLength(3)
    }),
  )

  it.scoped("makes a request that already waits wait on after a refusal of another", () =>
    Effect.gen(function* () {
      const { url, asked } = yield* provider((response, number) =>
        number === 1 ? refusing(429, { "retry-after": "90" })(response, number) : anthropic()(response, number),
      )
      const of = yield* modelAt(url, "anthropic")
      const { run } = yield* (yield* testKernel({ rateLimits: { "anthropic/*": { requestsPerMinute: 1 } } })).start
      const answer = yield* Deferred.make<void>()
      const slow: Model = {
        ...of,
        turn: (...request) => Effect.zipRight(Deferred.await(answer), of.turn(...request)),
      }
      const first = yield* Effect.fork(run(running("first", { model: slow, retries: 0 })))
      yield* run(seen(({ type }) => type === "ModelCalled"))
      const second = yield* Effect.fork(run(running("second", { model: of })))
      const delayed = yield* run(seen(({ type }) => type === "ModelCallDelayed"))
      expect(delayed.payload).toMatchObject({ because: "requests", waitMs: 60_000 })
      yield* Deferred.succeed(answer, undefined)
      yield* run(seen(({ type }) => type === "ModelFailed"))
      yield* Fiber.await(first)
      yield* TestClock.adjust(60_000)
      yield* run(seen(({ type }) => type === "ModelCallDelayed", 2))
      expect(asked).toHaveLength(1)
      yield* TestClock.adjust(30_000)
      expect(yield* Fiber.join(second)).toMatchObject({ outcome: "achieved" })
      const waits = (yield* run(eventsOf("second"))).filter(({ type }) => type === "ModelCallDelayed")
      expect(waits.map(({ payload }) => payload)).toMatchObject([
        { because: "requests", waitMs: 60_000 },
        { because: "retry-after", waitMs: 30_000 },
      ])
    }),
  )

  it.scoped("is counted from the headers of an answer, however long it streams", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const runtime = yield* Effect.runtime()
      const ends: Array<() => void> = []
      const headers = {
        "x-ratelimit-limit-requests": "5",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "30s",
      }
      const { url } = yield* provider((response, number) => {
        if (number > 1) return compatible()(response, number)
        response.writeHead(200, { "content-type": "text/event-stream", ...headers })
        const piece = { id: "c", object: "chat.completion.chunk", created: 0, model: "qwen3" }
        const choices = [{ index: 0, delta: { role: "assistant", content: "Done." }, finish_reason: null }]
        response.write(`data: ${JSON.stringify({ ...piece, choices })}\n\n`)
        ends.push(() => {
          const last = { ...piece, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }
          response.end(`data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`)
        })
      })
      const of = yield* modelAt(url, "openai-compatible")
      const { run } = yield* (yield* testKernel()).start
      const onDelta = () => Runtime.runFork(runtime)(Deferred.succeed(begun, undefined))
      const first = yield* Effect.fork(run(running("first", { model: of, onDelta })))
      yield* Deferred.await(begun)
      yield* TestClock.adjust(20_000)
      for (const end of ends) end()
      yield* Fiber.join(first)
      const second = yield* Effect.fork(run(running("second", { model: of })))
      const delayed = yield* run(seen(({ type }) => type === "ModelCallDelayed"))
      expect(delayed.payload).toMatchObject({ because: "requests", waitMs: 10_000 })
      yield* TestClock.adjust(10_000)
      expect(yield* Fiber.join(second)).toMatchObject({ outcome: "achieved" })
    }),
  )

  it.scoped("outlives a model that fails with numbers that mean nothing", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel()).start
      const bad = [Number.NaN, Number.POSITIVE_INFINITY, -5].map(
        (wait) =>
          new ModelCallFailed({
            provider: "test",
            model: "one",
            kind: "overloaded",
            reason: "busy",
            retryAfterMs: wait,
            limits: { requests: { remaining: 0, resetMs: wait }, tokens: { remaining: wait, resetMs: 5 } },
          }),
      )
      const { model: of } = model([...bad, [text("Done.")], [text("Done.")]])
      const first = yield* Effect.fork(run(running("first", { model: of })))
      for (const number of [1, 2, 3]) {
        yield* run(seen(({ type }) => type === "ModelFailed", number))
        yield* TestClock.adjust(60_000)
      }
      expect(yield* Fiber.join(first)).toMatchObject({ outcome: "achieved" })
      expect(yield* run(running("second", { model: of }))).toMatchObject({ outcome: "achieved" })
      const failures = failuresIn(yield* run(eventsOf("first")))
      expect(failures).toHaveLength(3)
      for (const failure of failures) {
        expect(failure).not.toHaveProperty("retryAfterMs")
        expect(Reflect.get(failure, "retryInMs")).toBeGreaterThan(0)
      }
    }),
  )

  it.scoped("keeps its estimate of a request's tokens where the use is unknown", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel({ rateLimits: { "test/*": { tokensPerMinute: 3_000 } } })).start
      const usage = { inputTokens: 0, outputTokens: 0, unknown: ["inputTokens", "outputTokens"] as const }
      const { model: of } = model([
        () => Effect.succeed({ parts: [text("Done.")], finish: "stop" as const, usage }),
        [text("Done.")],
      ])
      const options = { model: of, guide: { systemPrompt: "x".repeat(8_000) } }
      yield* run(running("first", options))
      const second = yield* Effect.fork(run(running("second", options)))
      const next = yield* run(
        seen(({ type, taskId }) => taskId === "second" && (type === "ModelCallDelayed" || type === "ModelCalled")),
      )
      expect(next).toMatchObject({ type: "ModelCallDelayed", payload: { because: "tokens", waitMs: 60_000 } })
      yield* TestClock.adjust(60_000)
      expect(yield* Fiber.join(second)).toMatchObject({ outcome: "achieved" })
    }),
  )

  it.scoped("counts no tokens for the length of a file", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel({ rateLimits: { "test/*": { tokensPerMinute: 20_000 } } })).start
      const picture = { type: "file", mediaType: "image/png", data: "A".repeat(100_000) } as const
      const log = yield* run(EventLog)
      const seeing = model([
        () =>
          Effect.orDie(say("t", [text("See"), picture])).pipe(
            Effect.provideService(EventLog, log),
            Effect.as(turn([text("Ready.")])),
          ),
        [text("I see.")],
      ])
      const working = yield* Effect.fork(run(running("t", { model: seeing.model })))
      const isNext = ({ type }: { readonly type: string }) => type === "ModelCallDelayed" || type === "TaskClosed"
      expect(yield* run(seen(isNext))).toMatchObject({ type: "TaskClosed" })
      expect(yield* Fiber.join(working)).toMatchObject({ outcome: "achieved" })
      expect(seeing.requests[1]?.messages.at(-1)?.content).toContainEqual(picture)
    }),
  )

  it.scopedLive("refuses a request that would wait for longer than the task's time allows, without sending it", () =>
    Effect.gen(function* () {
      const { url, asked } = yield* provider(anthropic())
      const of = yield* modelAt(url, "anthropic")
      const { run } = yield* (yield* testKernel({
        rateLimits: { "anthropic/claude-sonnet-4-5": { requestsPerMinute: 1 } },
      })).start
      yield* run(running("first", { model: of }))
      const exit = yield* Effect.exit(run(running("second", { model: of, budget: { wallMs: 20_000 } })))
      expect(String(exit)).toContain("rate-limited")
      expect(asked).toHaveLength(1)
      const [failure] = failuresIn(yield* run(eventsOf("second")))
      expect(failure).toMatchObject({ kind: "rate-limited", reason: expect.stringContaining("nothing was asked") })
      const other = yield* provider(compatible())
      const fallbacks = [yield* modelAt(other.url, "openai-compatible")]
      const third = yield* run(running("third", { model: of, fallbacks, budget: { wallMs: 20_000 } }))
      expect(third).toMatchObject({ outcome: "achieved" })
      expect([asked.length, other.asked.length]).toEqual([1, 1])
    }),
  )

  it.scopedLive.each([
    [{ anthropic: { requestsPerMinute: 1 } }],
    [{ "anthropic/*": { requestsPerMinute: 0 } }],
    [{ "anthropic/*": { perMinute: 1 } }],
    [{ "anthropic/*": 5 }],
  ])("is refused where it means nothing: %j", ([rateLimits]) =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const options = { log: `${directory}/log.db`, workspace: directory, rateLimits: rateLimits as never }
      const refused = yield* Effect.flip(Effect.scoped(Effect.provide(Effect.void, Hindcast.layer(options))))
      expect(String((refused as Error).message)).toContain("rateLimits")
    }),
  )
})
