/** An agent in conversation with a fake of Anthropic's server that caches as its documentation of prompt caching says. */

import { createHash } from "node:crypto"
import { Effect } from "effect"
import { expect } from "vitest"
import { fromModel } from "../../../src/agents/ModelAgent.ts"
import type { ModelAgentOptions } from "../../../src/agents/ModelAgentOptions.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as Tool from "../../../src/kernel/program/Tool.ts"
import * as Saw from "../../../src/projections/request/Saw.ts"
import { events } from "../../kernel/given.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { modelAt, server } from "./servers.ts"

/** The blocks of a request to Anthropic, in the order in which its cache reads them, and which of them are marked. */
const blocksOf = ({ tools = [], system = [], messages }: Body) => {
  const all = [
    ...tools,
    ...system,
    ...messages.flatMap(({ role, content }) => content.map((block) => ({ role, ...block }))),
  ]
  return all.map(({ cache_control: mark, ...block }) => ({ text: JSON.stringify(block), mark }))
}

interface Block {
  readonly type?: string
  readonly cache_control?: { readonly type: string; readonly ttl?: string }
}

interface Body {
  readonly tools?: ReadonlyArray<Block>
  readonly system?: ReadonlyArray<Block>
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: ReadonlyArray<Block> }>
}

/** How many blocks before a mark the provider looks for an entry (its documentation of prompt caching). */
const LOOKBACK = 20

/** Anthropic's cache as its documentation describes it: a token is a character here, and nothing is too short. */
const promptCache = () => {
  const entries = new Set<string>()
  return (body: Body) => {
    const blocks = blocksOf(body)
    const hash = createHash("sha256")
    const prefixes = blocks.map(({ text }) => hash.update(`${text}\n`).copy().digest("hex"))
    const marks = blocks.flatMap(({ mark }, index) => (mark === undefined ? [] : [index]))
    const lengthTo = (index: number) => blocks.slice(0, index + 1).reduce((sum, { text }) => sum + text.length, 0)
    const found = marks.flatMap((mark) =>
      Array.from({ length: LOOKBACK }, (_, back) => mark - back).filter((at) => entries.has(prefixes[at] ?? "none")),
    )
    const [read, written] = [Math.max(-1, ...found), Math.max(-1, ...marks)]
    for (const mark of marks) entries.add(prefixes[mark] ?? "none")
    return {
      marks: blocks.flatMap(({ mark }) => (mark === undefined ? [] : [mark])),
      all: lengthTo(blocks.length - 1),
      read: lengthTo(read),
      written: Math.max(0, lengthTo(written) - lengthTo(read)),
    }
  }
}

/** A server of Anthropic's that calls a tool `turns` times, then is done. It counts what it read from its cache. */
const anthropic = (turns: number) =>
  Effect.gen(function* () {
    const cache = promptCache()
    const asked: Array<ReturnType<typeof cache>> = []
    const bodies: Array<Body & { readonly [field: string]: unknown }> = []
    const url = yield* server((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const body = JSON.parse(Buffer.concat(chunks).toString())
        bodies.push(body)
        const counted = cache(body)
        asked.push(counted)
        response.writeHead(200, { "content-type": "text/event-stream" })
        for (const event of answer(asked.length, asked.length > turns, counted)) {
          response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
        }
        response.end()
      })
    })
    return { url, asked, bodies }
  })

const answer = (
  number: number,
  isLast: boolean,
  { all, read, written }: { all: number; read: number; written: number },
) => [
  {
    type: "message_start",
    message: {
      ...{ id: `msg_${number}`, type: "message", role: "assistant", model: "claude-sonnet-4-5", content: [] },
      usage: {
        input_tokens: all - read - written,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: written,
        output_tokens: 1,
      },
    },
  },
  ...(isLast
    ? [
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Done." } },
      ]
    : [
        {
          type: "content_block_start",
          index: 0,
          content_block: { type: "tool_use", id: `toolu_${number}`, name: "program__step", input: {} },
        },
        { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: "{}" } },
      ]),
  { type: "content_block_stop", index: 0 },
  {
    type: "message_delta",
    delta: { stop_reason: isLast ? "end_turn" : "tool_use", stop_sequence: null },
    usage: { output_tokens: 5 },
  },
  { type: "message_stop" },
]

const step = Tool.make({ description: "Takes a step", risk: "none", run: (_, { random }) => ({ at: random() }) })

/** What a server was asked by an agent that takes so many steps. */
export const conversation = (turns: number, options: Omit<ModelAgentOptions, "model"> = {}) =>
  Effect.gen(function* () {
    const provider = yield* anthropic(turns)
    const model = yield* modelAt(provider.url, "anthropic")
    const { run } = yield* (yield* testKernel({ tools: { step } })).start
    const audit = yield* run(
      Effect.flatMap(Kernel, ({ tasks }) =>
        tasks.run(fromModel({ model, ...options }), { goal: "Walk", maxSteps: turns + 1 }),
      ),
    )
    const called = yield* run(events("ModelCalled"))
    const seen = yield* run(Saw.at(called[0]?.position ?? 0))
    return { ...provider, audit, called, seen }
  })

/** Expects that each request of a conversation of so many turns reads the whole request before it from the cache. */
export const readsAllBefore = (turns: number) =>
  Effect.gen(function* () {
    const { asked, audit } = yield* conversation(turns)
    expect(asked).toHaveLength(turns + 1)
    for (const [index, { all, read, written, marks }] of asked.entries()) {
      expect(marks.length).toBeLessThanOrEqual(4)
      expect(marks.every((mark) => JSON.stringify(mark) === '{"type":"ephemeral"}')).toBe(true)
      // All of the request before, and nothing else; the rest is written for the next one.
      expect({ index, read }).toEqual({ index, read: index === 0 ? 0 : (asked[index - 1]?.all ?? -1) })
      expect(written).toBe(all - read)
    }
    expect(audit.model).toMatchObject({ cachedTokens: asked.reduce((sum, { read }) => sum + read, 0) })
  })
