import { once } from "node:events"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { Diverged, type Run, record, replayed } from "../../src/record/index.ts"
import { KEY, mockServer, server } from "../agents/models/servers.ts"
import { outside, placesOf } from "../wrongOptions.ts"
import { eventsOf, temporary } from "./recorded.ts"

/** Asks for a chat at a server that may be gone. */
const chat = (run: Run, url: string, messages: ReadonlyArray<object>, more: object = {}) =>
  run.fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ model: "gpt-5", messages, stream: true, ...more }),
  })

const user = (content: string) => ({ role: "user", content })

const piecesIn = async (response: Response): Promise<ReadonlyArray<string>> => {
  const pieces: Array<string> = []
  for await (const piece of response.body ?? []) pieces.push(Buffer.from(piece).toString("base64"))
  return pieces
}

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "it did not reject",
    (error: unknown) => error,
  )

/** Records a program and returns what it answered. */
const recorded = async <A>(log: string, program: (run: Run) => Promise<A>): Promise<A> => {
  const run = await record({ log, goal: "Be replayed", agent: "tester" })
  const answer = await program(run)
  await run.end("achieved")
  return answer
}

/** A request of each wire format, and the beginning of a streamed answer to it. */
const wires: Record<string, readonly [path: string, body: object, pieces: ReadonlyArray<string>]> = {
  "OpenAI's chat": [
    "/v1/chat/completions",
    { model: "m", stream: true, messages: [user("hello")] },
    ['data: {"choices":[{"index":0,"delta":{"content":"Good "}}]}\n\n', 'data: {"choices":[{"index":0,"del'],
  ],
  "OpenAI's responses": [
    "/v1/responses",
    { model: "m", stream: true, input: [user("hello")] },
    ['event: response.output_text.delta\ndata: {"type":"response.output_text.delta",', '"delta":"Good "}\n\n'],
  ],
  Anthropic: [
    "/v1/messages",
    { model: "m", stream: true, max_tokens: 9, messages: [user("hello")] },
    ['event: content_block_delta\ndata: {"type":"content_block_delta","index":0,', '"delta":{"type":"text_'],
  ],
  Gemini: [
    "/v1beta/models/m:streamGenerateContent?alt=sse",
    { contents: [{ role: "user", parts: [{ text: "hello" }] }] },
    ['data: {"candidates":[{"content":{"parts":[{"text":"Good "}]}}]}\n\n', 'data: {"cand'],
  ],
  Ollama: [
    "/api/chat",
    { model: "m", messages: [user("hello")] },
    ['{"message":{"role":"assistant","content":"Good "},"done":false}\n', '{"mess'],
  ],
}

/** What a program sees of a body: its pieces, and what it ended in. */
const seenOf = async (response: Response): Promise<ReadonlyArray<string>> => {
  const pieces: Array<string> = []
  try {
    for await (const piece of response.body ?? []) pieces.push(Buffer.from(piece).toString("base64"))
  } catch (error) {
    pieces.push(String(error))
  }
  return pieces
}

describe.each(Object.entries(wires))("a replayed request as %s", (_, [path, body, pieces]) => {
  it.scopedLive("is refused as it was, compressed as it was, and breaks off where it broke off, byte for byte", () =>
    Effect.gen(function* () {
      let asks = 0
      const refusal = JSON.stringify({ error: { message: "slow down – 茶", type: "rate_limit" } })
      const url = yield* server((_, response) => {
        asks++
        const headers = { "retry-after": "7", "x-request-id": `req_${asks}`, "content-type": "application/json" }
        if (asks === 1) return void response.writeHead(429, headers).end(refusal)
        if (asks === 2) {
          return void response.writeHead(529, { ...headers, "content-encoding": "gzip" }).end(gzipSync(refusal))
        }
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write(pieces[0])
        // Half of a character of three bytes ends the answer.
        setImmediate(() =>
          response.write(Buffer.concat([Buffer.from(pieces[1] ?? ""), Buffer.from("茶").subarray(0, 2)])),
        )
        setImmediate(() => setImmediate(() => setImmediate(() => response.destroy())))
      })
      const program = (url: string) => async (run: Run) => {
        const seen: Array<unknown> = []
        for (let ask = 0; ask < 3; ask++) {
          const response = await run.fetch(url + path, { method: "POST", body: JSON.stringify(body) })
          seen.push([response.status, response.headers.get("retry-after"), response.headers.get("x-request-id")])
          seen.push(await seenOf(response))
        }
        return seen
      }
      const log = temporary("wire.db")
      yield* Effect.promise(async () => {
        const first = await recorded(log, program(url))
        expect(first[0]).toEqual([429, "7", "req_1"])
        expect(first[3]).toEqual([Buffer.from(refusal).toString("base64")])
        expect(first[5]).toContain("TypeError: terminated")
        const kinds = (await eventsOf(log)).flatMap(({ type, payload }) =>
          type === "ModelFailed" ? [payload.kind] : [],
        )
        expect(kinds).toEqual(["rate-limited", "overloaded", "cut-off"])
        expect(await replayed({ log }, program("http://gone.invalid"))).toEqual(first)
      })
    }),
  )
})

describe("a replayed run", () => {
  it("fails as a request failed, with what programs decide by", async () => {
    const closed = http.createServer().listen(0, "127.0.0.1")
    await once(closed, "listening")
    const { port } = closed.address() as AddressInfo
    closed.close()
    await once(closed, "close")
    const log = temporary("unreachable.db")
    const program = async (run: Run) => {
      const error = await rejection(chat(run, `http://127.0.0.1:${port}`, [user("hello")]))
      const { name, message, cause } = error as Error & { readonly cause: Error & { readonly code: unknown } }
      return { name, message, isTyped: error instanceof TypeError, cause: [cause.name, cause.message, cause.code] }
    }
    const was = await recorded(log, program)
    expect(was).toMatchObject({
      isTyped: true,
      message: "fetch failed",
      cause: ["Error", expect.stringContaining("ECONNREFUSED"), "ECONNREFUSED"],
    })
    expect(await replayed({ log }, program)).toEqual(was)
    // As where a name has several addresses.
    const several = Object.assign(new AggregateError([], ""), { code: "ECONNREFUSED" })
    const other = temporary("several.db")
    const fetch = () => Promise.reject(new TypeError("fetch failed", { cause: several }))
    const run = await record({ log: other, goal: "Fail", agent: "tester", fetch })
    const both = await program(run)
    await run.end("failed")
    expect(await replayed({ log: other }, program)).toEqual(both)
    const strange = temporary("strange.db")
    const refuses = async (run: Run) => String(await rejection(chat(run, "http://gone.invalid", [user("hello")])))
    const refused = await record({
      log: strange,
      goal: "Fail",
      agent: "tester",
      fetch: () => Promise.reject(new RangeError("no such host here")),
    })
    expect(await refuses(refused)).toBe("RangeError: no such host here")
    await refused.end("failed")
    expect(await replayed({ log: strange }, refuses)).toBe("RangeError: no such host here")
    const [failed] = (await eventsOf(other)).filter(({ type }) => type === "IoFailed")
    expect(failed?.payload).toMatchObject({ error: { message: "fetch failed: ECONNREFUSED" } })
  })

  it("gives a body in which a piece is empty to its end, as the recorder does", async () => {
    const log = temporary("empty.db")
    const fetch = async () =>
      new Response(
        new ReadableStream({
          start: (controller) => {
            for (const piece of ["", "a", "", "", "b", ""]) controller.enqueue(new TextEncoder().encode(piece))
            controller.close()
          },
        }),
      )
    const program = async (run: Run) => (await run.fetch("http://gone.invalid/")).text()
    const run = await record({ log, goal: "Read", agent: "tester", fetch })
    expect(await program(run)).toBe("ab")
    await run.end("achieved")
    expect(await replayed({ log }, program)).toBe("ab")
  })

  it.scopedLive("answers with the same pieces without a server: streams, refusals and cut streams", () =>
    Effect.gen(function* () {
      let asks = 0
      const flaky = yield* server((_, response) => {
        if (++asks === 1) return void response.writeHead(429, { "retry-after": "1" }).end("slow down")
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write("data: one\n\n")
        setImmediate(() => response.destroy())
      })
      const mock = yield* mockServer
      mock.onMessage("hello", { content: "Good morning, said the model." })
      const log = temporary("same.db")
      const program = (url: string, broken: string) => async (run: Run) => {
        const said = await piecesIn(await chat(run, url, [user("hello")]))
        const refused = await chat(run, broken, [user("hello")])
        const again = await chat(run, broken, [user("hello")])
        return [
          said,
          refused.status,
          refused.headers.get("retry-after"),
          await refused.text(),
          await rejection(again.text()),
        ]
      }
      yield* Effect.promise(async () => {
        const first = await recorded(log, program(mock.url, flaky))
        const before = await eventsOf(log)
        const second = await replayed({ log }, program("http://gone.invalid", "http://gone.invalid"))
        expect(second.map(String)).toEqual(first.map(String))
        expect((await eventsOf(log)).length).toBe(before.length)
      })
    }),
  )

  it.scopedLive("answers 64 concurrent requests, whatever their order", () =>
    Effect.gen(function* () {
      const url = yield* server((request, response) => {
        request.on("data", (body: Buffer) => response.end(`answer to ${body.toString()}`))
      })
      const log = temporary("concurrent.db")
      const program = (order: (numbers: ReadonlyArray<number>) => ReadonlyArray<number>) => async (run: Run) => {
        const numbers = order(Array.from({ length: 64 }, (_, index) => index))
        const answers = await Promise.all(
          numbers.map(async (number) => {
            const response = await run.fetch(`${url}/ask`, { method: "POST", body: `question ${number}` })
            return [number, await response.text()] as const
          }),
        )
        return answers.toSorted(([a], [b]) => a - b)
      }
      yield* Effect.promise(async () => {
        const first = await recorded(
          log,
          program((numbers) => numbers),
        )
        expect(first[63]).toEqual([63, "answer to question 63"])
        expect(
          await replayed(
            { log },
            program((numbers) => numbers.toReversed()),
          ),
        ).toEqual(first)
      })
    }),
  )

  it.live("answers for tools, calls, sensors, time and chance, and calls none of them", () =>
    Effect.promise(async () => {
      const log = temporary("functions.db")
      let calls = 0
      const program = async (run: Run) => {
        const add = run.tool("add", (a: number, b: number) => ++calls + a + b)
        const load = run.io("load", (key: string) => {
          calls++
          if (key === "lost") throw new RangeError("no such row")
          return { key }
        })
        const heat = run.sensor("heat", () => ++calls)
        return [
          await add(1, 2),
          await load("x"),
          String(await rejection(load("lost"))),
          await heat(),
          run.now(),
          run.random(),
        ]
      }
      const first = await recorded(log, program)
      expect(calls).toBe(4)
      expect(await replayed({ log }, program)).toEqual(first)
      expect(calls).toBe(4)
    }),
  )

  it.scopedLive("tells which words of which message a model would have read otherwise", () =>
    Effect.gen(function* () {
      const mock = yield* mockServer
      mock.onMessage(/.*/, { content: "Noted." })
      const log = temporary("diverged.db")
      const talk =
        (second: string, more: object = {}) =>
        async (run: Run) => {
          const answer = await (await chat(run, mock.url, [user("Hello")], { stream: false })).json()
          const { message } = (answer as { readonly choices: readonly [{ readonly message: object }] }).choices[0]
          await (await chat(run, mock.url, [user("Hello"), message, user(second)], more)).text()
        }
      yield* Effect.promise(async () => {
        await recorded(log, talk("Please send the letter to Alice today"))
        const position = (await eventsOf(log)).filter(({ type }) => type === "ModelCalled")[1]?.position
        const words = await rejection(replayed({ log }, talk("Please send the letter to Bob today")))
        expect(words).toBeInstanceOf(Diverged)
        expect(words).toMatchObject({
          position,
          difference: {
            where: "message 3 (user)",
            recorded: "… send the letter to [Alice] today",
            now: "… send the letter to [Bob] today",
          },
        })
        const settings = await rejection(
          replayed({ log }, talk("Please send the letter to Alice today", { temperature: 1 })),
        )
        expect(settings).toMatchObject({
          difference: { where: "the settings, at /temperature", recorded: "nothing", now: "1" },
        })
      })
    }),
  )

  it.live("rejects where the program asks for more, for less, or ends otherwise, also if it catches that", () =>
    Effect.promise(async () => {
      const log = temporary("more.db")
      const ask = (times: number) => async (run: Run) => {
        const load = run.io("load", (number: number) => number)
        for (let number = 0; number < times; number++) await load(number).catch(() => {})
      }
      await recorded(log, ask(2))
      await replayed({ log }, ask(2))
      expect(await rejection(replayed({ log }, ask(3)))).toMatchObject({ _tag: "Diverged", position: null })
      expect(await rejection(replayed({ log }, ask(1)))).toMatchObject({
        difference: { recorded: "io load", now: "the end of the program" },
      })
      expect(
        await rejection(replayed({ log }, async (run) => ask(2)(run).then(() => run.end("failed")))),
      ).toMatchObject({
        difference: { where: "the outcome", recorded: "achieved", now: "failed" },
      })
      expect(await rejection(replayed({ log }, () => Promise.reject(new Error("of its own"))))).toEqual(
        new Error("of its own"),
      )
    }),
  )

  it.live("diverges at a call of which the recording has no answer", () =>
    Effect.promise(async () => {
      const log = temporary("unanswered.db")
      const run = await record({ log, goal: "Wait", agent: "tester" })
      run
        .io("wait", () => new Promise(() => {}))()
        .catch(() => {})
      await run.io("next", () => 1)()
      await run.end("abandoned")
      const waiting = replayed({ log }, (run) => run.io("wait", () => 1)())
      expect(await rejection(waiting)).toMatchObject({ _tag: "Diverged", call: "io wait" })
    }),
  )

  it.live("needs a run that is there, in a log that is there", () =>
    Effect.promise(async () => {
      const log = temporary("none.db")
      await recorded(log, async () => {})
      const program = () => 1
      expect(await rejection(replayed({ log, taskId: "another" }, program))).toMatchObject({ _tag: "RunNotFound" })
      expect(await rejection(replayed({ log: `${log}.gone` }, program))).toMatchObject({ _tag: "LogUnavailable" })
      expect(placesOf(await rejection(replayed(outside({ log, task: "x" }), program)))).toEqual(["task: taskId?"])
    }),
  )
})

describe("a replayed run of which a part is live", () => {
  /** A program that asks a model what to do, does it by a tool, and tells the model. */
  const program = (url: string, prompt: string, price: (thing: string) => number) => async (run: Run) => {
    const said = async (messages: ReadonlyArray<object>) => {
      const answer = (await (await chat(run, url, messages, { stream: false })).json()) as {
        readonly choices: ReadonlyArray<{ readonly message: { readonly content: string } }>
      }
      return answer.choices[0]?.message.content ?? ""
    }
    const thing = await said([user(prompt)])
    const costs = await run.tool("price", price)(thing)
    return said([user(`${thing} costs ${costs}`)])
  }

  const models = Effect.map(mockServer, (mock) => {
    mock.onMessage("What to buy?", { content: "tea" })
    mock.onMessage("What must we buy?", { content: "tea" })
    mock.onMessage("What else?", { content: "milk" })
    mock.onMessage("tea costs 3", { content: "Buy it." })
    return mock
  })

  it.scopedLive("asks the model anew with the recorded tools, and diverges where another tool call comes of it", () =>
    Effect.gen(function* () {
      const { url } = yield* models
      const log = temporary("live-model.db")
      yield* Effect.promise(async () => {
        let calls = 0
        const price = () => {
          calls++
          return 3
        }
        expect(await recorded(log, program(url, "What to buy?", price))).toBe("Buy it.")
        const before = await eventsOf(log)
        expect(await replayed({ log, live: "model" }, program(url, "What must we buy?", price))).toBe("Buy it.")
        expect(await rejection(replayed({ log, live: "model" }, program(url, "What else?", price)))).toMatchObject({
          _tag: "Diverged",
          call: "tool program/price",
          difference: { recorded: '"tea"', now: '"milk"' },
        })
        expect([calls, (await eventsOf(log)).length]).toEqual([1, before.length])
      })
    }),
  )

  it.scopedLive("calls the tools anew with the recorded model, and tells what it would have read otherwise", () =>
    Effect.gen(function* () {
      const { url } = yield* models
      const log = temporary("live-tools.db")
      yield* Effect.promise(async () => {
        await recorded(
          log,
          program(url, "What to buy?", () => 3),
        )
        const gone = "http://gone.invalid"
        const called: Array<string> = []
        const same = program(gone, "What to buy?", (thing) => called.push(thing) + 2)
        expect(await replayed({ log, live: "tools" }, same)).toBe("Buy it.")
        expect(called).toEqual(["tea"])
        const other = rejection(
          replayed(
            { log, live: "tools" },
            program(gone, "What to buy?", () => 4),
          ),
        )
        expect(await other).toMatchObject({ _tag: "Diverged", call: "fetch", difference: { now: "tea costs [4]" } })
      })
    }),
  )

  it.live("refuses another part than model or tools", () =>
    Effect.promise(async () => {
      const log = temporary("live-none.db")
      await recorded(log, async () => {})
      expect(placesOf(await rejection(replayed(outside({ log, live: "all" }), () => 1)))).toEqual(["live"])
    }),
  )
})
