import * as dgram from "node:dgram"
import * as fs from "node:fs"
import * as http from "node:http"
import * as net from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, start } from "./hindcast.ts"

const place = workplace()
const log = place.file("closed.db")
const socket = place.file("own.sock")

/** A program that asks a model, and then tries every way out: it prints how each ended. */
const ways = place.file(
  "ways.mjs",
  `import { execFile, execSync, spawnSync } from "node:child_process"
import dgram from "node:dgram"
import dns from "node:dns"
import http from "node:http"
import http2 from "node:http2"
import https from "node:https"
import net, { connect } from "node:net"
import tls from "node:tls"
import { Worker } from "node:worker_threads"
import undici from ${JSON.stringify(inRepository("node_modules", "undici", "index.js"))}

const { PORT, UDP, SOCKET } = process.env
const port = Number(PORT)
const url = "http://127.0.0.1:" + port + "/way"
const emitted = (emitter, ...events) => new Promise((resolve, reject) => {
  for (const event of events) emitter.on(event, resolve)
  emitter.on("error", reject)
})
const ended = (worker) => new Promise((resolve, reject) => worker.on("message", ({ error }) => error ? reject({ message: error }) : resolve()))
const child = "fetch('" + url + "').then(async (answer) => { if (!answer.ok) throw new Error(await answer.text()) }).catch((error) => { console.error(error.cause?.message ?? error.message); process.exit(7) })"
const inWorker = \`const { parentPort } = require("node:worker_threads")
const net = require("node:net")
net.connect(\${port}, "127.0.0.1").on("connect", () => parentPort.postMessage({})).on("error", (error) => parentPort.postMessage({ error: error.message }))\`

const tried = {
  net: () => emitted(connect(port, "127.0.0.1"), "connect"),
  written: () => { const socket = net.connect({ port, host: "127.0.0.1" }); socket.write("hello"); return emitted(socket, "connect") },
  tls: () => emitted(tls.connect(port, "127.0.0.1"), "secureConnect"),
  http: () => emitted(http.get(url), "response"),
  https: () => emitted(https.get("https://127.0.0.1:" + port), "response"),
  http2: () => emitted(http2.connect("http://127.0.0.1:" + port), "connect"),
  undici: () => undici.request(url, { dispatcher: new undici.Agent() }).then(({ body }) => body.dump()),
  websocket: () => new Promise((resolve, reject) => {
    const socket = new undici.WebSocket("ws://127.0.0.1:" + port)
    socket.onopen = resolve
    // Why, a WebSocket does not say.
    socket.onerror = () => reject({ message: "not open" })
  }),
  dgram: () => new Promise((resolve, reject) => dgram.createSocket("udp4").send("hello", Number(UDP), "127.0.0.1", (error) => error ? reject(error) : resolve())),
  lookup: () => dns.promises.lookup("model.example"),
  resolve: () => new Promise((resolve, reject) => new dns.Resolver().resolve4("model.example", (error) => error ? reject(error) : resolve())),
  worker: () => ended(new Worker(inWorker, { eval: true })),
  file: () => ended(new Worker(new URL(process.env.WORKER), { execArgv: [] })),
  execFile: () => new Promise((resolve, reject) => execFile(process.execPath, ["-e", child], { env: {} }, (error, _, stderr) => error ? reject({ message: stderr }) : resolve())),
  execSync: () => execSync('"' + process.execPath + '" -e "' + child + '"', { stdio: "pipe" }),
  spawnSync: () => { const { status, stderr } = spawnSync(process.execPath, ["-e", child], { encoding: "utf8" }); if (status) throw new Error(stderr) },
  unix: () => emitted(net.connect(SOCKET), "connect"),
  own: () => new Promise((resolve, reject) => {
    const server = net.createServer((connection) => connection.end("mine")).listen(0, "127.0.0.1", () =>
      emitted(net.connect(server.address().port), "data").then(resolve, reject).finally(() => server.close()))
  }),
  localhost: () => dns.promises.lookup("localhost"),
}
await (await fetch(process.env.BASE)).text()
const ended_ = {}
for (const name of process.argv.slice(2)) ended_[name] = await Promise.resolve().then(tried[name]).then(() => "out", (error) => error.message ?? error.error?.message ?? String(error))
console.log(JSON.stringify(ended_))
process.exit(0)
`,
)

/** What a program has in a file of its own for a worker. */
const worker = place.file(
  "worker.mjs",
  `import net from "node:net"
import { parentPort } from "node:worker_threads"
net.connect(Number(process.env.PORT), "127.0.0.1")
  .on("connect", () => parentPort.postMessage({}))
  .on("error", (error) => parentPort.postMessage({ error: error.message }))
`,
)

const CLOSED = [
  ...["net", "written", "tls", "http2", "websocket", "dgram", "lookup", "resolve"],
  ...["worker", "file", "execSync", "spawnSync"],
]
/** Clients whose requests are answered from the recording, which has none like them. */
const ANSWERED = ["http", "https", "undici", "execFile"]
const OPEN = ["unix", "own", "localhost"]

let reached = 0
/** Ends what is not the recorded request: an answer to TLS and HTTP/2 would be one of another protocol. */
const outside = http.createServer((request, response) => {
  reached += request.url === "/way" ? 1 : 0
  response.end("here")
})
const datagrams = dgram.createSocket("udp4", () => {
  reached += 1
})
const unix = net.createServer((connection) => connection.end())
let env: Record<string, string> = {}

beforeAll(async () => {
  outside.on("connection", () => {
    reached += 1
  })
  await Promise.all([
    new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve)),
    new Promise<void>((resolve) => datagrams.bind(0, "127.0.0.1", resolve)),
    new Promise<void>((resolve) => unix.listen(socket, resolve)),
  ])
  const PORT = String((outside.address() as net.AddressInfo).port)
  env = {
    PORT,
    UDP: String(datagrams.address().port),
    SOCKET: socket,
    BASE: `http://127.0.0.1:${PORT}/recorded`,
    WORKER: `file://${worker}`,
  }
})
afterAll(async () => {
  outside.close()
  datagrams.close()
  unix.close()
  await place.remove()
})

const run = (...args: ReadonlyArray<string>) => start(args, { env }).ended

const recorded = async () => {
  fs.rmSync(log, { force: true })
  await run("record", "--log", log, "--", process.execPath, ways)
  const { tasks } = await document(["task", "ls", "--log", log])
  return String((tasks as ReadonlyArray<{ id: string }>).at(-1)?.id)
}

describe("a replayed process", () => {
  it("has every way out closed, and the replay names what tried and where, with exit code 2", async () => {
    const id = await recorded()
    reached = 0
    const program = ["--", process.execPath, ways]
    const closed = await run("replay", id, "--log", log, ...program, ...CLOSED, ...ANSWERED, ...OPEN)
    const how: Record<string, string> = JSON.parse(closed.stdout)
    const refused = expect.stringMatching(/has no network access.*--allow-host/s)
    expect(how).toEqual({
      ...Object.fromEntries(CLOSED.map((name) => [name, refused])),
      ...Object.fromEntries(OPEN.map((name) => [name, "out"])),
      ...Object.fromEntries(
        ANSWERED.map((name) => [name, expect.stringContaining("in the calls of fetch, expected no further call")]),
      ),
      websocket: "not open",
    })
    expect(reached).toBe(0)
    expect(closed.code).toBe(2)
    expect(closed.stderr).toContain(`a connection to 127.0.0.1:${env.PORT}, 9 times, at `)
    expect(closed.stderr).toMatch(/a lookup of the name model\.example, 2 times, at \S*lookup \(.*ways\.mjs:\d+:\d+\)/)
    expect(closed.stderr).toContain(`a datagram to 127.0.0.1:${env.UDP}, at `)
    expect(closed.stderr).toContain(`--allow-host 127.0.0.1:${env.PORT}`)
    expect(closed.stderr).not.toContain("repeated task")

    const secure = await run("replay", id, "--log", log, ...program, "tls")
    expect(secure.stderr).toMatch(/a connection to 127\.0\.0\.1:\d+, at \S*tls \(.*ways\.mjs:\d+:\d+\)/)

    const allowed = ["--allow-host", `localhost:${env.PORT}`]
    const open = await run("replay", id, "--log", log, ...allowed, ...program, "net", "http", "worker", "spawnSync")
    expect(JSON.parse(open.stdout)).toEqual({ net: "out", http: "out", worker: "out", spawnSync: "out" })
    expect(open).toMatchObject({ code: 0, stderr: expect.stringContaining("repeated task") })
    expect(reached).toBeGreaterThanOrEqual(4)
  })

  it("leaves no network to the other programs that it starts, nor to bare handles, or says why it cannot", async () => {
    fs.rmSync(log, { force: true })
    const others = place.file(
      "others.mjs",
      `import { spawn } from "node:child_process"
import http from "node:http"
await (await fetch(process.env.BASE)).text()
const ended = (command, ...args) => new Promise((resolve) => spawn(command, args).on("close", (code) => resolve(code === 0 ? "out" : "closed")))
const reached = (port) => ended("bash", "-c", "echo > /dev/tcp/127.0.0.1/" + port)
const { TCP, TCPConnectWrap, constants } = process.binding("tcp_wrap")
const bare = () => new Promise((resolve) => {
  const [handle, request] = [new TCP(constants.SOCKET), new TCPConnectWrap()]
  request.oncomplete = (status) => resolve(status === 0 ? "out" : "closed")
  if (handle.connect(request, "127.0.0.1", Number(process.env.PORT)) !== 0) resolve("closed")
})
const own = http.createServer((_, response) => response.end()).listen(0, "127.0.0.1")
await new Promise((resolve) => own.once("listening", resolve))
console.log(JSON.stringify({ shell: await reached(process.env.PORT), own: await reached(own.address().port), bare: process.argv[2] ? await bare() : "" }))
own.close()
if (process.argv[3]) process.kill(process.pid, process.argv[3])
`,
    )
    const program = ["--", process.execPath, others]
    const of = (text: string) => JSON.parse(text)
    await run("record", "--log", log, ...program, "", "SIGKILL")
    const { tasks } = await document(["task", "ls", "--log", log])
    const id = String((tasks as ReadonlyArray<{ id: string }>).at(-1)?.id)
    const killed = await run("replay", id, "--log", log, ...program, "", "SIGKILL")
    await run("record", "--log", log, ...program)
    const { tasks: all } = await document(["task", "ls", "--log", log])
    const other = String((all as ReadonlyArray<{ id: string }>).map((task) => task.id).find((task) => task !== id))
    const closed = await run("replay", other, "--log", log, ...program)
    const isOpen = closed.stderr.includes("did not close the network to child programs other than Node")
    // Where the machine forbids namespaces, the replay says so.
    if (isOpen) expect(closed.stderr).toMatch(/a process: bash \(2 times\)\): .+/)
    expect({ ...of(closed.stdout), code: closed.code }).toEqual({
      ...{ shell: isOpen ? "out" : "closed", own: "out", bare: "", code: 0 },
    })
    // A killed program compares nothing.
    expect(killed.stderr).toContain("found one that ended by SIGKILL")

    const bare = await run("replay", other, "--log", log, ...program, "bare")
    expect({ ...of(bare.stdout), code: bare.code }).toMatchObject({ bare: "closed", code: 2 })
    expect(bare.stderr).toMatch(new RegExp(`a connection to 127.0.0.1:${env.PORT}, at .*others\\.mjs:\\d+`))

    const allowed = await run("replay", other, "--log", log, "--allow-host", `localhost:${env.PORT}`, ...program)
    expect(of(allowed.stdout)).toMatchObject({ shell: "out" })
    expect(allowed.stderr).toContain("repeated task")
    // What is neither of this machine's loopback nor a single port cannot be led into a namespace.
    const elsewhere = await run("replay", other, "--log", log, "--allow-host", "db.example:5432", ...program)
    expect(elsewhere.stderr).toContain("it may reach db.example:5432, and only loopback ports can be forwarded")
    const debugged = ["--", process.execPath, "--inspect=0", others]
    const reachable = await run("replay", other, "--log", log, ...debugged)
    expect(reachable.stderr).toContain("a debugger has to reach it")
  })

  it("is closed in a fork up to the moment, and open from there on", async () => {
    fs.rmSync(log, { force: true })
    const turns = place.file(
      "turns.mjs",
      `import net from "node:net"
const out = () => new Promise((resolve) => net.connect(process.env.PORT, "127.0.0.1").on("connect", () => resolve("out")).on("error", () => resolve("closed")))
await (await fetch(process.env.BASE)).text()
const first = await out()
await (await fetch(process.env.BASE + "?2")).text()
console.log(first, await out())
process.exit(0)`,
    )
    await run("record", "--log", log, "--", process.execPath, turns)
    const { events } = await document(["log", "ls", "--log", log, "--type", "IoAnswered"])
    const moments = (events as ReadonlyArray<{ position: number }>).map(({ position }) => `@${position}`)
    const forkAt = (moment: string) => run("fork", moment, "--log", log, "--", process.execPath, turns)
    expect(await forkAt(moments.at(-1) ?? "")).toMatchObject({ code: 2, stdout: "closed out\n" })
    expect(await forkAt(moments[0] ?? "")).toMatchObject({ code: 0, stdout: "out out\n" })
  })

  it("is ended where its main thread blocks on a worker thread that only it can answer, with exit code 2", async () => {
    fs.rmSync(log, { force: true })
    const blocking = place.file(
      "blocking.mjs",
      `import { Worker } from "node:worker_threads"
const flag = new Int32Array(new SharedArrayBuffer(4))
const asking = \`const { workerData: flag } = require("node:worker_threads")
fetch(process.env.BASE).then((answer) => answer.text()).finally(() => { Atomics.store(flag, 0, 1); Atomics.notify(flag, 0) })\`
new Worker(asking, { eval: true, workerData: flag })
if (process.argv[2] === "in turns") while (Atomics.wait(flag, 0, 0, 20) === "timed-out");
else Atomics.wait(flag, 0, 0)
console.log("woken")
`,
    )
    for (const how of ["once", "in turns"]) {
      const program = ["--", process.execPath, blocking, how]
      expect(await run("record", "--log", log, ...program)).toMatchObject({ code: 0, stdout: "woken\n" })
      const { tasks } = await document(["task", "ls", "--log", log])
      const id = String((tasks as ReadonlyArray<{ id: string }>).at(-1)?.id)
      const { code, stdout, stderr } = await run("replay", id, "--log", log, ...program)
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
      expect(stderr).toContain("found one that waits by `Atomics.wait` for a worker thread with a request")
      expect(stderr).toContain("record --proxy")
    }
  }, 90_000)

  it("may block for a while by Atomics.wait, and is answered then", async () => {
    fs.rmSync(log, { force: true })
    const sleeping = place.file(
      "sleeping.mjs",
      `import { Worker } from "node:worker_threads"
const asking = \`fetch(process.env.BASE).then((answer) => answer.text()).then((text) => require("node:worker_threads").parentPort.postMessage(text))\`
const worker = new Worker(asking, { eval: true })
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
worker.on("message", (text) => console.log(text))
`,
    )
    const program = ["--", process.execPath, sleeping]
    const recorded = await run("record", "--log", log, ...program)
    const { tasks } = await document(["task", "ls", "--log", log])
    const id = String((tasks as ReadonlyArray<{ id: string }>).at(-1)?.id)
    expect(recorded).toMatchObject({ code: 0, stdout: "here\n" })
    expect(await run("replay", id, "--log", log, ...program)).toMatchObject({ code: 0, stdout: "here\n" })
  })

  it("refuses a host of another form, and one for an agent of Hindcast's own", async () => {
    const program = ["--", process.execPath, ways]
    for (const host of ["http://model.example", "model.example:0", "model.example:99999", "a b"]) {
      const { code, stderr } = await hindcast(["fork", "@1", "--log", log, "--allow-host", host, ...program])
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("expected HOST:PORT or HOST") })
    }
    const { code, stderr } = await hindcast(["fork", "@1", "--log", log, "--allow-host", "localhost"])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("expected a program after --") })
  })
})
