import { describe, expect, it } from "vitest"
import type { Message } from "../../../src/agents/models/Message.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import * as Requests from "../../../src/projections/request/Requests.ts"
import type { WholeRequest } from "../../../src/projections/request/WholeRequest.ts"
import type { ModelRequest } from "../../../src/providers/WireFormat.ts"
import { askedBy } from "../../../src/providers/WireFormats.ts"
import * as NormalizedMessage from "../../../src/record/conversations/NormalizedMessage.ts"
import * as RecordedFetch from "../../../src/record/http/RecordedFetch.ts"
import * as LiveRun from "../../../src/record/LiveRun.ts"
import * as OutgoingRequests from "../../../src/record/proxy/OutgoingRequests.ts"
import * as ProviderProxy from "../../../src/record/proxy/ProviderProxy.ts"
import type { Json } from "../../../src/values/Json.ts"
import { chat, type Exchange, exchangesOf, serving } from "../../record/exchanged.ts"
import { eventsOf, temporary } from "../../record/recorded.ts"

const NAMES = [
  "anthropic-tool-runner-thread-lost",
  "boto3-retry-pair",
  "boto3-sigv4-converse-two-turns",
  "claude-agent-sdk-tool-turn",
  "google-genai-auto-function-calling",
  "google-genai-interactions-two-turns",
  "langgraph-chatopenai-responses-tool-turns",
  "mistral-second-turn",
  "openai-agents-previous-response-id",
  "openai-chat-second-turn",
  "openai-chat-stream-cut-cleanly",
  "openai-responses-no-final-newline",
  "openai-retry-pair",
  "pydantic-ai-anthropic-claude-sonnet-4-5",
  "smolagents-openaiservermodel",
]

const byFetch = async (exchanges: ReadonlyArray<Exchange>): Promise<ReadonlyArray<Event>> => {
  const log = temporary("fetched.db")
  await serving(exchanges, async (_, ask) => {
    const run = await LiveRun.begin({ log, goal: "Ask", agent: "clerk" }, () => {})
    const fetch = RecordedFetch.make({ exchange: run.exchange, fetch: globalThis.fetch, assertOpen: () => {} })
    for (const exchange of exchanges) await ask(fetch, exchange)
    await run.end("achieved")
  })
  return eventsOf(log)
}

const byProxy = async (exchanges: ReadonlyArray<Exchange>): Promise<ReadonlyArray<Event>> => {
  const log = temporary("proxied.db")
  await serving(exchanges, async (url) => {
    const run = await LiveRun.begin({ log, goal: "Ask", agent: "clerk" }, () => {}, { means: "proxy" })
    const env = { OPENAI_BASE_URL: `${url}/v1`, ANTHROPIC_BASE_URL: url, GOOGLE_GEMINI_BASE_URL: url }
    const forwarding = OutgoingRequests.make()
    const proxy = await ProviderProxy.recording({
      routes: ProviderProxy.routes(env),
      forwarding,
      env,
      exchange: run.exchange,
    })
    for (const { path, request } of exchanges) {
      const base = path.startsWith("/v1/messages")
        ? proxy.variables.ANTHROPIC_BASE_URL + path
        : /gemini|interactions/.test(path)
          ? proxy.variables.GOOGLE_GEMINI_BASE_URL + path
          : proxy.variables.OPENAI_BASE_URL + path.replace(/^\/v1/, "")
      const response = await fetch(base, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: request,
      })
      await response.text()
    }
    await proxy.close()
    forwarding.close()
    await run.end("achieved")
  })
  return eventsOf(log)
}

const sent = ({ path, request }: Exchange): ModelRequest => {
  const asked = askedBy("POST", { host: "127.0.0.1", path: path.split("?")[0] ?? path }, JSON.parse(request))
  if (asked === undefined) throw new Error(`expected a request to a model, found ${path}`)
  return asked.request
}

const requestsIn = (events: ReadonlyArray<Event>): ReadonlyArray<WholeRequest> =>
  Requests.turnsIn(events).flatMap(({ position }) => Requests.wholeRequest(events, position) ?? [])

/** By meaning: clients rewrite answers when they send them back. */
const meaning = (messages: ReadonlyArray<{ readonly role: string; readonly content: unknown }>) =>
  messages.map((message) => NormalizedMessage.of(message as Message))

const expectSent = (events: ReadonlyArray<Event>, exchanges: ReadonlyArray<Exchange>) => {
  const found = requestsIn(events)
  expect(found).toHaveLength(exchanges.length)
  for (const [index, exchange] of exchanges.entries()) {
    const { system, tools, settings, messages, thread } = sent(exchange)
    const request = found[index]
    expect(request).toMatchObject({
      recordedBy: "recorder",
      system: { value: system },
      tools: { value: tools.map(({ name, description, args }) => ({ name, description, schema: args as Json })) },
      settings: { value: settings },
    })
    const told = meaning(request?.messages ?? [])
    if (thread === undefined) {
      expect(told).toEqual(meaning(messages))
      expect(request?.earlier).toBeNull()
    } else {
      expect(told.slice(-messages.length)).toEqual(meaning(messages))
    }
  }
}

describe("the whole request of a recorded program", () => {
  it.each(NAMES)("is the one that it sent by fetch: %s", async (name) => {
    const exchanges = exchangesOf(name)
    expectSent(await byFetch(exchanges), exchanges)
  })

  it.each(NAMES.filter((name) => !name.startsWith("boto3")))(
    "is the one that it sent through the proxy: %s",
    async (name) => {
      const exchanges = exchangesOf(name)
      expectSent(await byProxy(exchanges), exchanges)
    },
  )

  it("has the messages that its server keeps, as far as they were recorded, and says so", async () => {
    const exchanges = exchangesOf("openai-agents-previous-response-id")
    const found = requestsIn(await byFetch(exchanges))
    expect(found.map(({ messages }) => messages.map(({ role }) => role).join(" "))).toEqual([
      "user",
      "user assistant tool",
      "user assistant tool assistant user",
      "user assistant tool assistant user assistant tool",
    ])
    expect(found[1]?.notes).toEqual([
      "The program sent only the newest messages. The provider's server keeps the earlier ones.",
    ])
    const later = requestsIn(await byFetch(exchanges.slice(2)))
    expect(later[0]).toMatchObject({
      earlier: "The provider's server keeps the conversation, and no recorder saw its earlier messages.",
      messages: [{ role: "user" }],
    })
  })

  it("keeps conversations of one task apart, also where they take turns", async () => {
    const user = (content: string) => ({ role: "user", content })
    const assistant = (content: string) => ({ role: "assistant", content })
    const exchanges = [
      chat([user("one")], { content: "1" }),
      chat([user("two")], { content: "2" }),
      chat([user("one"), assistant("1"), user("more of one")], { content: "11" }),
      chat([user("two"), assistant("2"), user("more of two")], { content: "22" }),
    ]
    const events = await byFetch(exchanges)
    expectSent(events, exchanges)
    const found = requestsIn(events)
    expect(found.map(({ previous }) => previous)).toEqual([null, null, found[0]?.position, found[1]?.position])
    expect(found[2]?.messages.map(({ at }) => at)).toEqual([
      found[0]?.position,
      found[0]?.answer?.at,
      found[2]?.position,
    ])
  })

  it("says that a request was too long to be recorded whole", async () => {
    const exchanges = [chat([{ role: "user", content: "a".repeat(9_000_000) }], { content: "long" })]
    const [request] = requestsIn(await byFetch(exchanges))
    expect(request?.notes).toEqual([
      "The request was too long to be recorded whole. A mark in place of each missing text says how long it was.",
    ])
    expect(JSON.stringify(request?.messages).length).toBeLessThan(1_000)
  })

  it("belongs to one task of several, whose events alone name a conversation that they do not have", async () => {
    const exchanges = exchangesOf("openai-chat-second-turn")
    const events = await byFetch(exchanges)
    const calls = Requests.turnsIn(events)
    const rest = events.filter(({ position }) => position > (calls[0]?.position ?? 0))
    expect(Requests.wholeRequest(rest, calls[1]?.position ?? 0)).toMatchObject({
      earlier: "The request continues a conversation that is not in this task's events.",
      system: { notRecorded: "The request has the prompt of an earlier one that is not in this task's events." },
    })
  })
})

describe("the request of an event", () => {
  it("is the one behind its causes, not the last one before it", async () => {
    const user = (content: string) => ({ role: "user", content })
    const events = await byFetch([chat([user("one")], { content: "1" }), chat([user("two")], { content: "2" })])
    const [one, two] = Requests.turnsIn(events).map(({ position }) => position)
    const answers = events.filter(({ type }) => type === "ModelResponded").map(({ position }) => position)
    expect(answers.map((position) => Requests.requestAt(events, position))).toEqual([one, two])
    expect(Requests.requestAt(events, 1)).toBeUndefined()
    expect(Requests.requestAt(events, 9_999)).toBe(two)
  })
})
