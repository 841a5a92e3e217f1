import type * as http from "node:http"
import * as path from "node:path"
import { gzipSync } from "node:zlib"
import { it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { describe, expect } from "vitest"
import * as Cassette from "../../../src/agents/models/Cassette.ts"
import * as CassetteRecorder from "../../../src/agents/models/CassetteRecorder.ts"
import type { Fetch } from "../../../src/agents/models/Fetch.ts"
import type { AnswerPart } from "../../../src/agents/models/Message.ts"
import type { Delta } from "../../../src/agents/models/Model.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { asking, mockServer, modelAt, names, type ProviderName, server } from "./servers.ts"

/** What a provider answered with text and two calls: its body, and what came of it. */
const recordedAnswer = (name: ProviderName) =>
  Effect.gen(function* () {
    const mock = yield* mockServer
    const file = path.join(yield* temporaryDirectory, "answer.json")
    const toolCalls = ["tea", "salt"].map((thing) => ({ name: "price", arguments: JSON.stringify({ thing }) }))
    mock.onMessage("prices", {
      content: "I look them up.",
      toolCalls,
      ...(name === "google" ? { finishReason: "stop" } : {}),
    })
    const recorder = CassetteRecorder.make(file, { kind: "scripted" })
    const model = yield* modelAt(mock.url, name, { fetch: recorder.fetch })
    const { parts } = yield* model.turn(asking("prices"), () => {})
    yield* recorder.save
    const { interactions } = yield* Cassette.read(file)
    const chunks = interactions.flatMap(({ response }) => response.chunks)
    return { body: Buffer.concat(chunks.map(Cassette.bytesOf)).toString("utf8"), parts }
  })

/** Where a body can break: after each event or line, and within each. */
const breaks = (body: string): ReadonlyArray<number> => {
  const ends = [...body.matchAll(/\n+/g)].map(({ 0: found, index }) => index + found.length)
  return [0, ...ends].flatMap((end, index) => [end, Math.floor((end + (ends[index] ?? end)) / 2)])
}

/** A server that sends the first characters of a body, and then does `end`. */
const sending = (body: string, end: (response: http.ServerResponse) => void) => {
  const sent = { length: 0 }
  return Effect.map(
    server((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.flushHeaders()
      response.write(body.slice(0, sent.length), () => end(response))
    }),
    (url) => ({ url, sent }),
  )
}

/** A turn without the ids that a package makes up. */
const withoutIds = (parts: ReadonlyArray<AnswerPart>) =>
  parts.map((part) => ({ ...part, providerMetadata: undefined, ...(part.type === "call" ? { callId: "" } : {}) }))

describe.each(names)("an answer of %s that broke off", (name) => {
  it.scopedLive("is no turn, wherever the connection is cut", () =>
    Effect.gen(function* () {
      const { body } = yield* recordedAnswer(name)
      const { url, sent } = yield* sending(body, (response) => response.destroy())
      const model = yield* modelAt(url, name)
      for (const length of breaks(body)) {
        sent.length = length
        const failed = yield* Effect.flip(model.turn(asking("prices"), () => {}))
        expect(failed, `after ${length} of ${body.length} characters`).toMatchObject({ kind: "cut-off" })
      }
    }),
  )

  it.scopedLive("is no turn where the server ends it early, and a whole turn otherwise", () =>
    Effect.gen(function* () {
      const { body, parts } = yield* recordedAnswer(name)
      const { url, sent } = yield* sending(body, (response) => response.end())
      const model = yield* modelAt(url, name)
      const outcomes: Array<string> = []
      for (const length of [...breaks(body), body.length]) {
        sent.length = length
        const ended = yield* Effect.either(model.turn(asking("prices"), () => {}))
        outcomes.push(ended._tag === "Left" ? ended.left.kind : ended.right.finish)
        if (ended._tag === "Right") expect(withoutIds(ended.right.parts)).toEqual(withoutIds(parts))
      }
      expect(outcomes.at(0)).toBe("unreadable")
      expect(outcomes.at(-1)).toBe("calls")
      expect(new Set(outcomes)).toEqual(new Set(["unreadable", "cut-off", "calls"]))
    }),
  )

  it.scopedLive("by an interruption closes the connection", () =>
    Effect.gen(function* () {
      const { body } = yield* recordedAnswer(name)
      const closed = yield* Deferred.make<void>()
      const [written, begun] = [yield* Deferred.make<void>(), yield* Deferred.make<Delta>()]
      const { url, sent } = yield* sending(body, (response) => {
        Deferred.unsafeDone(written, Effect.void)
        response.on("close", () => Deferred.unsafeDone(closed, Effect.void))
      })
      sent.length = body.lastIndexOf("\n", Math.floor(body.length * 0.8)) + 1
      const model = yield* modelAt(url, name)
      const asked = model.turn(asking("prices"), (delta) => Deferred.unsafeDone(begun, Effect.succeed(delta)))
      const turn = yield* Effect.fork(asked)
      yield* Deferred.await(written)
      // Gemini sends the whole of a short answer in one event, of which nothing has come here.
      if (name !== "google") yield* Deferred.await(begun)
      yield* Fiber.interrupt(turn)
      yield* Deferred.await(closed)
    }),
  )
})

it.scopedLive("an interrupted turn of Anthropic has told what it used until then", () =>
  Effect.gen(function* () {
    const { body } = yield* recordedAnswer("anthropic")
    const { url, sent } = yield* sending(body.replace(/"input_tokens":\d+/, '"input_tokens":321'), () => {})
    sent.length = Math.floor(body.length / 2)
    const model = yield* modelAt(url, "anthropic")
    const begun = yield* Deferred.make<Delta>()
    const told: Array<number> = []
    const turn = yield* Effect.fork(
      model.turn(
        asking("prices"),
        (delta) => Deferred.unsafeDone(begun, Effect.succeed(delta)),
        ({ inputTokens }) => told.push(inputTokens),
      ),
    )
    yield* Deferred.await(begun)
    yield* Fiber.interrupt(turn)
    expect(told.at(-1)).toBe(321)
  }),
)

it.scopedLive("an answer is no turn where its compression breaks, long before the server is taken for silent", () =>
  Effect.gen(function* () {
    const packed = gzipSync("data: {}\n\n".repeat(1000)).subarray(0, 30)
    let end = () => {}
    const url = yield* server((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" })
      response.write(packed)
      end = () => response.end("rubbish")
    })
    // The rest comes once the first bytes were read.
    const fetch: Fetch = async (...asked) => {
      const response = await globalThis.fetch(...asked)
      setImmediate(end)
      return response
    }
    const model = yield* modelAt(url, "anthropic", { fetch })
    const failed = yield* Effect.flip(model.turn(asking("prices"), () => {})).pipe(Effect.timeout("30 seconds"))
    expect(failed).toMatchObject({ kind: "cut-off" })
  }),
)
