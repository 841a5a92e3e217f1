import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { describe, expect } from "vitest"
import { fromModel } from "../../src/agents/ModelAgent.ts"
import type { ModelAgentOptions } from "../../src/agents/ModelAgentOptions.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { Registry } from "../../src/kernel/registry/Registry.ts"
import { seen } from "../kernel/given.ts"
import { type TestKernelOptions, testKernel } from "../kernel/testKernel.ts"
import { temporaryDirectory } from "../temporary.ts"
import { eventsOf, model, text } from "./given.ts"
import { gatewayKernel } from "./models/pluginSubject.ts"
import { KEY, mockServer } from "./models/servers.ts"

/** Writes a plugin with a provider. */
const writeProvider = (directory: string, entry: string, more: object = {}) => {
  fs.mkdirSync(directory, { recursive: true })
  const rewards = [{ name: "opened", when: "A task is opened.", weight: 0.1, rule: "event.type == 'TaskOpened'" }]
  const manifest = {
    name: "acme",
    description: "A provider of a test",
    version: "2.0.0",
    entry: "main.ts",
    permissions: { read: [], run: [] },
    peas: { performance: [{ name: "m", description: "d", rewards }] },
    provider: { description: "Models of a test", models: [{ name: "small" }] },
    ...more,
  }
  fs.writeFileSync(path.join(directory, "looper-plugin.json"), JSON.stringify(manifest))
  fs.writeFileSync(path.join(directory, "main.ts"), entry)
  return directory
}

/** A kernel with a provider whose `generate` has this body, with `history`, `tools`, `context` and `calls`. */
const kernelWith = (body: string, more: object = {}, options: TestKernelOptions = {}, star = "") =>
  Effect.gen(function* () {
    const entry = `let calls = 0
      const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
      const fail = (code, more = {}) => { throw Object.assign(new Error("it failed"), { code, ...more }) }
      export default { provider: { async ${star}generate(history, tools, context) { calls++; ${body} } } }`
    const directory = writeProvider(path.join(yield* temporaryDirectory, "acme"), entry, more)
    return yield* (yield* testKernel({ plugins: [directory], ...options })).start
  })

const running = (options: Partial<ModelAgentOptions> = {}, id = "t") =>
  Effect.flatMap(Kernel, ({ tasks }) =>
    tasks.run(fromModel({ model: "acme/small", retries: 0, ...options }), { goal: "Go", id }),
  )

const replaying = (options: Partial<ModelAgentOptions> = {}) =>
  Effect.flatMap(Kernel, ({ replay }) => replay("t", fromModel({ model: "acme/small", retries: 0, ...options })))

const ofType = (type: string, events: ReadonlyArray<Event>) => events.filter((event) => event.type === type)

const ANSWER = `return { is_final: true, text_content: "Done." }`

/** How a task with this provider fails: the failure that the log has. */
const failureOf = (body: string, more: object = {}, star = "") =>
  Effect.gen(function* () {
    const { run } = yield* kernelWith(body, more, {}, star)
    yield* Effect.exit(run(running()))
    const events = yield* run(eventsOf("t"))
    // A replay fails in the same way, and asks no plugin.
    expect(yield* run(replaying())).toMatchObject({ complete: true, divergence: null })
    return ofType("ModelFailed", events).map(({ payload }) => payload)[0]
  })

describe("a model of a plugin", () => {
  it.scopedLive("is used by its name, reaches its server by the host, and is recorded as any model", () =>
    Effect.gen(function* () {
      const mock = yield* mockServer
      const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 }
      mock.onMessage("Go", { content: "It is done, said the model.", usage })
      const { run, directory } = yield* gatewayKernel(mock.url)
      const deltas: Array<string> = []
      const told = { onDelta: ({ text }: { readonly text: string }) => deltas.push(text) }
      expect(yield* run(running({ model: "gateway/small", ...told }))).toMatchObject({ outcome: "achieved" })
      expect(deltas.length).toBeGreaterThan(1)
      expect(deltas.join("")).toBe("It is done, said the model.")
      const events = yield* run(eventsOf("t"))
      const [called] = ofType("ModelCalled", events)
      expect(called?.payload).toMatchObject({ provider: "gateway", model: "small" })
      // 1,000 tokens at 0.10 and 100 at 0.40 dollars for a million.
      expect(ofType("ModelResponded", events)[0]?.payload).toMatchObject({
        usage: { inputTokens: 1000, outputTokens: 100 },
        cost: { usd: 0.00014, prices: "gateway@1.0.0" },
      })
      const [requested] = ofType("BrokerRequested", events)
      expect(requested).toMatchObject({
        causationId: called?.id,
        payload: { plugin: "gateway", method: "fetch", request: { url: `${mock.url}/v1/chat/completions` } },
      })
      expect(fs.readFileSync(path.join(directory, "log.db")).includes(KEY)).toBe(false)
      // The price of the other model is not declared, so its cost is unknown.
      yield* run(running({ model: "gateway/large" }, "u"))
      expect(ofType("ModelResponded", yield* run(eventsOf("u")))[0]?.payload).not.toHaveProperty("cost")
      const asked = mock.getRequests().length
      expect(yield* run(replaying({ model: "gateway/small" }))).toMatchObject({ verdict: "identical", complete: true })
      expect(mock.getRequests()).toHaveLength(asked)
    }),
  )

  it.scopedLive("is not asked with a budget of money if its price is unknown", () =>
    Effect.gen(function* () {
      const { run } = yield* kernelWith(ANSWER)
      yield* Effect.exit(run(running({ budget: { usd: 1 } })))
      expect(ofType("ModelFailed", yield* run(eventsOf("t")))[0]?.payload).toMatchObject({
        kind: "invalid-request",
        reason: expect.stringContaining("its price is unknown"),
      })
    }),
  )

  it.scopedLive("gets the conversation, the tools and the agent's wishes, and its class the variables", () =>
    Effect.gen(function* () {
      const entry = `export default { provider: class {
        constructor(config) { this.config = config }
        generate(history, tools, { model, settings }) {
          return { is_final: true, text_content: JSON.stringify({ history, tools, model, settings, config: this.config }) }
        }
      } }`
      const directory = writeProvider(path.join(yield* temporaryDirectory, "acme"), entry, {
        variables: [{ key: "place", value: "here" }],
      })
      const { run } = yield* (yield* testKernel({ plugins: [directory] })).start
      yield* run(
        running({
          guide: { systemPrompt: "Be terse.", temperature: 0.5 },
          maxOutputTokens: 9,
          providerOptions: { acme: { tone: "dry" }, openai: { other: true } },
        }),
      )
      const [said] = ofType("MessageSent", yield* run(eventsOf("t")))
      const got = JSON.parse(String(said?.payload.content))
      expect(got).toMatchObject({
        model: "small",
        config: { place: "here" },
        settings: { temperature: 0.5, maxOutputTokens: 9, options: { tone: "dry" } },
        history: [
          { role: "system", content: [{ type: "text", text: expect.stringContaining("Be terse.") }] },
          { role: "user", content: [{ type: "text", text: "Go" }] },
        ],
      })
      expect(got.settings.options).toEqual({ tone: "dry" })
    }),
  )

  it.scopedLive("takes over from another model, and another from it", () =>
    Effect.gen(function* () {
      const { run } = yield* kernelWith(
        `return calls > 1 ? fail("overloaded") : { is_final: true, text_content: "Done." }`,
      )
      const other = () => model([text("And done.")].map((part) => [part])).model
      expect(yield* run(running({ model: "acme/small", fallbacks: [other()] }))).toMatchObject({ outcome: "achieved" })
      expect(yield* run(running({ fallbacks: [other()] }, "u"))).toMatchObject({ outcome: "achieved" })
      expect(ofType("ModelFailed", yield* run(eventsOf("u")))[0]?.payload).toMatchObject({
        kind: "overloaded",
        fallbackTo: "test/one",
      })
    }),
  )

  it.scopedLive("that no plugin has is an error that lists those of the plugins", () =>
    Effect.gen(function* () {
      const { run } = yield* kernelWith(ANSWER)
      const failed = yield* Effect.flip(run(running({ model: "acme/smal" })))
      expect(String(failed)).toContain("a model of an active plugin (acme/small)")
      expect(String(failed)).toContain("Did you mean acme/small?")
      const none = yield* Effect.flip(run(running({ model: "nobody/any" }, "u")))
      expect(String(none)).toContain(`found "nobody/any"`)
      // A typing mistake in the name of a built-in provider is found before a task.
      expect(() => fromModel({ model: "antropic/claude" })).toThrow(/Did you mean anthropic/)
      expect(() => fromModel({ model: "acme" })).toThrow(/provider\/model/)
    }),
  )

  it.scopedLive("of a plugin that a person deactivated is no longer there", () =>
    Effect.gen(function* () {
      const { run } = yield* kernelWith(ANSWER)
      yield* run(Effect.flatMap(Registry, ({ deactivate }) => deactivate("acme")))
      expect(String(yield* Effect.flip(run(running())))).toContain("they have none")
    }),
  )
})

describe("a provider that fails", () => {
  it.scopedLive.each([
    ["no object", `return "Done."`],
    ["nothing", ""],
    ["another field", `return { is_final: true, text_content: "Done.", mood: "good" }`],
    [
      "a final answer with calls",
      `return { is_final: true, text_content: "x", tool_calls: [{ name: "a", args: {} }] }`,
    ],
    ["a final answer without text", `return { is_final: true }`],
    ["an answer that neither ends nor calls", `return { is_final: false, text_content: "Well" }`],
    [
      "a negative number of tokens",
      `return { ...${"{ is_final: true, text_content: 'x' }"}, usage: { input_tokens: -1, output_tokens: 1 } }`,
    ],
    ["no JSON", `return { is_final: true, text_content: "x", tool_calls: [{ name: "a", args: () => 1 }] }`],
    ["__proto__", `return JSON.parse('{"is_final":true,"text_content":"x","__proto__":{"a":1}}')`],
  ] as const)("by an answer that is %s is unreadable", ([, body]) =>
    Effect.gen(function* () {
      expect(yield* failureOf(body)).toMatchObject({ kind: "unreadable" })
    }),
  )

  it.scopedLive.each([
    ["a kind", `fail("refused")`, { kind: "refused", reason: "it failed" }],
    ["a wait", `fail("rate-limited", { retryAfterMs: 1234 })`, { kind: "rate-limited", retryAfterMs: 1234 }],
    ["a mistake of its own", `undefined.x`, { kind: "invalid-request", reason: expect.stringContaining("TypeError") }],
    ["a kind that is the agent's", `fail("cancelled")`, { kind: "invalid-request" }],
    ["a fetch without a grant", `await context.fetch("http://example.org/")`, { kind: "invalid-request" }],
    [
      "a response",
      `fail("x", { response: { status: 529, url: "http://a.b/", headers: { "retry-after": "7" }, body: "busy" } })`,
      { kind: "overloaded", retryAfterMs: 7000, reason: "HTTP 529: it failed" },
    ],
  ] as const)("by an error with %s says so", ([, body, expected]) =>
    Effect.gen(function* () {
      expect(yield* failureOf(body)).toMatchObject(expected)
    }),
  )

  it.scopedLive.each([
    ["ends without an answer", `yield { text_content: "Half" }`, "cut-off"],
    ["ends its process", `yield { text_content: "Half" }; await wait(20); Deno.exit(3)`, "cut-off"],
    ["yields nonsense", `yield { text_content: "Half" }; yield 7`, "unreadable"],
    [
      "contradicts itself",
      `yield { text_content: "Half" }; return { is_final: true, text_content: "Whole" }`,
      "unreadable",
    ],
  ] as const)("by a stream that %s is no answer, and what came is recorded", ([, body, kind]) =>
    Effect.gen(function* () {
      expect(yield* failureOf(body, {}, "*")).toMatchObject({ kind, response: [{ type: "text", text: "Half" }] })
    }),
  )

  it.scopedLive("by a stream without end is ended once it is longer than any answer", () =>
    Effect.gen(function* () {
      const endless = `for (;;) { yield { text_content: "x".repeat(500_000) }; await wait(1) }`
      expect(yield* failureOf(endless, {}, "*")).toMatchObject({
        kind: "invalid-request",
        reason: expect.stringContaining("more than 4194304 characters"),
      })
    }),
  )

  it.scopedLive("by silence is timed-out; pieces of its answer show that it works", () =>
    Effect.gen(function* () {
      const provider = { description: "d", models: [{ name: "small" }], timeout: 1500 }
      const more = { provider }
      expect(yield* failureOf("await wait(60_000)", more)).toMatchObject({
        kind: "timed-out",
        reason: expect.stringContaining("1500 ms"),
      })
      const slow = `for (const piece of "slowly") { await wait(300); yield { text_content: piece } }
        return { is_final: true }`
      const { run } = yield* kernelWith(slow, more, {}, "*")
      expect(yield* run(running())).toMatchObject({ outcome: "achieved" })
    }),
  )

  it.scopedLive("by a ruling of the gate says that it was denied", () =>
    Effect.gen(function* () {
      const mock = yield* mockServer
      mock.onMessage("Go", { content: "Done." })
      const gate = { default: "allow", requests: { default: "deny" } } as const
      const { run } = yield* gatewayKernel(mock.url, { gate })
      yield* Effect.exit(run(running({ model: "gateway/small" })))
      const events = yield* run(eventsOf("t"))
      expect(ofType("BrokerDenied", events)).toHaveLength(1)
      expect(ofType("ModelFailed", events)[0]?.payload).toMatchObject({
        kind: "invalid-request",
        reason: expect.stringContaining("RequestDenied"),
      })
    }),
  )

  it.scopedLive("is not heard any more once its request was cancelled", () =>
    Effect.gen(function* () {
      // It answers in any case, late, and then answers the next request.
      const { run } = yield* kernelWith(`const own = calls; context.log("asked " + own)
        if (own === 1) { await wait(300); context.log("late") }
        return { is_final: true, text_content: "Answer " + own }`)
      const working = yield* Effect.fork(run(running()))
      yield* run(seen(({ type, payload }) => type === "PluginLogged" && payload.message === "asked 1"))
      yield* Fiber.interrupt(working)
      yield* run(seen(({ type, payload }) => type === "PluginLogged" && payload.message === "late"))
      expect(yield* run(running({}, "u"))).toMatchObject({ outcome: "achieved" })
      const events = yield* run(eventsOf("t"))
      expect(ofType("ModelFailed", events)).toMatchObject([{ payload: { kind: "cancelled" } }])
      expect(ofType("ModelResponded", events)).toEqual([])
      expect(ofType("MessageSent", yield* run(eventsOf("u")))).toMatchObject([{ payload: { content: "Answer 2" } }])
      const all = yield* run(Effect.flatMap(EventLog, (log) => log.readPage({ types: ["PluginMisbehaved"] }, 10)))
      expect(all).toEqual([])
    }),
  )

  it.scopedLive("to export what its manifest declares does not start, which is no failure that passes", () =>
    Effect.gen(function* () {
      const directory = writeProvider(path.join(yield* temporaryDirectory, "acme"), "export default {}")
      const { run } = yield* (yield* testKernel({ plugins: [directory] })).start
      yield* Effect.exit(run(running({ retries: 3 })))
      const failures = ofType("ModelFailed", yield* run(eventsOf("t")))
      expect(failures.map(({ payload }) => payload)).toMatchObject([
        { kind: "unknown-model", reason: expect.stringContaining("provider") },
      ])
    }),
  )
})
