import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as EventSummary from "../../src/projections/summary/EventSummary.ts"
import * as AwsEvents from "../../src/providers/AwsEvents.ts"
import { type Run, record, replayed } from "../../src/record/index.ts"
import { KEY, server } from "../agents/models/servers.ts"
import { eventsOf, temporary } from "./recorded.ts"

const of = (events: ReadonlyArray<Event>, type: string) => events.filter((event) => event.type === type)

/** A server that answers in pieces of some bytes, which cut characters and messages. */
const answering = (contentType: string, body: Uint8Array | string) =>
  server((_request, response) => {
    response.writeHead(200, { "content-type": contentType })
    const bytes = Buffer.from(body)
    const send = (at: number): void => {
      if (at >= bytes.length) response.end()
      else response.write(bytes.subarray(at, at + 100), () => setImmediate(send, at + 100))
    }
    send(0)
  })

const asked = async (fetch: typeof globalThis.fetch, url: string, body: object): Promise<Buffer> => {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) })
  return Buffer.from(await response.arrayBuffer())
}

const recording = (
  program: (run: Run) => Promise<unknown>,
  options: { readonly secrets?: ReadonlyArray<string> } = {},
) =>
  Effect.promise(async () => {
    const log = temporary("formats.db")
    const run = await record({ log, goal: "Ask", agent: "tester", ...options })
    await program(run)
    await run.end("achieved")
    return { log, events: await eventsOf(log) }
  })

const converse = (said: string) =>
  AwsEvents.bodyOf([
    ["messageStart", { role: "assistant" }],
    ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: said } }],
    ["messageStop", { stopReason: "end_turn" }],
    ["metadata", { usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 } }],
  ])

const bedrockBody = { messages: [{ role: "user", content: [{ text: "hello" }] }] }

describe("a binary answer of Bedrock", () => {
  it.scopedLive("reaches the program and a replay byte for byte, and the log as a turn", () =>
    Effect.gen(function* () {
      const body = converse("Grüße 北京 😀".repeat(40))
      const url = `${yield* answering(AwsEvents.MEDIA_TYPE, body)}/model/m/converse-stream`
      const got: Array<Buffer> = []
      const program = async (run: Run) => void got.push(await asked(run.fetch, url, bedrockBody))
      const { log, events } = yield* recording(program)
      yield* Effect.promise(() => replayed({ log }, program))
      expect(got).toEqual([Buffer.from(body), Buffer.from(body)])
      expect(of(events, "ModelResponded")[0]?.payload).toMatchObject({
        response: { parts: [{ type: "text", text: "Grüße 北京 😀".repeat(40) }], finish: "stop" },
        usage: { inputTokens: 3, outputTokens: 4 },
      })
    }),
  )

  it.scopedLive("is not kept where a key occurs in it", () =>
    Effect.gen(function* () {
      const url = `${yield* answering(AwsEvents.MEDIA_TYPE, converse(`The key is ${KEY}.`))}/model/m/converse-stream`
      const { events } = yield* recording((run) => asked(run.fetch, url, bedrockBody), { secrets: [KEY] })
      expect(JSON.stringify(events)).not.toContain(KEY)
      const [answered] = of(events, "IoAnswered")
      expect(answered?.payload.result).toMatchObject({ chunks: [], omitted: "a key occurs in it" })
    }),
  )
})

describe("an answer that is understood in part", () => {
  it.scopedLive("is an answer, which says by type what was not read, and keeps it", () =>
    Effect.gen(function* () {
      const hologram = { type: "hologram", data: "x" }
      const answer = {
        id: "gen-1",
        model: "m-2026",
        choices: [
          { index: 0, message: { content: [{ type: "text", text: "3" }, hologram, hologram] }, finish_reason: "stop" },
        ],
        usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, cost: 0.5 },
      }
      const url = `${yield* answering("application/json", JSON.stringify(answer))}/api/v1/chat/completions`
      const chat = { model: "m", messages: [{ role: "user", content: "hello" }] }
      const { events } = yield* recording((run) => asked(run.fetch, url, chat))
      expect(of(events, "ModelFailed")).toEqual([])
      const [responded] = of(events, "ModelResponded")
      const unread = { type: "item", kind: "hologram", item: hologram, unread: true }
      expect(responded?.payload).toMatchObject({
        response: {
          parts: [{ type: "text", text: "3" }, unread, unread],
          finish: "stop",
          id: "gen-1",
          model: "m-2026",
        },
        unread: [{ kind: "hologram", count: 2 }],
        // The provider's own word about the cost wins over a table.
        cost: { usd: 0.5, prices: "source" },
      })
      if (responded === undefined) throw new Error("expected an answer")
      expect(EventSummary.of(responded)).toContain("3 tokens in, 4 out")
      expect(EventSummary.of(responded)).toContain("not read: hologram (2)")
    }),
  )

  it.scopedLive("has unknown counts where the provider gives none, which are no zeros", () =>
    Effect.gen(function* () {
      const answer = { choices: [{ message: { content: "3" }, finish_reason: "stop" }], usage: { prompt_tokens: 3 } }
      const url = `${yield* answering("application/json", JSON.stringify(answer))}/v1/chat/completions`
      const chat = { model: "m", messages: [{ role: "user", content: "hello" }] }
      const { events } = yield* recording((run) => asked(run.fetch, url, chat))
      const [responded] = of(events, "ModelResponded")
      expect(responded?.payload.usage).toEqual({ inputTokens: 3, outputTokens: 0, unknown: ["outputTokens"] })
      if (responded === undefined) throw new Error("expected an answer")
      expect(EventSummary.of(responded)).toContain("3 tokens in, unknown tokens out")
    }),
  )
})

describe("embeddings", () => {
  it.scopedLive("are a call of a model, and no part of a conversation", () =>
    Effect.gen(function* () {
      const answer = { object: "list", data: [{ index: 0, embedding: [1, 2] }], usage: { prompt_tokens: 3 } }
      const url = `${yield* answering("application/json", JSON.stringify(answer))}/v1/embeddings`
      const body = { model: "m", input: "tea" }
      const { events } = yield* recording(async (run) => {
        await asked(run.fetch, url, body)
        await asked(run.fetch, url, body)
      })
      const called = of(events, "ModelCalled").map(({ payload }) => payload.request)
      expect(called).toMatchObject(
        [1, 2].map(() => ({ messages: [{ role: "user", content: [{ type: "text", text: "tea" }] }] })),
      )
      expect(called.some((request) => typeof request === "object" && request !== null && "after" in request)).toBe(
        false,
      )
      expect(of(events, "ModelResponded")[0]?.payload).toMatchObject({
        response: { parts: [{ type: "item", kind: "embeddings", item: { count: 1, dimensions: 2 } }] },
        usage: { inputTokens: 3, outputTokens: 0 },
      })
    }),
  )
})
