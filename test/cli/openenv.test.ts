/** Clients of OpenEnv: what its package 0.10 sent to its own server is sent to ours. `test/long` runs the package itself. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as net from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { MAIN } from "../built.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { hindcast } from "./hindcast.ts"
import { connect, frame } from "./openenv/webSocket.ts"

const place = workplace()
afterAll(place.remove)

const log = place.file("worlds.db")
let port: number
let end: () => Promise<void>

beforeAll(async () => {
  const child = spawn(process.execPath, [MAIN, "serve", "--openenv", "cart-pole", "--port", "0", "--log", log], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, HINDCAST_LOG: undefined },
  })
  const [line] = await once(child.stderr.setEncoding("utf8"), "data")
  port = Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(String(line))?.[1])
  const closed = once(child, "close")
  end = async () => {
    child.kill("SIGTERM")
    await closed
  }
}, 120_000)
afterAll(() => end())

const recorded = (name: string) =>
  JSON.parse(fs.readFileSync(inRepository("test", "cli", "openenv", `${name}.json`), "utf8"))

/** Sends a recorded request, and returns the status and the body of the answer. */
const exchanged = async (request: string) => {
  const [head = "", body = ""] = request.split(/\r\n\r\n(.*)/s)
  const [method = "GET", path = "/"] = head.split(" ")
  const headers = body === "" ? {} : { "content-type": "application/json" }
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers,
    ...(body === "" ? {} : { body }),
  })
  const answered: unknown = await answer.json()
  return { status: answer.status, body: answered as { readonly observation?: unknown } }
}

const gold: { readonly observation: ReadonlyArray<number> } = {
  observation: [0.02739560417830944, -0.006112155970185995, 0.03585979342460632, 0.019736802205443382],
}

describe("hindcast serve --openenv", () => {
  it("answers each message of a session as OpenEnv's own server does", async () => {
    const session = await connect(port)
    expect(session.head).toContain("sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    // RFC 6455, section 1.3, has this key and its answer.
    for (const { send, recv, end } of recorded("session")) {
      if (end !== undefined) {
        session.write(frame(1, send))
        expect(await session.closed()).toEqual([8, 1000])
        continue
      }
      const theirs = JSON.parse(recv)
      // Their environment echoes a message; ours takes an action.
      const ours = await session.ask(send.replace('"data": {"message": "hello"}', '"data": {"action": 1}'))
      expect([send, ours.type, ours.data.code]).toEqual([send, theirs.type, theirs.data.code])
      const fields = (data: object) => Object.keys(data).filter((key) => key !== "metadata" && key !== "errors")
      expect(Object.keys(ours.data)).toEqual(expect.arrayContaining(fields(theirs.data)))
    }
  })

  it("plays the world's own episode, and says when it is over and why", async () => {
    const session = await connect(port)
    const first = await session.ask('{"type":"reset","data":{"seed":42,"episode_id":"ep-1","unknown":1}}')
    expect(first).toEqual({
      type: "observation",
      data: {
        observation: { ...gold, terminated: false, truncated: false, info: {} },
        reward: 0,
        done: false,
        metadata: {},
      },
    })
    for (let step = 1; step <= 8; step++) await session.ask('{"type":"step","data":{"action":1,"metadata":{}}}')
    const { data: state } = await session.ask('{"type":"state"}')
    expect(state).toMatchObject({ episode_id: "ep-1", step_count: 8, task: expect.any(String) })
    const outside = await session.ask('{"type":"step","data":{"action":7}}')
    expect(outside.data).toMatchObject({ code: "VALIDATION_ERROR", message: expect.stringContaining("found 7") })
    let last = await session.ask('{"type":"step","data":{"action":1}}')
    while (!last.data.done) last = await session.ask('{"type":"step","data":{"action":1}}')
    expect(last.data.observation).toMatchObject({ terminated: true, truncated: false })
    const over = await session.ask('{"type":"step","data":{"action":1}}')
    expect(over.data).toMatchObject({ code: "EXECUTION_ERROR", message: expect.stringContaining("terminated") })
    const seed = await session.ask('{"type":"reset","data":{"seed":-1}}')
    expect(seed.data).toMatchObject({ code: "VALIDATION_ERROR", message: expect.stringContaining("data.seed") })
    // A client that vanishes leaves an episode, which is over at once.
    await session.ask('{"type":"reset","data":{"seed":1}}')
    const { data: left } = await session.ask('{"type":"state"}')
    session.vanish()
    const known = async () => JSON.parse((await hindcast(["task", "ls", "--log", log, "--json"])).stdout)
    let tasks = await known()
    const outcomeOf = (id: string) => tasks.tasks.find((task: { id: string }) => task.id === id)?.outcome
    while (outcomeOf(left.task) === null || outcomeOf(left.task) === undefined) tasks = await known()
    expect([outcomeOf(state.task), outcomeOf(left.task)]).toEqual(["failed", "truncated"])
  }, 120_000)

  const exchanges: ReadonlyArray<{ readonly request: string; readonly status: number }> = recorded("http").filter(
    // Ours has neither sessions without a connection nor tasks.
    ({ request }: { readonly request: string }) => !/session|tasks/.test(request),
  )

  it.each(exchanges)("answers over HTTP with the same status: $request", async ({ request, status }) => {
    // Their environment echoes a message; ours takes an action.
    const action = request.replace(/\{"message": "hello[a-z ]*"\}/, (found: string) =>
      '{"action": 1}'.padEnd(found.length),
    )
    const { status: ours, body } = await exchanged(action)
    expect(ours).toBe(status)
    if (request.startsWith("GET /schema")) expect(Object.keys(body)).toEqual(["action", "observation", "state"])
    if (request.startsWith("GET /metadata")) expect(body).toMatchObject({ name: "cart-pole", version: "1.0.0" })
    if (request.includes('"seed": 42')) expect(body.observation).toMatchObject(gold)
  })

  it("takes a message in several frames, answers pings, and refuses what no client may send", async () => {
    const good = await connect(port)
    good.write(Buffer.concat([frame(1, '{"type":', { isFinal: false }), frame(9, "hi"), frame(0, '"state"}')]))
    expect(await good.next()).toEqual({ opcode: 10, body: Buffer.from("hi") })
    expect(await good.json()).toMatchObject({ type: "state" })
    for (const [bytes, code] of [
      [frame(1, "{}", { isMasked: false }), 1002],
      [frame(0, "{}"), 1002],
      [frame(2, "{}"), 1003],
      [frame(1, Buffer.from([0xff])), 1007],
      [Buffer.from([0xc1, 0x80, 1, 2, 3, 4]), 1002],
      [Buffer.from([0x81, 0xff, 0, 0, 0, 0, 6, 64, 0, 0, 1, 2, 3, 4]), 1009],
    ] as const) {
      const bad = await connect(port)
      bad.write(bytes)
      expect(await bad.closed()).toEqual([8, code])
    }
    expect(await good.ask('{"type":"state"}')).toMatchObject({ type: "state" })
  })

  it("refuses pages of other sites, other paths, and what is no handshake", async () => {
    expect((await connect(port, "/ws", ["Origin: https://evil.example"])).head).toContain("403 Forbidden")
    expect((await connect(port, "/other")).head).toContain("404 Not Found")
    const plain = await exchanged("GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    expect(plain.status).toBe(404)
  })

  it("survives what is no handshake, a client that resets it, and messages that nest too deeply", async () => {
    const asked = net.connect(port, "127.0.0.1").setEncoding("latin1")
    const upgrade = "Upgrade: websocket\r\nConnection: Upgrade"
    asked.write(`GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${upgrade}\r\n\r\n`)
    expect(String((await once(asked, "data"))[0])).toMatch(/^HTTP\/1\.1 400 .*sec-websocket-version: 13\r\n/s)
    asked.resetAndDestroy()
    const session = await connect(port)
    const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`
    for (const text of [`{"type":"step","data":{"action":${nested(20_000)}}}`, `{"type":${nested(20_000)}}`]) {
      const { data } = await session.ask(text)
      expect(data).toEqual({
        code: "VALIDATION_ERROR",
        message: "Invalid message: expected at most 200 levels, found more",
      })
    }
    expect(await session.ask('{"type":"state"}')).toMatchObject({ type: "state" })
  })

  it("answers requests that would upgrade to another protocol over plain HTTP", async () => {
    const socket = net.connect(port, "127.0.0.1").setEncoding("utf8")
    let said = ""
    socket.on("data", (text) => {
      said += text
    })
    const body = '{"seed":42}'
    const upgrade = "Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"
    const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
    socket.write(`POST /reset HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${upgrade}${type}\r\n${body.slice(0, 4)}`)
    socket.write(body.slice(4))
    await once(socket, "close")
    const [head = "", answer = ""] = said.split(/\r\n\r\n(.*)/s)
    expect(head).toMatch(/^HTTP\/1\.1 200 /)
    expect(answer).toContain(String(gold.observation[0]))
  })

  it("is held up by no client that reads nothing", async () => {
    const deaf = net.connect(port, "127.0.0.1")
    await once(deaf, "connect")
    const handshake = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
    deaf.on("error", () => {})
    deaf.pause()
    deaf.write(
      `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${handshake}\r\n\r\n`,
    )
    // It reads none of the answers, which are more than the system's buffers hold.
    const asking = Buffer.concat(Array.from({ length: 2000 }, () => frame(1, '{"type":"nonsense"}')))
    for (let count = 0; count < 100; count++) deaf.write(asking)
    // It holds up nobody, and not the end of the server either, which the next test begins.
    expect(await (await connect(port)).ask('{"type":"state"}')).toMatchObject({ type: "state" })
  }, 120_000)

  it("ends sessions with itself, whatever their clients keep open", async () => {
    const [session, silent, refused] = [await connect(port), await connect(port), await connect(port, "/other")]
    const { data } = await session.ask('{"type":"reset","data":{"seed":3}}')
    expect(data.done).toBe(false)
    await end()
    expect(await Promise.all([session.closed(), silent.closed()])).toEqual([
      [8, 1001],
      [8, 1001],
    ])
    expect(refused.head).toContain("404")
    const { tasks } = JSON.parse((await hindcast(["task", "ls", "--log", log, "--json"])).stdout)
    expect(tasks.filter(({ outcome }: { readonly outcome: string | null }) => outcome === null)).toEqual([])
  })

  it("says what it needs", async () => {
    const asked = (...words: ReadonlyArray<string>) => hindcast(["serve", ...words])
    expect((await asked("--openenv", "cart-pole")).stderr).toContain("--port with --openenv")
    expect((await asked("--openenv", "cart-pole", "--port", "0", "--stdio")).stderr).toContain("--port alone")
    for (const command of [["serve"], ["studio"], ["proxy"], ["listen"]]) {
      const { stderr } = await hindcast([...command, "--port", "65536"])
      expect(stderr).toContain("a port, 0 to 65535")
    }
    const log = ["--log", place.file("other.db")]
    expect((await asked("--openenv", "nowhere", "--port", "0", ...log)).stderr).toContain("nowhere")
    expect((await asked("--openenv", "prisoners-dilemma", "--port", "0", ...log)).stderr).toContain("one agent")
    expect((await asked("--port", "0", ...log)).stderr).toContain("--log with --listener or --openenv")
  }, 120_000)
})
