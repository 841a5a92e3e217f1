import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { describe, expect } from "vitest"
import * as Cassette from "../../../src/agents/models/Cassette.ts"
import * as CassetteRecorder from "../../../src/agents/models/CassetteRecorder.ts"
import type { Message } from "../../../src/agents/models/Message.ts"
import type { Model } from "../../../src/agents/models/Model.ts"
import * as Models from "../../../src/agents/models/Models.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { asking, KEY, mockServer, modelAt, names, server } from "./servers.ts"

const newFile = Effect.map(temporaryDirectory, (directory) => path.join(directory, "cassette.json"))

const nothing = () => {}

/** A cassette with the answers of a compatible server to `one` and `two`. */
const recordedTwo = Effect.gen(function* () {
  const mock = yield* mockServer
  mock.onMessage("one", { content: "The first." })
  mock.onMessage("two", { content: "The second." })
  const file = yield* newFile
  const recorder = CassetteRecorder.make(file, { kind: "scripted", secrets: [Redacted.make(KEY)] })
  const model = yield* modelAt(mock.url, "openai-compatible", { fetch: recorder.fetch })
  for (const text of ["one", "two"]) yield* model.turn(asking(text), nothing)
  yield* recorder.save
  return file
})

/** A model that plays a cassette: its server is nowhere. */
const playing = (file: string, options?: { readonly delays: boolean }) =>
  Effect.flatMap(Cassette.play(file, options), (played) =>
    Models.load("openai-compatible/qwen3", { baseURL: "http://nowhere.invalid/v1", ...played }),
  )

describe("a cassette", () => {
  it.scopedLive.each(names.map((name) => [name] as const))("plays what %s answered, without it", ([name]) =>
    Effect.gen(function* () {
      const mock = yield* mockServer
      mock.onMessage("hello", { content: "Good morning" })
      const file = yield* newFile
      const recorder = CassetteRecorder.make(file)
      const recorded = yield* modelAt(mock.url, name, { fetch: recorder.fetch })
      const turn = yield* recorded.turn(asking("hello"), nothing)
      yield* recorder.save
      const model = yield* modelAt("http://nowhere.invalid", name, yield* Cassette.play(file))
      expect(yield* model.turn(asking("hello"), nothing)).toEqual(turn)
      expect(fs.readFileSync(file, "utf8")).not.toContain(KEY)
    }),
  )

  it.scopedLive.each(names.map((name) => [name] as const))(
    "plays a conversation with tools of %s, whose calls have the same ids",
    ([name]) =>
      Effect.gen(function* () {
        const mock = yield* mockServer
        const toolCalls = ["tea", "salt"].map((thing) => ({ name: "price", arguments: JSON.stringify({ thing }) }))
        mock.on({ hasToolResult: true }, { content: "Three euros." })
        mock.onMessage("prices", { toolCalls, ...(name === "google" ? { finishReason: "stop" } : {}) })
        const talk = (model: Model) =>
          Effect.gen(function* () {
            const request = asking("prices")
            const { parts } = yield* model.turn(request, nothing)
            const results = parts.flatMap((part) =>
              part.type === "call" ? [{ callId: part.callId, tool: part.tool, isError: false, content: 3 }] : [],
            )
            const messages: ReadonlyArray<Message> = [
              ...request.messages,
              { role: "assistant", content: parts },
              { role: "tool", content: results },
            ]
            return [parts, (yield* model.turn({ ...request, messages }, nothing)).parts]
          })
        const file = yield* newFile
        const recorder = CassetteRecorder.make(file)
        const recorded = yield* talk(yield* modelAt(mock.url, name, { fetch: recorder.fetch }))
        yield* recorder.save
        const played = yield* talk(yield* modelAt("http://nowhere.invalid", name, yield* Cassette.play(file)))
        expect(played).toEqual(recorded)
      }),
  )

  it.scopedLive("plays its answers to the requests that they belong to, with their delays if asked", () =>
    Effect.gen(function* () {
      const model = yield* playing(yield* recordedTwo, { delays: true })
      expect(yield* model.turn(asking("two"), nothing)).toMatchObject({ parts: [{ text: "The second." }] })
      expect(yield* model.turn(asking("one"), nothing)).toMatchObject({ parts: [{ text: "The first." }] })
    }),
  )

  it.scopedLive("says where a request differs from the next one on it", () =>
    Effect.gen(function* () {
      const model = yield* playing(yield* recordedTwo)
      const failed = yield* Effect.flip(model.turn(asking("three"), nothing))
      expect(failed.kind).toBe("not-recorded")
      expect(failed.reason).toContain(`differs at /body/messages/1/content: recorded "one", asked "three"`)
    }),
  )

  it.scopedLive("says that all of it was played", () =>
    Effect.gen(function* () {
      const model = yield* playing(yield* recordedTwo)
      yield* model.turn(asking("one"), nothing)
      yield* model.turn(asking("two"), nothing)
      const failed = yield* Effect.flip(model.turn(asking("one"), nothing))
      expect(failed).toMatchObject({ kind: "not-recorded", reason: expect.stringContaining("every answer") })
    }),
  )

  it.scopedLive("keeps an answer that broke off as one", () =>
    Effect.gen(function* () {
      const url = yield* server((_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream", "set-cookie": "session=1", "retry-after": "3" })
        response.write(`data: {"choices":[{"delta":{"content":"Half"}}]}\n\n`, () => response.destroy())
      })
      const file = yield* newFile
      const recorder = CassetteRecorder.make(file)
      const model = yield* modelAt(url, "openai-compatible", { fetch: recorder.fetch })
      const failed = yield* Effect.flip(model.turn(asking("hello"), nothing))
      yield* recorder.save
      const [interaction] = (yield* Cassette.read(file)).interactions
      expect(interaction?.response).toMatchObject({ status: 200, end: "cut" })
      expect(interaction?.response.headers).toEqual({ "content-type": "text/event-stream", "retry-after": "3" })
      const played = yield* Effect.flip((yield* playing(file)).turn(asking("hello"), nothing))
      expect(played).toMatchObject({ kind: failed.kind, response: [{ type: "text", text: "Half" }] })
    }),
  )

  it.scopedLive("is not written with a key in it, of which nothing but the request's header says that it is one", () =>
    Effect.gen(function* () {
      const mock = yield* mockServer
      mock.onMessage("hello", { content: `It is ${KEY}.` })
      const file = yield* newFile
      const recorder = CassetteRecorder.make(file)
      const model = yield* modelAt(mock.url, "openai-compatible", { fetch: recorder.fetch })
      yield* model.turn(asking("hello"), nothing)
      const refused = yield* Effect.flip(recorder.save)
      expect(refused.message).toContain("response 1 contains a key")
      expect(fs.existsSync(file)).toBe(false)
    }),
  )

  it.scopedLive.each([
    ["what is no JSON", (text: string) => text.slice(1), "JSON"],
    ["another version", (text: string) => text.replace('"version": 1', '"version": 2'), "version"],
    [
      "a request that was changed",
      (text: string) => text.replace('"one"', '"won"'),
      "request 1 does not match its digest",
    ],
    ["an unknown end", (text: string) => text.replaceAll('"clean"', '"odd"'), "end"],
  ] as const)("is refused with %s", ([, change, reason]) =>
    Effect.gen(function* () {
      const file = yield* recordedTwo
      fs.writeFileSync(file, change(fs.readFileSync(file, "utf8")))
      const refused = yield* Effect.flip(Cassette.play(file))
      expect(refused._tag).toBe("UnreadableCassette")
      expect(refused.message).toContain(reason)
    }),
  )

  it.scopedLive("is refused where there is none", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const refused = yield* Effect.flip(Cassette.play(file))
      expect(refused.message).toContain("ENOENT")
    }),
  )
})
