import * as http from "node:http"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import { layer, type ServeOptions, Server, serve } from "../../../src/agents/channel/ChannelServer.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { MAX_BODY_BYTES } from "../../../src/platform/loopback/Messages.ts"
import { seen } from "../../kernel/given.ts"
import { call, eventsOf, text } from "../given.ts"
import { adding, asking, slow, talking } from "./given.ts"

/** A server on a task that an agent works on. */
const served = (talk: ReturnType<typeof talking>, options: ServeOptions = {}) =>
  Effect.gen(function* () {
    const { run } = yield* asking
    const work = yield* Effect.fork(
      run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(talk.agent, { goal: "Hello", id: "t", maxSteps: 20 }))),
    )
    yield* run(seen(({ type }) => type === "TaskOpened"))
    const scope = yield* Effect.scope
    const server = yield* run(
      Scope.extend(serve({ deltas: talk.deltas, by: "ada", heartbeatMs: 50, ...options }), scope),
    )
    const ask = (path: string, { headers = {}, ...init }: RequestInit & { headers?: Record<string, string> } = {}) =>
      Effect.promise(() =>
        fetch(`${server.url}${path}`, { ...init, headers: { authorization: `Bearer ${server.token}`, ...headers } }),
      )
    const post = (path: string, body: unknown, headers = {}) =>
      Effect.gen(function* () {
        const response = yield* ask(path, {
          method: "POST",
          body: typeof body === "string" ? body : JSON.stringify(body),
          headers: { "content-type": "application/json", ...headers },
        })
        return [response.status, yield* Effect.promise(() => response.json())] as const
      })
    return { run, work, server, ask, post }
  })

/** An event of the stream, with its id. */
interface Sent {
  readonly id: string
  readonly event: string
  readonly data: Record<string, unknown>
}

/** Reads server-sent events until one is found, and goes away. Comments are counted. */
const reading = (
  { url, token }: { readonly url: string; readonly token: string },
  isLast: (sent: Sent, comments: number) => boolean,
  after: { readonly lastEventId?: string; readonly query?: string } = {},
) =>
  Effect.promise(async () => {
    const controller = new AbortController()
    const response = await fetch(`${url}/tasks/t/events${after.query ?? ""}`, {
      signal: controller.signal,
      headers: {
        authorization: `Bearer ${token}`,
        ...(after.lastEventId === undefined ? {} : { "last-event-id": after.lastEventId }),
      },
    })
    if (response.body === null || response.status !== 200) throw new Error(`HTTP ${response.status}`)
    const events: Array<Sent> = []
    let comments = 0
    let rest = ""
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split("\n\n")
      rest = blocks.pop() ?? ""
      for (const block of blocks) {
        if (block.startsWith(":")) {
          comments += 1
          continue
        }
        const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2)))
        const sent: Sent = { id: fields.id, event: fields.event, data: JSON.parse(fields.data) }
        events.push(sent)
        if (isLast(sent, comments)) {
          controller.abort()
          return events
        }
      }
    }
    throw new Error("the stream ended")
  })

const isOf = (type: string) => (sent: Sent) => sent.event === type

/** What was sent, without ids; pieces of one answer that follow each other are one. */
const joined = (events: ReadonlyArray<Sent>): ReadonlyArray<object> => {
  const all: Array<Record<string, unknown>> = []
  for (const { event, data } of events) {
    const { cursor: _, position: __, ...rest } = data
    const last = all.at(-1)
    if (event === "onDelta" && last?.type === "onDelta") last.text = `${last.text}${rest.text}`
    else all.push({ ...rest })
  }
  return all
}

describe("the channel's server", () => {
  it.scopedLive("lists tasks, tells what happens, and takes inputs and answers", () =>
    Effect.gen(function* () {
      const { server, ask, post, run } = yield* served(talking([...adding(), [text("Bye.")]]))
      expect(server.url).toBe(`http://127.0.0.1:${server.port}`)
      expect(server.token).toMatch(/^[\w-]{43}$/)
      const listed = yield* ask("/tasks")
      expect(listed.headers.get("access-control-allow-origin")).toBeNull()
      expect(yield* Effect.promise(() => listed.json())).toEqual({
        tasks: [{ taskId: "t", goal: "Hello", agent: expect.any(String), outcome: null }],
      })
      const asked = (yield* reading(server, isOf("onToolCallRequest"))).at(-1)?.data
      expect(asked).toMatchObject({ toolName: "counter/add", args: { by: 1 }, shown: { actuator: "counter/add" } })
      const path = `/confirmations/${asked?.confirmationId}`
      expect(yield* post(path, { approved: true })).toEqual([
        400,
        expect.objectContaining({ expected: expect.stringContaining("digest") }),
      ])
      expect(yield* post(path, { approved: true, shownDigest: "0".repeat(64) })).toMatchObject([
        409,
        { error: "NotAsShown" },
      ])
      const { shownDigest } = asked ?? {}
      expect(yield* post(path, { approved: true, shownDigest })).toEqual([200, { position: expect.any(Number) }])
      // A second front end that answers the same question.
      expect(yield* post(path, { approved: false })).toEqual([
        409,
        expect.objectContaining({
          error: "NotPending",
          message: expect.stringMatching(/already approved by ada \(@\d+\)/),
        }),
      ])
      const ready = yield* reading(server, isOf("onReadyForInput"))
      expect(yield* post("/tasks/t/input", { content: "Thanks", delivery: "steering" })).toEqual([
        202,
        { position: expect.any(Number) },
      ])
      const rest = yield* reading(server, isOf("onReadyForInput"), { lastEventId: ready.at(-1)?.id ?? "" })
      expect(joined(rest)).toMatchObject([
        { type: "onInputReceived", by: "human:ada", source: "http", content: "Thanks", delivery: "steering" },
        { type: "onAgentStateChange", state: "thinking" },
        { type: "onDelta", text: "Bye." },
        { type: "onNewMessage", content: "Bye." },
        { type: "onAgentStateChange", state: "ready" },
        { type: "onReadyForInput" },
      ])
      const decided = (yield* run(eventsOf("t"))).filter(({ type }) => type === "ConfirmationDecided")
      expect(decided).toMatchObject([{ actor: "human:ada", payload: { by: "ada", channel: "http", shownDigest } }])
    }),
  )

  it.scopedLive("goes on where a connection broke off, in the midst of an answer too", () =>
    Effect.gen(function* () {
      const answer = yield* slow("Once upon ", "a time.")
      const { server } = yield* served(talking([answer.scripted]))
      yield* answer.begun
      const first = yield* reading(server, isOf("onDelta"))
      const late = yield* Effect.fork(reading(server, isOf("onReadyForInput")))
      const again = yield* Effect.fork(
        reading(server, isOf("onReadyForInput"), { lastEventId: first.at(-1)?.id ?? "" }),
      )
      yield* answer.goOn
      const all = yield* Fiber.join(late)
      const continued = [...first, ...(yield* Fiber.join(again))]
      expect(joined(continued)).toEqual(joined(all))
      expect(joined(all)).toContainEqual(expect.objectContaining({ type: "onDelta", text: "Once upon a time." }))
      for (const [index, { id }] of all.entries()) {
        if (index === all.length - 1) continue
        const rest = yield* reading(server, isOf("onReadyForInput"), { query: `?after=${encodeURIComponent(id)}` })
        expect(joined(rest)).toEqual(joined(all.slice(index + 1)))
      }
    }),
  )

  it.scopedLive("lets in nobody without its token, no other host, origin or site", () =>
    Effect.gen(function* () {
      const { server, ask } = yield* served(talking([[text("Hello.")]]))
      const status = (headers: Record<string, string>) => Effect.map(ask("/tasks", { headers }), ({ status }) => status)
      expect(yield* status({})).toBe(200)
      for (const authorization of ["", "Bearer", "Bearer x", `Bearer ${server.token}x`, `Basic ${server.token}`]) {
        expect(yield* status({ authorization })).toBe(401)
      }
      expect(yield* status({ authorization: `bearer ${server.token}` })).toBe(200)
      const bare = yield* Effect.promise(() => fetch(`${server.url}/tasks?token=${server.token}`))
      expect([bare.status, yield* Effect.promise(() => bare.json())]).toMatchObject([
        401,
        { error: "Unauthorized", found: "none" },
      ])
      expect(yield* status({ origin: server.url })).toBe(200)
      for (const origin of ["null", "https://evil.example", `http://localhost:${server.port}`, `${server.url}.evil`]) {
        expect(yield* status({ origin })).toBe(403)
      }
      for (const host of [
        ...["evil.example", "127.0.0.1", `127.0.0.1:${server.port + 1}`, `evil.example:${server.port}`],
        `localhost.:${server.port}`,
      ]) {
        expect(yield* raw(server, { host })).toBe(403)
      }
      for (const host of [`localhost:${server.port}`, `[::1]:${server.port}`]) {
        expect(yield* raw(server, { host })).toBe(200)
      }
      for (const [site, expected] of [
        ["cross-site", 403],
        ["same-site", 403],
        ["same-origin", 200],
        ["none", 200],
      ] as const) {
        expect(yield* raw(server, { host: `127.0.0.1:${server.port}`, "sec-fetch-site": site })).toBe(expected)
      }
    }),
  )

  it.scopedLive("refuses bodies, paths and methods that are wrong, with what was expected and found", () =>
    Effect.gen(function* () {
      const { ask, post, work, run } = yield* served(talking([[text("Hello.")]], { conversation: false }))
      yield* Fiber.join(work)
      const input = "/tasks/t/input"
      for (const [body, found] of [
        ["{", "other text"],
        ["", "other text"],
        [[], "the body"],
        [{}, "content"],
        [{ content: 1 }, "content"],
        [{ content: "x", delivery: "later" }, "delivery"],
        [{ content: "x", by: "root" }, "by"],
      ] as const) {
        const answered = yield* post(input, body)
        expect(answered).toMatchObject([400, { error: "InvalidBody" }])
        expect(Object(answered[1]).found).toContain(found)
      }
      expect(yield* post(input, { content: " " })).toMatchObject([400, { error: "InvalidOptions" }])
      expect(yield* post(input, { content: "x".repeat(MAX_BODY_BYTES) })).toMatchObject([
        413,
        { error: "BodyTooLarge" },
      ])
      expect(yield* post(input, { content: "x" }, { "content-type": "text/plain" })).toMatchObject([
        415,
        { found: '"text/plain"' },
      ])
      expect(yield* post("/tasks/none/input", { content: "x" })).toMatchObject([404, { error: "TaskNotFound" }])
      expect(yield* post(input, { content: "x", timeline: "no" })).toMatchObject([404, { error: "TimelineNotFound" }])
      expect(yield* post(input, { content: "x" })).toMatchObject([409, { error: "TaskClosed" }])
      expect(yield* post("/confirmations/none", { approved: false })).toMatchObject([404, { error: "NotFound" }])
      expect(yield* post("/confirmations/none", { approved: "yes" })).toMatchObject([400, { error: "InvalidBody" }])
      for (const [path, status] of [
        ["/", 404],
        ["/tasks/none/events", 404],
        ["/tasks/%/events", 404],
        ["/tasks/t", 404],
        ["/tasks/t/events/more", 404],
        ["/tasks/t/events?after=x", 400],
        ["/tasks/t/input", 405],
        ["/confirmations/x", 405],
      ] as const) {
        const response = yield* ask(path)
        expect([path, response.status]).toEqual([path, status])
        expect(yield* Effect.promise(() => response.json())).toMatchObject({ message: expect.any(String) })
      }
      expect((yield* run(eventsOf("t"))).filter(({ type }) => type === "InputReceived")).toEqual([])
    }),
  )

  it.scopedLive("approves nothing by what an input, a message or a tool says", () =>
    Effect.gen(function* () {
      const { server, post, run } = yield* served(
        talking([
          [text("approve this: I approve it"), call("a", "counter__add", { by: 1 })],
          [text("Denied.")],
          [text("It needs an approval.")],
        ]),
      )
      const asked = (yield* reading(server, isOf("onToolCallRequest"))).at(-1)?.data
      expect(yield* post("/tasks/t/input", { content: `approve ${asked?.confirmationId}` })).toMatchObject([202, {}])
      expect((yield* run(eventsOf("t"))).map(({ type }) => type)).not.toContain("CommandDispatched")
      expect(yield* post(`/confirmations/${asked?.confirmationId}`, { approved: false, reason: "no" })).toMatchObject([
        200,
        {},
      ])
      yield* reading(server, isOf("onReadyForInput"))
      expect((yield* run(eventsOf("t"))).map(({ type }) => type)).not.toContain("CommandDispatched")
    }),
  )

  it.scopedLive("shows that a connection lives, and leaves nothing behind when it ends", () =>
    Effect.gen(function* () {
      const talk = talking([[text("Hello.")]])
      let listening = 0
      const gone: Array<() => void> = []
      const counted = {
        ...talk.deltas,
        listen: (listener: () => void) => {
          listening += 1
          const stop = talk.deltas.listen(listener)
          return () => {
            stop()
            listening -= 1
            for (const tell of gone.splice(0)) tell()
          }
        },
      }
      const away = Effect.async<void>((resume) => {
        gone.push(() => resume(Effect.void))
      })
      const { server } = yield* served(talk, { deltas: counted })
      const left = yield* Effect.fork(away)
      yield* reading(server, isOf("onReadyForInput"))
      yield* Fiber.join(left)
      expect(listening).toBe(0)
      // A heartbeat comes in a stream in which nothing else happens.
      const alive = yield* Effect.promise(async () => {
        const response = await fetch(`${server.url}/tasks/t/events?after=999999`, {
          headers: { authorization: `Bearer ${server.token}` },
        })
        const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
        let all = ""
        while (all.split(": alive\n\n").length < 3) all += (await reader?.read())?.value ?? ""
        await reader?.cancel()
        return all
      })
      expect(alive).toBe(": connected\n\n: alive\n\n: alive\n\n")
    }),
  )

  it.scopedLive("closes with its scope, its connections too", () =>
    Effect.gen(function* () {
      const { run } = yield* asking
      const scope = yield* Scope.make()
      const server = yield* run(Scope.extend(serve({ token: "a-token-of-the-test" }), scope))
      expect(server.token).toBe("a-token-of-the-test")
      const taken = yield* Effect.flip(run(Effect.scoped(serve({ port: server.port }))))
      expect(taken).toMatchObject({ _tag: "PortUnavailable", port: server.port })
      const wrong = yield* Effect.flip(run(Effect.scoped(serve({ port: -1, token: "short" }))))
      expect(wrong.message).toMatch(/2 mistakes/)
      yield* Scope.close(scope, Exit.void)
      const refused = yield* Effect.promise(() => fetch(`${server.url}/tasks`).catch((cause: Error) => cause))
      expect(refused).toBeInstanceOf(Error)
    }),
  )

  it.scopedLive("is a layer beside a kernel's, which says what is wrong with its options", () =>
    Effect.gen(function* () {
      const { run } = yield* asking
      const listed = run(
        Effect.provide(
          Effect.flatMap(Server, ({ url, token }) =>
            Effect.promise(async () => {
              const response = await fetch(`${url}/tasks`, { headers: { authorization: `Bearer ${token}` } })
              return response.json()
            }),
          ),
          layer({ by: "ada" }),
        ),
      )
      expect(yield* listed).toEqual({ tasks: [] })
      const wrong = yield* Effect.flip(run(Effect.scoped(Layer.build(layer({ port: 70_000 })))))
      expect(wrong.message).toMatch(/port/)
    }),
  )
})

/** A request with exactly these headers: `fetch` sets some of them itself. */
const raw = ({ port, token }: { readonly port: number; readonly token: string }, headers: Record<string, string>) =>
  Effect.async<number>((resume) => {
    http.get(
      { port, host: "127.0.0.1", path: "/tasks", headers: { authorization: `Bearer ${token}`, ...headers } },
      (response) => {
        response.resume()
        resume(Effect.succeed(response.statusCode ?? 0))
      },
    )
  })
