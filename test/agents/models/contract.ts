import type * as http from "node:http"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Scope } from "effect"
import { describe, expect } from "vitest"
import * as Cassette from "../../../src/agents/models/Cassette.ts"
import * as CassetteRecorder from "../../../src/agents/models/CassetteRecorder.ts"
import type { AnswerPart } from "../../../src/agents/models/Message.ts"
import type { Delta, Model, TurnRequest } from "../../../src/agents/models/Model.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { printed } from "./printed.ts"
import { asking, KEY, mockServer, modelAt, type ProviderName, server } from "./servers.ts"

/** A provider whose models keep the contract: a built-in one, or a plugin's. */
export interface Subject {
  readonly name: string
  /** The built-in provider whose requests and answers it has. */
  readonly wire: ProviderName
  /** A model of a server, with the key `KEY`. */
  readonly modelAt: (url: string) => Effect.Effect<Model, unknown, Scope.Scope>
}

/** The built-in provider of a name. */
export const builtIn = (name: ProviderName): Subject => ({ name, wire: name, modelAt: (url) => modelAt(url, name) })

/** The pieces of each part, joined; without reasoning, of which some providers have a part that is encrypted. */
const joined = (deltas: ReadonlyArray<Delta>) => {
  const parts = new Map<number, string>()
  for (const { index, kind, text } of deltas) parts.set(index, `${parts.get(index) ?? `${kind}: `}${text}`)
  return [...parts.values()]
}

/** What each provider calls the tokens. */
const usage = {
  prompt_tokens: 70,
  completion_tokens: 9,
  total_tokens: 79,
  input_tokens: 70,
  output_tokens: 9,
  promptTokenCount: 70,
  candidatesTokenCount: 9,
  totalTokenCount: 79,
}

const failing = (url: string, { modelAt }: Subject, request: TurnRequest = asking("hello")) =>
  Effect.flatMap(Effect.orDie(modelAt(url)), (model) => Effect.flip(model.turn(request, () => {})))

/** What each provider calls an error. */
const errorBody = (message: string, type = "invalid_request_error", code?: string) =>
  JSON.stringify({ type: "error", error: { message, type, code, status: type.toUpperCase() } })

const answering = (status: number, body: string, headers: http.OutgoingHttpHeaders = {}) =>
  server((_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers })
    response.end(body)
  })

/** What a provider answered with text and two calls: its body, and what came of it. */
export const recordedAnswer = (name: ProviderName) =>
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
export const sending = (body: string, end: (response: http.ServerResponse) => void) => {
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

/** What every provider does: its answers, its failures, and its broken streams. */
export const providerContract = (subject: Subject): void => {
  const { wire } = subject
  const loaded = (url: string) => Effect.orDie(subject.modelAt(url))
  describe(`a model of ${subject.name}`, () => {
    it.scopedLive("streams text", () =>
      Effect.gen(function* () {
        const mock = yield* mockServer
        mock.onMessage("hello", { content: "Good morning, said the model.", usage })
        const model = yield* loaded(mock.url)
        const deltas: Array<Delta> = []
        const turn = yield* model.turn(asking("hello"), (delta) => deltas.push(delta))
        expect(turn.finish).toBe("stop")
        expect(turn.parts.filter(({ type }) => type !== "reasoning")).toMatchObject([
          { type: "text", text: "Good morning, said the model." },
        ])
        expect(deltas.length).toBeGreaterThan(1)
        expect(joined(deltas)).toEqual(["text: Good morning, said the model."])
        // The fake of Ollama knows no usage.
        expect(turn.usage).toMatchObject(
          wire === "ollama" ? { inputTokens: 0, outputTokens: 0 } : { inputTokens: 70, outputTokens: 9 },
        )
      }),
    )

    it.scopedLive("calls several tools in one answer, a tool that nobody has among them", () =>
      Effect.gen(function* () {
        const mock = yield* mockServer
        mock.onMessage("prices", {
          // Gemini ends an answer with calls by STOP, which the fake does only when it is told.
          ...(wire === "google" ? { finishReason: "stop" } : {}),
          toolCalls: [
            { name: "price", arguments: `{"thing":"tea"}` },
            { name: "price", arguments: `{"thing":"salt"}` },
            { name: "levitate", arguments: `{"height":3}` },
          ],
        })
        const model = yield* loaded(mock.url)
        const deltas: Array<Delta> = []
        const turn = yield* model.turn(asking("prices"), (delta) => deltas.push(delta))
        const calls = turn.parts.flatMap((part) => (part.type === "call" ? [part] : []))
        expect(turn.finish).toBe("calls")
        expect(calls.map(({ tool, args, invalid }) => ({ tool, args, invalid }))).toEqual([
          { tool: "price", args: { thing: "tea" }, invalid: undefined },
          { tool: "price", args: { thing: "salt" }, invalid: undefined },
          { tool: "levitate", args: { height: 3 }, invalid: undefined },
        ])
        expect(new Set(calls.map(({ callId }) => callId)).size).toBe(3)
        expect(joined(deltas)).toEqual([`call: {"thing":"tea"}`, `call: {"thing":"salt"}`, `call: {"height":3}`])
      }),
    )

    it.scopedLive("says how long to wait where the rate is limited", () =>
      Effect.gen(function* () {
        const mock = yield* mockServer
        mock.onMessage("hello", {
          error: { message: "Too many requests", type: "rate_limit_error" },
          status: 429,
          retryAfter: 7,
        })
        const failed = yield* failing(mock.url, subject)
        expect(failed).toMatchObject({ _tag: "ModelCallFailed", kind: "rate-limited", retryAfterMs: 7000 })
        expect(failed.reason).toContain("HTTP 429")
      }),
    )

    it.scopedLive(
      "fails as unauthorized with a wrong key, which is nowhere in the error although the server repeats it",
      () =>
        Effect.gen(function* () {
          const url = yield* server((request, response) => {
            const sent = JSON.stringify(request.headers)
            response.writeHead(401, { "content-type": "application/json", "x-echo": KEY })
            response.end(errorBody(`Incorrect API key: ${KEY}, in ${sent}`, "authentication_error"))
          })
          const failed = yield* failing(url, subject)
          expect(failed.kind).toBe("unauthorized")
          expect(printed(failed)).not.toContain(KEY)
          expect(printed(failed)).not.toMatch(/bearer [^[]/i)
        }),
    )

    it.scopedLive("fails as unknown-model where the server does not know the model", () =>
      Effect.gen(function* () {
        const url = yield* answering(404, errorBody("model: no-such-model was not found", "not_found_error"))
        const failed = yield* failing(url, subject)
        expect(failed.kind).toBe("unknown-model")
        expect(failed.reason).toContain("no-such-model was not found")
      }),
    )

    it.scopedLive("fails as unreachable where no server is", () =>
      Effect.gen(function* () {
        const url = yield* Effect.scoped(server(() => {}))
        const failed = yield* failing(url, subject)
        expect(failed.kind).toBe("unreachable")
        expect(failed.reason).toContain(`${url}`)
        expect(failed.reason).toContain("ECONNREFUSED")
      }),
    )

    it.scopedLive("fails as context-too-long where the provider says so", () =>
      Effect.gen(function* () {
        const url = yield* answering(400, errorBody("This model's maximum context length is 8192 tokens", "x", "y"))
        expect((yield* failing(url, subject)).kind).toBe("context-too-long")
      }),
    )

    it.scopedLive("fails as overloaded where the server has an error of its own", () =>
      Effect.gen(function* () {
        const url = yield* answering(529, errorBody("Overloaded", "overloaded_error"))
        expect((yield* failing(url, subject)).kind).toBe("overloaded")
      }),
    )

    it.scopedLive("fails as invalid-request where the provider refuses the request, and holds nothing of it", () =>
      Effect.gen(function* () {
        const url = yield* answering(400, errorBody("tools.0: bad"))
        const failed = yield* failing(url, subject, asking("my little secret"))
        expect(failed.kind).toBe("invalid-request")
        expect(printed(failed)).not.toContain("my little secret")
      }),
    )

    it.scopedLive("does not follow a redirect, which would take the key elsewhere", () =>
      Effect.gen(function* () {
        const visited: Array<string> = []
        const elsewhere = yield* server((request, response) => {
          visited.push(String(request.url))
          response.end()
        })
        const url = yield* answering(307, "", { location: elsewhere })
        const failed = yield* failing(url, subject)
        expect(failed.kind).toBe("invalid-request")
        expect(failed.reason).toContain("redirect")
        expect(visited).toEqual([])
      }),
    )

    it.scopedLive("fails as empty where the answer has neither text nor a call", () =>
      Effect.gen(function* () {
        const mock = yield* mockServer
        mock.onMessage("hello", { content: "" })
        expect((yield* failing(mock.url, subject)).kind).toBe("empty")
      }),
    )

    it.scopedLive("fails as unreadable where a page answers", () =>
      Effect.gen(function* () {
        const url = yield* answering(200, "<html>Sign in</html>", { "content-type": "text/html" })
        expect((yield* failing(url, subject)).kind).toBe("unreadable")
      }),
    )

    it.scopedLive("is no turn, wherever the connection is cut", () =>
      Effect.gen(function* () {
        const { body } = yield* recordedAnswer(wire)
        const { url, sent } = yield* sending(body, (response) => response.destroy())
        const model = yield* loaded(url)
        for (const length of breaks(body)) {
          sent.length = length
          const failed = yield* Effect.flip(model.turn(asking("prices"), () => {}))
          expect(failed, `after ${length} of ${body.length} characters`).toMatchObject({ kind: "cut-off" })
        }
      }),
    )

    it.scopedLive("is no turn where the server ends it early, and a whole turn otherwise", () =>
      Effect.gen(function* () {
        const { body, parts } = yield* recordedAnswer(wire)
        const { url, sent } = yield* sending(body, (response) => response.end())
        const model = yield* loaded(url)
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
        const { body } = yield* recordedAnswer(wire)
        const closed = yield* Deferred.make<void>()
        const [written, begun] = [yield* Deferred.make<void>(), yield* Deferred.make<Delta>()]
        const { url, sent } = yield* sending(body, (response) => {
          Deferred.unsafeDone(written, Effect.void)
          response.on("close", () => Deferred.unsafeDone(closed, Effect.void))
        })
        sent.length = body.lastIndexOf("\n", Math.floor(body.length * 0.8)) + 1
        const model = yield* loaded(url)
        const asked = model.turn(asking("prices"), (delta) => Deferred.unsafeDone(begun, Effect.succeed(delta)))
        const turn = yield* Effect.fork(asked)
        yield* Deferred.await(written)
        // Gemini sends the whole of a short answer in one event, of which nothing has come here.
        if (wire !== "google") yield* Deferred.await(begun)
        yield* Fiber.interrupt(turn)
        yield* Deferred.await(closed)
      }),
    )
  })
}
