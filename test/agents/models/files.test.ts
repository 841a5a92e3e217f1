import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { fromModel } from "../../../src/agents/ModelAgent.ts"
import * as Files from "../../../src/agents/models/Files.ts"
import type { Message } from "../../../src/agents/models/Message.ts"
import { callOptions } from "../../../src/agents/models/providers/Prompt.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as Transcript from "../../../src/projections/request/Transcript.ts"
import type { Json } from "../../../src/values/Json.ts"
import type { Sample } from "../../kernel/given.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { call, eventsOf, text } from "../given.ts"
import { asking, mockServer, modelAt, names, type ProviderName, server } from "./servers.ts"

/** A red dot (PNG). */
const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg=="
const PDF = Buffer.from("%PDF-1.7\n%%EOF\n").toString("base64")

const png = { type: "file", mediaType: "image/png", data: DOT }
const pdf = { type: "file", mediaType: "application/pdf", data: PDF }
const file = (mediaType: string, data: string) => ({ type: "file", mediaType, data })
const base64 = (words: string) => Buffer.from(words).toString("base64")

/** A conversation in which a call had this result. */
const resulting = (...contents: ReadonlyArray<Json>): ReadonlyArray<Message> => [
  { role: "user", content: [{ type: "text", text: "Look." }] },
  {
    role: "assistant",
    content: contents.map((_, index) => ({ type: "call", callId: `a${index}`, tool: "look", args: {} })),
  },
  {
    role: "tool",
    content: contents.map((content, index) => ({ callId: `a${index}`, tool: "look", isError: false, content })),
  },
]

/** The body of the request that a provider got. */
const received = (name: ProviderName, messages: ReadonlyArray<Message>) =>
  Effect.gen(function* () {
    const bodies: Array<string> = []
    const url = yield* server((request, response) => {
      let body = ""
      request.on("data", (chunk) => {
        body += chunk
      })
      request.on("end", () => {
        bodies.push(body)
        response.writeHead(500).end()
      })
    })
    const model = yield* modelAt(url, name)
    yield* Effect.flip(model.turn(asking("", { messages }), () => {}))
    return JSON.parse(bodies[0] ?? "") as Json
  })

/** All objects within JSON. */
const objectsIn = (value: Json): ReadonlyArray<{ readonly [key: string]: Json }> => {
  if (typeof value !== "object" || value === null) return []
  if (Array.isArray(value)) return value.flatMap(objectsIn)
  return [value as { readonly [key: string]: Json }, ...Object.values(value as object).flatMap(objectsIn)]
}

/** How each provider is told an image. */
const IMAGE: { readonly [name in ProviderName]: object } = {
  anthropic: { type: "image", source: { type: "base64", media_type: "image/png", data: DOT } },
  openai: { type: "input_image", image_url: `data:image/png;base64,${DOT}` },
  google: { inlineData: { mimeType: "image/png", data: DOT } },
  ollama: { images: [DOT] },
  "openai-compatible": { type: "image_url", image_url: { url: `data:image/png;base64,${DOT}` } },
}

describe.each(names)("an image in a tool's result, told to %s", (name) => {
  it.scopedLive("is an image, alone, in a list, and beside other calls", () =>
    Effect.gen(function* () {
      const contents = [png, { at: "noon", shots: [png] }, { fine: true }]
      const body = yield* received(name, resulting(...(contents as ReadonlyArray<Json>)))
      const images = objectsIn(body).filter((found) => Object.keys(IMAGE[name]).every((key) => key in found))
      const told = name === "ollama" ? images.flatMap(({ images }) => images as ReadonlyArray<Json>) : images
      expect(told).toHaveLength(2)
      expect(images[0]).toMatchObject(name === "ollama" ? { images: [DOT, DOT] } : IMAGE[name])
      const whole = JSON.stringify(body)
      // Nowhere as text, and named where it stood.
      expect(whole.split(DOT)).toHaveLength(3)
      expect(whole).toContain("[file 1: image/png]")
      expect(whole).toContain("noon")
    }),
  )

  it.scopedLive("is followed by an answer", () =>
    Effect.gen(function* () {
      const mock = yield* mockServer
      mock.on({}, { content: "A red dot." })
      const model = yield* modelAt(mock.url, name)
      const { parts } = yield* model.turn(asking("", { messages: resulting(png) }), () => {})
      expect(parts.at(-1)).toMatchObject({ type: "text", text: "A red dot." })
    }),
  )
})

describe("another file in a tool's result", () => {
  it.scopedLive("is a document for a provider that takes it, and told as text to others", () =>
    Effect.gen(function* () {
      expect(objectsIn(yield* received("anthropic", resulting(pdf)))).toContainEqual(
        expect.objectContaining({
          type: "document",
          source: { type: "base64", media_type: "application/pdf", data: PDF },
        }),
      )
      expect(objectsIn(yield* received("openai", resulting(pdf)))).toContainEqual(
        expect.objectContaining({ type: "input_file", filename: "file-1.pdf" }),
      )
      expect(objectsIn(yield* received("google", resulting(pdf)))).toContainEqual({
        inlineData: { mimeType: "application/pdf", data: PDF },
      })
      const sound = file("audio/wav", base64("RIFF"))
      const other = JSON.stringify(yield* received("google", resulting(sound)))
      expect(other).toContain('"inlineData":{"mimeType":"audio/wav"')
      for (const name of ["ollama", "openai-compatible"] as const) {
        const body = JSON.stringify(yield* received(name, resulting(pdf)))
        expect(body).toContain("[file 1: application/pdf] cannot be shown: this model takes no files of this type.")
        expect(body).not.toContain(PDF)
      }
    }),
  )

  it.each([
    [file("png", DOT), "[file 1: png] cannot be shown: expected a media type such as image/png."],
    [file("image/png", "%%%"), "[file 1: image/png] cannot be shown: expected base64 (RFC 4648), found other data."],
    [file("image/png", "abc"), "expected base64 (RFC 4648), found other data."],
    [file("image/png", ""), "expected base64 (RFC 4648), found other data."],
    [file("image/png", PDF), "[file 1: image/png] cannot be shown: expected image/png, found data of another kind."],
    [file("application/pdf", DOT), "expected application/pdf, found data of another kind."],
    [file("application/zip", DOT), "this model takes no files of this type."],
    [file("text/csv; charset=utf-8", base64("a,b\n1,2")), "[file 1: text/csv; charset=utf-8]\na,b\n1,2"],
  ])("that is wrong, or text, is told as text: %j", (value, told) => {
    const support = { inResults: ["image/png", "application/pdf"], inMessages: ["image/png", "application/pdf"] }
    const request = { system: "", tools: [] }
    const { prompt } = callOptions({ ...request, messages: resulting(value as Json) }, { files: support })
    expect(prompt.at(-1)).toMatchObject({
      content: [{ output: { type: "text", value: expect.stringContaining(told) } }],
    })
    const { type: _, ...part } = value
    const asked = callOptions(
      { ...request, messages: [{ role: "user", content: [{ type: "file", ...part }] }] },
      { files: support },
    )
    expect(asked.prompt).toMatchObject([
      { role: "user", content: [{ type: "text", text: expect.stringContaining(told) }] },
    ])
  })

  it("is no file where it has other fields, and JSON without files is what it was", () => {
    const plain = { type: "file", mediaType: "image/png", data: DOT, path: "a.png" }
    const value = { a: [plain, 3, null, "x"] }
    expect(Files.separated(value)).toEqual({ json: value, files: [] })
    expect(Files.separated(value).json).toBe(value)
    expect(Files.separated([png, { deep: [pdf] }])).toEqual({
      json: ["[file 1: image/png]", { deep: ["[file 2: application/pdf]"] }],
      files: [
        { mediaType: "image/png", data: DOT },
        { mediaType: "application/pdf", data: PDF },
      ],
    })
  })

  it("is named alone in what a model summarizes", () => {
    const transcript = Transcript.of(resulting({ shot: png }))
    expect(transcript).toContain('{"shot":"[file 1: image/png]"}')
    expect(transcript).not.toContain(DOT)
  })
})

/** A camera, whose shots are files. */
const camera: Sample = {
  name: "camera",
  sensors: [{ name: "view" }],
  actuators: [{ name: "shoot" }],
  entry: `
    const dot = { type: "file", mediaType: "image/png", data: "${DOT}" }
    export default { sensors: { view: () => dot }, actuators: { shoot: () => ({ shots: [dot] }) } }`,
}

describe("an agent", () => {
  it.scopedLive("shows its model what a sensor reads and a command answers, and is replayed", () =>
    Effect.gen(function* () {
      const bodies: Array<string> = []
      const answers = [[call("a", "perceive"), call("b", "camera__shoot")], [text("A dot.")]]
      const url = yield* server((request, response) => {
        let body = ""
        request.on("data", (chunk) => {
          body += chunk
        })
        request.on("end", () => {
          bodies.push(body)
          response.writeHead(200, { "content-type": "text/event-stream" })
          response.end(compatible(answers[bodies.length - 1] ?? []))
        })
      })
      const { run } = yield* (yield* testKernel({ plugins: [camera] })).start
      const model = yield* modelAt(url, "openai-compatible")
      yield* run(
        Effect.gen(function* () {
          const kernel = yield* Kernel
          const { taskId, outcome } = yield* kernel.tasks.run(fromModel({ model }), { goal: "Look" })
          expect(outcome).toBe("achieved")
          const messages = (JSON.parse(String(bodies[1])) as { messages: ReadonlyArray<Json> }).messages
          expect(messages.slice(-3)).toMatchObject([
            { role: "tool", tool_call_id: "a", content: '{"camera/view":"[file 1: image/png]"}' },
            { role: "tool", tool_call_id: "b", content: '{"shots":["[file 1: image/png]"]}' },
            {
              role: "user",
              content: [
                { type: "text", text: "Files of the result of perceive (a):" },
                IMAGE["openai-compatible"],
                { type: "text", text: "Files of the result of camera__shoot (b):" },
                IMAGE["openai-compatible"],
              ],
            },
          ])
          const replayed = yield* kernel.replay(taskId, fromModel({ model }))
          expect(replayed).toMatchObject({ verdict: "identical", complete: true })
          expect(bodies).toHaveLength(2)
          const events = yield* eventsOf(taskId)
          const told = events.filter(({ type }) => type === "ModelCalled").at(-1)
          expect(JSON.stringify(told?.payload)).toContain(DOT)
        }),
      )
    }),
  )
})

/** A stream of an OpenAI-compatible server. */
const compatible = (parts: ReadonlyArray<ReturnType<typeof call>>): string => {
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  const deltas = parts.map((part, index) =>
    part.type === "call"
      ? { tool_calls: [{ index, id: part.callId, type: "function", function: { name: part.tool, arguments: "{}" } }] }
      : { content: part.type === "text" ? part.text : "" },
  )
  const finish = parts.some(({ type }) => type === "call") ? "tool_calls" : "stop"
  return `${deltas.map((delta) => chunk(delta)).join("")}${chunk({}, finish)}data: [DONE]\n\n`
}
