import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { PassThrough, Writable } from "node:stream"
import { afterAll, describe, expect, it } from "vitest"
import * as Gateway from "../../src/mcp/Gateway.ts"
import * as Outlet from "../../src/mcp/Outlet.ts"
import * as ServerProcess from "../../src/mcp/server/ServerProcess.ts"
import { workplace } from "../workplace.ts"
import { ALLOW, scripted } from "./gateway.ts"

const place = workplace()
afterAll(place.remove)

/** Bytes that a pipe and the streams around it take before a writer waits: at most. */
const PIPE_BYTES = 96 * 1024

/** A gateway whose client is a process that never reads what it gets. */
const withDeafClient = async <A>(
  options: Partial<Gateway.GatewayOptions> & {
    readonly received?: string
    readonly command?: readonly [string, ...string[]]
  },
  test: (client: {
    readonly write: (line: string) => void
    readonly stop: () => void
    readonly ended: Promise<Gateway.GatewayEnd>
    /** Bytes that the gateway has not read. */
    readonly unread: () => number
  }) => Promise<A>,
): Promise<A> => {
  const { received, command = scripted("plain", received), ...more } = options
  const deaf = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: ["pipe", "ignore", "inherit"] })
  deaf.stdin.on("error", () => {})
  const input = new PassThrough()
  const stopping = new AbortController()
  try {
    const ended = Gateway.run({
      ...{ server: "scripted", connect: () => ServerProcess.start(command), log: place.file(`${Math.random()}.db`) },
      ...{ gate: ALLOW, waitMs: 0, callMs: 60_000, note: () => {}, stop: stopping.signal, input, output: deaf.stdin },
      ...more,
    })
    return await test({
      ...{ write: (line) => input.write(`${line}\n`), stop: () => stopping.abort(), ended },
      unread: () => input.readableLength + input.writableLength,
    })
  } finally {
    deaf.kill("SIGKILL")
  }
}

const INITIALIZE = JSON.stringify({
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "deaf", version: "1" } },
})

const call = (id: number, name = "echo") =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: {} } })

const refused = (bytes: number) => Array.from({ length: Math.ceil(bytes / 100) }, () => '{"jsonrpc":"2.0"}')

const until = async (file: string): Promise<void> => {
  while (!fs.existsSync(file)) await turn()
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe("a client that stops reading", () => {
  it("does not keep its own calls from the server, and the gateway can be stopped", async () => {
    const received = place.file("received-1")
    await withDeafClient({ received }, async ({ write, stop, ended }) => {
      write(INITIALIZE)
      for (const line of refused(PIPE_BYTES)) write(line)
      write(call(2))
      await until(received)
      stop()
      expect(await ended).toMatchObject({ reason: "the gateway was stopped", isFailure: false })
    })
  })

  it("ends the gateway with the reason at the limit, and its server with it", async () => {
    const options = { maxUnread: PIPE_BYTES }
    await withDeafClient(options, async ({ write, ended }) => {
      write(INITIALIZE)
      for (const line of refused(2 * PIPE_BYTES)) write(line)
      expect(await ended).toMatchObject({
        reason: `the client does not read its input: more than ${PIPE_BYTES} bytes wait for it. Start it again`,
        isFailure: true,
      })
    })
  })

  it("does not keep the end of its server from being noticed", async () => {
    await withDeafClient({}, async ({ write, ended }) => {
      write(INITIALIZE)
      for (const line of refused(PIPE_BYTES)) write(line)
      write(call(2, "dies"))
      expect(await ended).toMatchObject({ reason: "the server ended (exit code 3)", isFailure: true })
    })
  })
})

describe("a server that stops reading", () => {
  it("is waited for without its client being read, and the gateway can be stopped", async () => {
    const command = [process.execPath, "-e", "setInterval(() => {}, 1000)"] as const
    await withDeafClient({ command }, async ({ write, stop, ended, unread }) => {
      write(INITIALIZE)
      const line = JSON.stringify({ jsonrpc: "2.0", method: "notifications/x", params: { text: "x".repeat(100_000) } })
      for (let times = 0; times < 40; times++) write(line)
      const all = unread()
      while (unread() === all) await turn()
      stop()
      expect(await ended).toMatchObject({ reason: "the gateway was stopped", isFailure: false })
    })
  })
})

describe("an outlet", () => {
  /** A stream whose reader takes a line when told. */
  const held = () => {
    const taken: Array<() => void> = []
    const stream = new Writable({ write: (_chunk, _encoding, done) => void taken.push(done) })
    return { stream, take: () => taken.shift()?.() }
  }
  const isResolved = async (promise: Promise<unknown>): Promise<boolean> =>
    (await Promise.race([promise.then(() => "yes"), new Promise((resolve) => setImmediate(resolve, "no"))])) === "yes"

  it("has no room while much waits, and is full over its limit", async () => {
    const { stream, take } = held()
    const outlet = Outlet.make(stream, 4 * 1024 * 1024)
    const line = "x".repeat(1024 * 1024)
    outlet.send(line)
    outlet.send(line)
    expect([await isResolved(outlet.room()), await isResolved(outlet.full)]).toEqual([false, false])
    for (let times = 0; times < 3; times++) outlet.send(line)
    expect(await isResolved(outlet.full)).toBe(true)
    const room = outlet.room()
    take()
    take()
    take()
    expect([await isResolved(room), await isResolved(outlet.written())]).toEqual([true, true])
  })

  it("keeps nobody waiting for a reader that is gone", async () => {
    const { stream } = held()
    const outlet = Outlet.make(stream)
    outlet.send("x".repeat(2 * 1024 * 1024))
    const waits = Promise.all([outlet.room(), outlet.written()])
    stream.destroy()
    await waits
    outlet.send("more")
    await outlet.written()
  })
})
