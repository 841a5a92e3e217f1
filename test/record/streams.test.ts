/** Streams read through a recording `fetch` and a proxy: what the program gets and when, what the log says, and a replay. */

import { once } from "node:events"
import * as http from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { text as textOf } from "node:stream/consumers"
import * as zlib from "node:zlib"
import { afterAll, describe, expect, it } from "vitest"
import { bytesOf } from "../../src/agents/models/Cassette.ts"
import type { Fetch } from "../../src/agents/models/Fetch.ts"
import type { RecordedResponse } from "../../src/record/http/HttpMessage.ts"
import { record, replayed } from "../../src/record/index.ts"
import * as LiveRun from "../../src/record/LiveRun.ts"
import * as OutgoingRequests from "../../src/record/proxy/OutgoingRequests.ts"
import * as ProviderProxy from "../../src/record/proxy/ProviderProxy.ts"
import { pieces } from "./proxy/scripted.ts"
import { eventsOf, temporary } from "./recorded.ts"

/** Characters of one to four bytes. */
const WORDS = "tea 3 francs, thé, 茶, 🫖"

const told = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
const END = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`

/** An answer of the server: pieces that it writes, and what it does after the last one. */
interface Served {
  readonly pieces: ReadonlyArray<Uint8Array>
  /** `within`: it announces a longer piece and closes the connection. `never`: it waits. */
  readonly end: "clean" | "within" | "never"
  /** Whether the head says that the connection ends with the answer. Default: unless it ends `within`. */
  readonly isLast?: boolean
  /** Waits for `next` before every piece but the first. */
  readonly isGated?: boolean
  readonly encoding?: string
}

/** A request at the server. */
interface Serving {
  readonly next: () => void
  /** Resolves when the client has gone. */
  readonly gone: Promise<unknown>
}

/** Answers by path, and the requests there, the last one counts. */
const answers = new Map<string, Served>()
const serving = new Map<string, Serving>()

const server = http.createServer(async (request, response) => {
  await textOf(request)
  const path = new URL(request.url ?? "", "http://host").pathname
  const served = answers.get(path)
  const socket = response.socket as Socket
  socket.on("error", () => {})
  if (served === undefined) {
    socket.destroy()
    return
  }
  let next = () => {}
  let came = Promise.resolve()
  const arm = () => {
    came = new Promise((resolve) => {
      next = resolve
    })
  }
  arm()
  serving.set(path, { next: () => next(), gone: once(socket, "close") })
  const encoding = served.encoding === undefined ? "" : `content-encoding: ${served.encoding}\r\n`
  const last = (served.isLast ?? served.end !== "within") ? "connection: close\r\n" : ""
  const headers = `content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n${encoding}${last}`
  socket.write(`HTTP/1.1 200 OK\r\n${headers}\r\n`)
  for (const [index, piece] of served.pieces.entries()) {
    if (index > 0 && served.isGated === true) {
      await came
      arm()
    }
    socket.write(`${piece.byteLength.toString(16)}\r\n`)
    socket.write(piece)
    socket.write("\r\n")
  }
  if (served.end === "clean") socket.end("0\r\n\r\n")
  if (served.end === "within") {
    if (served.isGated === true) await came
    socket.end("ff\r\nsome of it")
  }
})
await once(server.listen(0, "127.0.0.1"), "listening")
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

let paths = 0
/** A new address with an answer. */
const at = (served: Served) => {
  const path = `/${++paths}/v1/chat/completions`
  answers.set(path, served)
  return { path, url: origin + path }
}

const asking = (content = "The price?"): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content }] }),
})

type Program = (fetch: Fetch) => Promise<unknown>

const saying = async (work: Promise<unknown>) => work.catch((error: Error) => `${error.name}: ${error.message}`)

/** What a program gets from `fetch` itself, from a recording one and from a replay, and the recorded events. */
const everyWay = async (program: Program) => {
  const direct = await saying(program(fetch))
  const log = temporary("streams.db")
  const run = await record({ log, goal: "Ask", agent: "clerk" })
  const recorded = await saying(program(run.fetch))
  await run.end("achieved")
  const events = await eventsOf(log)
  let again: unknown
  await replayed({ log, taskId: run.taskId }, async ({ fetch, end }) => {
    again = await saying(program(fetch))
    await end("achieved")
  })
  return { direct, recorded, again, ...readOf(events) }
}

/** The answers to models in a log: how each body ended, its bytes, and what is recorded of it. */
const readOf = (events: Awaited<ReturnType<typeof eventsOf>>) => {
  const bodies = events
    .filter(({ type, payload }) => type === "IoAnswered" && payload.io === "fetch")
    .map(({ payload }) => {
      const { end, chunks } = payload.result as unknown as RecordedResponse
      return { end, bytes: Buffer.concat(chunks.map(bytesOf)), chunks }
    })
  const told = events
    .filter(({ type }) => type === "ModelResponded" || type === "ModelFailed")
    .map(({ type, payload }) => ({ type, payload }))
  return { bodies, told }
}

const readerOf = (response: Response): ReadableStreamDefaultReader<Uint8Array> => {
  if (response.body === null) throw new Error("expected a body")
  return response.body.getReader()
}

/** Reads a number of bytes, in whichever pieces they come. */
const taking = async (reader: ReadableStreamDefaultReader<Uint8Array>, count: number): Promise<Buffer> => {
  let got = Buffer.alloc(0)
  while (got.byteLength < count) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`expected ${count} bytes, found ${got.byteLength}`)
    got = Buffer.concat([got, value])
  }
  return got
}

const answer = Buffer.from([0, 1, 2, 3].map((index) => told(`${index}: ${WORDS} `)).join("") + END)
/** Within a character of four bytes of the second message. */
const WITHIN = answer.lastIndexOf("🫖", answer.indexOf("1: ") + 60) + 2

describe("a stream", () => {
  it.each([
    ["in single bytes", pieces(answer, 1)],
    ["in pieces that split characters and lines", pieces(answer, 7)],
    ["whole", [answer]],
    ["in more than a socket takes at once", pieces(Buffer.alloc(300_000, answer), 70_000)],
  ])("is the same bytes to the program, in the log and in a replay: %s", async (_, sent) => {
    const { url } = at({ pieces: sent, end: "clean" })
    const all = Buffer.concat(sent)
    const { direct, recorded, again, bodies } = await everyWay(async (fetch) =>
      Buffer.from(await (await fetch(url, asking())).arrayBuffer()).toString("base64"),
    )
    expect(direct).toBe(all.toString("base64"))
    expect([recorded, again]).toEqual([direct, direct])
    expect(bodies).toHaveLength(1)
    expect(bodies[0]?.bytes.equals(all)).toBe(true)
    const times = bodies[0]?.chunks.map(([ms]) => ms) ?? []
    expect(times).toEqual([...times].sort((a, b) => a - b))
  })

  it("comes to a reader that brings its own buffer, smaller than the pieces", async () => {
    const { url } = at({ pieces: pieces(answer, 50), end: "clean" })
    const program: Program = async (fetch) => {
      const reader = (await fetch(url, asking())).body?.getReader({ mode: "byob" })
      const got: Array<Uint8Array> = []
      while (reader !== undefined) {
        const { value, done } = await reader.read(new Uint8Array(3))
        if (done) break
        got.push(value)
      }
      return Buffer.concat(got).toString("base64")
    }
    const { recorded, again, bodies } = await everyWay(program)
    expect([recorded, again]).toEqual([answer.toString("base64"), answer.toString("base64")])
    expect(bodies[0]).toMatchObject({ end: "clean", bytes: answer })
  })

  it.each(["gzip", "br", "deflate"] as const)("in %s is decoded once, and recorded as its text", async (encoding) => {
    const encode = { gzip: zlib.gzipSync, br: zlib.brotliCompressSync, deflate: zlib.deflateSync }[encoding]
    const { url } = at({ pieces: pieces(encode(answer), 11), end: "clean", encoding })
    const { direct, recorded, again, bodies } = await everyWay(async (fetch) => (await fetch(url, asking())).text())
    expect(direct).toBe(answer.toString())
    expect([recorded, again]).toEqual([direct, direct])
    expect(bodies[0]).toMatchObject({ end: "clean", bytes: answer })
  })
})

describe("a stream that the server breaks off within a piece and a character", () => {
  it.each([undefined, "gzip"])("fails as fetch does, keeps what came, and does so again (%s)", async (encoding) => {
    const half = encoding === undefined ? answer.subarray(0, WITHIN) : zlib.gzipSync(answer).subarray(0, 120)
    const { url } = at({ pieces: pieces(half, 30), end: "within", ...(encoding && { encoding }) })
    const { direct, recorded, again, bodies, told } = await everyWay(async (fetch) => {
      let got = Buffer.alloc(0)
      const ending = (async () => {
        for await (const piece of (await fetch(url, asking())).body ?? []) got = Buffer.concat([got, piece])
      })()
      return `${await saying(ending)} after ${got.toString("base64")}`
    })
    expect(direct).toMatch(/^TypeError: terminated after /)
    expect(recorded).toMatch(/^TypeError: terminated after /)
    expect(again).toBe(recorded)
    const got = Buffer.from(String(recorded).split(" after ")[1] ?? "", "base64")
    expect(bodies[0]).toMatchObject({ end: "cut", bytes: got })
    if (encoding === undefined) expect(got.subarray(0, WITHIN).equals(half)).toBe(true)
    expect(told).toMatchObject([{ type: "ModelFailed", payload: { kind: "cut-off" } }])
  })
})

it("is no whole answer where the connection closes within a piece, which fetch takes for an end on some Nodes", async () => {
  const half = answer.subarray(0, WITHIN)
  const { url } = at({ pieces: pieces(half, 30), end: "within", isLast: true })
  const { direct, recorded, again, bodies, told } = await everyWay(async (fetch) => (await fetch(url, asking())).text())
  expect([recorded, again]).toEqual([direct, direct])
  const came = Buffer.concat([half, Buffer.from("some of it")]).toString()
  expect([came, "TypeError: terminated"]).toContain(direct)
  expect(bodies.map(({ bytes }) => bytes.toString())).toEqual([came])
  expect(told).toMatchObject([{ type: "ModelFailed", payload: { kind: "cut-off" } }])
})

/** Ways in which a program leaves a stream, after it has read some of it. */
const leaving: Record<string, (response: Response, count: number, controller: AbortController) => Promise<unknown>> = {
  "cancels the reader": async (response, count) => {
    const reader = readerOf(response)
    const got = await taking(reader, count)
    await reader.cancel("enough")
    return got.toString("base64")
  },
  "breaks out of a loop": async (response, count) => {
    let got = Buffer.alloc(0)
    for await (const piece of response.body ?? []) {
      got = Buffer.concat([got, piece])
      if (got.byteLength >= count) break
    }
    return got.toString("base64")
  },
  "aborts while it waits for more": async (response, count, controller) => {
    const reader = readerOf(response)
    const got = await taking(reader, count)
    const waiting = saying(reader.read())
    controller.abort()
    return `${got.toString("base64")} ${await waiting}`
  },
}

describe.each(Object.entries(leaving))("a program that %s within a piece", (_, leave) => {
  it.each([undefined, "gzip"])(
    "ends the server's stream, and is recorded with what it had read (%s)",
    async (encoding) => {
      const half = encoding === undefined ? answer.subarray(0, WITHIN) : compressed(answer)
      const count = encoding === undefined ? WITHIN : answer.byteLength
      const { url, path } = at({ pieces: [half], end: "never", ...(encoding && { encoding }) })
      const program: Program = async (fetch) => {
        const controller = new AbortController()
        const left = await leave(await fetch(url, { ...asking(), signal: controller.signal }), count, controller)
        return left
      }
      const log = temporary("left.db")
      const run = await record({ log, goal: "Ask", agent: "clerk" })
      const recorded = await program(run.fetch)
      // Before the run ends: leaving alone ends it.
      await serving.get(path)?.gone
      await run.end("achieved")
      const { bodies, told } = readOf(await eventsOf(log))
      expect(String(recorded)).toContain(answer.subarray(0, count).toString("base64"))
      expect(recorded).toBe(await program(fetch))
      expect(bodies).toMatchObject([{ end: "cancelled", bytes: answer.subarray(0, count) }])
      expect(told).toMatchObject(
        encoding === undefined
          ? [{ type: "ModelFailed", payload: { kind: "cancelled" } }]
          : [{ type: "ModelResponded", payload: { response: { finish: "stop" } } }],
      )
      await replayed({ log, taskId: run.taskId }, async ({ fetch, end }) => {
        expect(await program(fetch)).toBe(recorded)
        await end("achieved")
      })
    },
  )
})

/** Compressed so far that all of it can be decoded, without an end. */
const compressed = (text: Uint8Array) => zlib.gzipSync(text, { finishFlush: zlib.constants.Z_SYNC_FLUSH })

describe("a body that is read twice", () => {
  const whole = () => at({ pieces: pieces(answer, 20), end: "clean" as const })

  it("gives both readers of a clone all of it, and is recorded once", async () => {
    const { url } = whole()
    const { direct, recorded, again, bodies } = await everyWay(async (fetch) => {
      const response = await fetch(url, asking())
      const other = response.clone()
      const [one, two] = await Promise.all([response.text(), other.text()])
      return [one === two, one, response.url === other.url, await saying(response.text())]
    })
    expect(direct).toMatchObject([true, answer.toString(), true, expect.stringContaining("TypeError")])
    expect([recorded, again]).toEqual([direct, direct])
    expect(bodies).toMatchObject([{ end: "clean", bytes: answer }])
  })

  it("goes on for one branch after the other was cancelled, and is whole in the log", async () => {
    const { url } = whole()
    const { direct, recorded, again, bodies } = await everyWay(async (fetch) => {
      const [one, two] = (await fetch(url, asking())).body?.tee() ?? []
      const reader = one?.getReader()
      await reader?.read()
      const cancelled = reader?.cancel()
      const got = two === undefined ? "" : await new Response(two).text()
      await cancelled
      return got
    })
    expect(direct).toBe(answer.toString())
    expect([recorded, again]).toEqual([direct, direct])
    expect(bodies).toMatchObject([{ end: "clean", bytes: answer }])
  })

  it("is cancelled once both branches are, and the server's stream ends", async () => {
    const { url, path } = at({ pieces: [answer.subarray(0, WITHIN)], end: "never" })
    const log = temporary("tee.db")
    const run = await record({ log, goal: "Ask", agent: "clerk" })
    const [one, two] = (await run.fetch(url, asking())).body?.tee() ?? []
    await Promise.all([one, two].map(async (branch) => branch?.getReader().read()))
    expect([one?.locked, two?.locked]).toEqual([true, true])
    const other = await run.fetch(url, asking("again"))
    const branches = other.body?.tee() ?? []
    const readers = branches.map((branch) => branch.getReader())
    await readers[0]?.read()
    await Promise.all(readers.map((reader) => reader.cancel()))
    await serving.get(path)?.gone
    await run.end("achieved")
    const { bodies } = readOf(await eventsOf(log))
    expect(bodies.map(({ end }) => end)).toEqual(["cancelled", "open"])
    expect(bodies.map(({ bytes }) => bytes.equals(answer.subarray(0, WITHIN)))).toEqual([true, true])
  })
})

describe("a stream that never ends", () => {
  it("does not hold the end of its run, which keeps what came until then, and goes on afterwards", async () => {
    const sent = pieces(answer, 100)
    const { url, path } = at({ pieces: sent, end: "never", isGated: true })
    const log = temporary("endless.db")
    const run = await record({ log, goal: "Ask", agent: "clerk" })
    const reader = readerOf(await run.fetch(url, asking()))
    const got = [await taking(reader, 1)]
    serving.get(path)?.next()
    got.push(await taking(reader, 1))
    const kept = Buffer.concat(got)
    const ending = run.end("achieved")
    // The program reads on while the run is closed.
    for (const _ of sent.slice(2)) {
      serving.get(path)?.next()
      got.push(await taking(reader, 1))
    }
    await ending
    expect(Buffer.concat(got).equals(answer)).toBe(true)
    await reader.cancel()
    await serving.get(path)?.gone
    const { bodies, told } = readOf(await eventsOf(log))
    expect(bodies).toMatchObject([{ end: "open", bytes: kept }])
    expect(told).toMatchObject([{ type: "ModelFailed", payload: { kind: "cancelled" } }])
  })
})

describe("a run that ends while a commit is under way", () => {
  it("keeps of an open stream what its model said until then, and no later piece", async () => {
    const left = [...pieces(answer, 100)]
    // All pieces are at hand, so that the program reads them before the commit ends.
    const body = new ReadableStream({
      pull: (controller) => {
        const piece = left.shift()
        if (piece === undefined) controller.close()
        else controller.enqueue(piece)
      },
    })
    const log = temporary("later.db")
    const run = await record({ log, goal: "Ask", agent: "clerk", fetch: async () => new Response(body) })
    const save = run.io("save", () => "saved")
    const reader = readerOf(await run.fetch(`${origin}/v1/chat/completions`, asking()))
    const first = await taking(reader, 1)
    const saving = save()
    const ending = run.end("achieved")
    const rest = await textOf(remaining(reader))
    await Promise.all([saving, ending])
    expect(first.toString() + rest).toBe(answer.toString())
    const { bodies, told } = readOf(await eventsOf(log))
    expect(bodies.map(({ end, bytes }) => [end, bytes.toString()])).toEqual([["open", first.toString()]])
    expect(told).toMatchObject([{ type: "ModelFailed", payload: { kind: "cancelled" } }])
  })
})

async function* remaining(reader: ReadableStreamDefaultReader<Uint8Array>) {
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
}

describe("200 streams at once", () => {
  it("are each recorded with its own request, also where a third is left and a third breaks off", async () => {
    const log = temporary("many.db")
    const run = await record({ log, goal: "Ask", agent: "clerk" })
    const ends = ["whole", "left", "broken"] as const
    const talk = async (number: number) => {
      const how = ends[number % 3] ?? "whole"
      const name = `conversation ${number};`
      const body = Buffer.from(told(name) + told(WORDS) + (how === "whole" ? END : ""))
      const end = ({ whole: "clean", left: "never", broken: "within" } as const)[how]
      const { url } = at({ pieces: pieces(body, 9), end })
      const response = await run.fetch(url, asking(name))
      if (how === "whole") return expect(await response.text()).toBe(body.toString())
      if (how === "broken") return expect(response.text()).rejects.toThrow("terminated")
      const reader = readerOf(response)
      expect(await taking(reader, body.byteLength)).toEqual(body)
      return reader.cancel()
    }
    await Promise.all(Array.from({ length: 200 }, (_, number) => talk(number)))
    await run.end("achieved")
    const events = await eventsOf(log)
    const asked = new Map(
      events.filter(({ type }) => type === "ModelCalled").map(({ id, payload }) => [id, nameIn(payload)]),
    )
    expect(new Set(asked.values()).size).toBe(200)
    const { told: all } = readOf(events)
    expect(all).toHaveLength(200)
    const answered = events.filter(({ type }) => type === "ModelResponded" || type === "ModelFailed")
    expect(answered.filter((event) => asked.get(event.causationId ?? "") !== nameIn(event.payload))).toEqual([])
    const kinds = all.map(({ type, payload }) => (type === "ModelResponded" ? "whole" : String(payload.kind)))
    expect(
      Object.fromEntries(
        ["whole", "cancelled", "cut-off"].map((kind) => [kind, kinds.filter((one) => one === kind).length]),
      ),
    ).toEqual({
      whole: 67,
      cancelled: 67,
      "cut-off": 66,
    })
  })
})

const nameIn = (payload: unknown) => /conversation \d+;/.exec(JSON.stringify(payload))?.[0]

describe("a stream through a proxy", () => {
  /** A run recorded by a proxy before the server. */
  const proxied = async (path: string) => {
    const log = temporary("proxied.db")
    const run = await LiveRun.begin({ log, goal: "Ask", agent: "clerk" }, () => {}, { means: "proxy" })
    const env = { OPENAI_BASE_URL: origin + path.replace("/chat/completions", "") }
    const forwarding = OutgoingRequests.make()
    let unmetered = 0
    const proxy = await ProviderProxy.recording({
      onUnmetered: () => {
        unmetered += 1
      },
      routes: ProviderProxy.routes(env),
      forwarding,
      env,
      exchange: run.exchange,
    })
    const end = async () => {
      await proxy.close()
      forwarding.close()
      await run.end("achieved")
      return readOf(await eventsOf(log))
    }
    return { url: `${proxy.variables.OPENAI_BASE_URL}/chat/completions`, end, unmetered: () => unmetered }
  }

  it("brings each piece before the server sends the next one", async () => {
    const sent = pieces(answer, 90)
    const { path } = at({ pieces: sent, end: "clean", isGated: true })
    const { url, end } = await proxied(path)
    const reader = readerOf(await fetch(url, asking()))
    const got: Array<Buffer> = []
    for (const piece of sent) {
      got.push(await taking(reader, piece.byteLength))
      serving.get(path)?.next()
    }
    expect((await reader.read()).done).toBe(true)
    expect(Buffer.concat(got).equals(answer)).toBe(true)
    const { bodies } = await end()
    expect(bodies).toMatchObject([{ end: "clean", bytes: answer }])
    expect(bodies[0]?.chunks).toHaveLength(sent.length)
  })

  it.each([
    ["has none", answer, {}, 1],
    ["has some", Buffer.concat([answer, Buffer.from('data: {"choices":[],"usage": {"prompt_tokens":1}}\n\n')]), {}, 0],
    ["says the word", Buffer.concat([Buffer.from(told('the "usage" of tea')), answer]), {}, 1],
    ["was asked for it", answer, { stream_options: { include_usage: true } }, 0],
  ])("is without usage where it %s", async (_, sent, asked, expected) => {
    const { path } = at({ pieces: [sent], end: "clean" })
    const { url, end, unmetered } = await proxied(path)
    const body = JSON.stringify({ ...JSON.parse(String(asking().body)), ...asked })
    expect(await (await fetch(url, { ...asking(), body })).text()).toBe(sent.toString())
    await end()
    expect(unmetered()).toBe(expected)
  })

  it("ends at the server when the client leaves within a piece, and is recorded as left", async () => {
    const half = answer.subarray(0, WITHIN)
    const { path } = at({ pieces: [half], end: "never" })
    const { url, end } = await proxied(path)
    const reader = readerOf(await fetch(url, asking()))
    expect((await taking(reader, half.byteLength)).equals(half)).toBe(true)
    await reader.cancel()
    await serving.get(path)?.gone
    const { bodies, told } = await end()
    expect(bodies).toMatchObject([{ end: "cancelled", bytes: half }])
    expect(told).toMatchObject([{ type: "ModelFailed", payload: { kind: "cancelled" } }])
  })

  it("that never ends is recorded with what came once the proxy closes", async () => {
    const half = answer.subarray(0, WITHIN)
    const { path } = at({ pieces: [half], end: "never" })
    const { url, end } = await proxied(path)
    const reader = readerOf(await fetch(url, asking()))
    await taking(reader, half.byteLength)
    const left = saying(reader.read())
    const { bodies } = await end()
    expect(await left).toMatch("terminated")
    expect(bodies).toMatchObject([{ end: "cancelled", bytes: half }])
  })
})
