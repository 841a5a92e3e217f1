import { execFile } from "node:child_process"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { promisify } from "node:util"
import * as zlib from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fetchedModules } from "../fetched.ts"
import { inRepository } from "../repository.ts"
import { Database } from "../sqlite.ts"
import { workplace } from "../workplace.ts"
import { document, listed, start } from "./hindcast.ts"

const place = workplace()
const modules = fetchedModules("test/clients")

/** The versions of undici beside this package's own. The eighth needs a later Node. */
const isLater = Number(process.versions.node.split(".")[0]) > 22
const UNDICI = ["undici5", "undici6", ...(isLater ? ["undici8"] : [])]

const KEY = "sk-a-key-that-nobody-may-read"

/** A program that asks by each client that it is told, and prints what each got: texts, pieces, errors. */
const clients = place.file(
  "clients.mjs",
  `import http from "node:http"
import https from "node:https"
import { createRequire } from "node:module"
import { Readable } from "node:stream"
import { setTimeout as wait } from "node:timers/promises"
import zlib from "node:zlib"

const require = createRequire(${JSON.stringify(`${modules}/tests.js`)})
const { BASE } = process.env
const headers = { authorization: "Bearer ${KEY}", "content-type": "application/json" }
const asked = (said) => JSON.stringify({ model: "gpt-5", stream: true, messages: [{ role: "user", content: said }] })
const model = BASE + "/v1/chat/completions"

// Each piece as the client has it: a loop over a stream may get several as one.
const read = (body) =>
  new Promise((resolve, reject) => {
    const pieces = []
    body.on("data", (piece) => pieces.push(piece.toString())).on("end", () => resolve(pieces)).on("error", reject)
  })
const byHttp = (url, { body, ...options } = {}) =>
  new Promise((resolve, reject) => {
    const request = (url.startsWith("https:") ? https : http).request(url, options)
    request.on("response", resolve).on("error", reject)
    if (body?.pipe) body.pipe(request)
    else request.end(body)
  })
const post = (body) => ({ method: "POST", headers, body })

const tried = {
  axios: async () => {
    const { data, status } = await require("axios").post(model, asked("axios"), { headers })
    return { status, data }
  },
  axiosFails: () => require("axios").get(BASE + "/missing").catch(({ response, code }) => ({ code, status: response.status, data: response.data })),
  axiosRefused: () => require("axios").get("http://127.0.0.1:1/").catch(({ code, message }) => ({ code, message })),
  got: async () => {
    const { got } = await import(${JSON.stringify(`${modules}/got/dist/source/index.js`)})
    return got.post(model, { headers, body: asked("got"), retry: { limit: 0 } }).text()
  },
  nodeFetch: async () => (await require("node-fetch")(model, post(asked("node-fetch")))).text(),
  smithy: async () => {
    const { NodeHttpHandler } = require("@smithy/node-http-handler")
    const { protocol, hostname, port } = new URL(BASE)
    const { response } = await new NodeHttpHandler().handle({ protocol, hostname, port: Number(port), path: "/v1/chat/completions", query: {}, method: "POST", headers, body: asked("smithy") })
    return read(response.body)
  },
  stream: async () => read(await byHttp(model, post(asked("stream")))),
  zipped: async () => {
    const response = await byHttp(BASE + "/zipped", { headers: { "accept-encoding": "gzip" } })
    const { "content-encoding": encoding } = response.headers
    return (await read(encoding === "gzip" ? response.pipe(zlib.createGunzip()) : response)).join("")
  },
  cutZip: async () => {
    const response = await byHttp(BASE + "/cut-zip", { headers: { "accept-encoding": "gzip" } })
    return read(response.headers["content-encoding"] === "gzip" ? response.pipe(zlib.createGunzip()) : response).catch(({ code }) => code)
  },
  cutZipFetched: async () => (await fetch(BASE + "/cut-zip")).text(),
  upload: async () => read(await byHttp(BASE + "/echo", { method: "PUT", body: Readable.from(["one ", "two ", "three"]) })),
  expected: () =>
    new Promise((resolve, reject) => {
      const request = (BASE.startsWith("https:") ? https : http).request(BASE + "/echo", { method: "POST", headers: { expect: "100-continue" } })
      const seen = []
      request.on("continue", () => { seen.push("continue"); request.end("late") })
      request.on("response", async (response) => resolve([...seen, ...(await read(response))])).on("error", reject)
      request.flushHeaders()
    }),
  head: async () => { const { statusCode } = await byHttp(BASE + "/echo", { method: "HEAD" }); return statusCode },
  none: async () => { const response = await byHttp(BASE + "/none"); return [response.statusCode, await read(response)] },
  broken: async () => read(await byHttp(BASE + "/broken")).catch(({ code, message }) => ({ code, message })),
  kept: async () => {
    const agent = new (BASE.startsWith("https:") ? https : http).Agent({ keepAlive: true, maxSockets: 1 })
    const all = await Promise.all(["a", "b", "c"].map(async (name) => (await read(await byHttp(BASE + "/echo?" + name, { agent, method: "POST", body: name }))).join("")))
    agent.destroy()
    return all
  },
  proxied: async () => {
    const { HttpProxyAgent } = await import(${JSON.stringify(inRepository("node_modules", "http-proxy-agent", "dist", "index.js"))})
    return read(await byHttp("http://model.example/echo?proxied", { agent: new HttpProxyAgent(process.env.PROXY), method: "POST", body: "by a proxy" }))
  },
  aborted: async () => {
    const signal = new AbortController()
    const response = await byHttp(model, { ...post(asked("aborted")), signal: signal.signal })
    const pieces = []
    return new Promise((resolve) => {
      response.on("data", (piece) => { pieces.push(piece.toString()); signal.abort() })
      response.on("error", ({ code, name }) => resolve([pieces, code, name]))
    })
  },
  ...Object.fromEntries([${UNDICI.map((name) => JSON.stringify(name)).join(", ")}, ${JSON.stringify(inRepository("node_modules", "undici", "index.js"))}].flatMap((name) => {
    const short = name.includes("/") ? "undici7" : name
    const undici = () => require(name)
    return [
      [short, async () => read((await undici().request(model, post(asked(short)))).body)],
      [short + "Fetch", async () => (await undici().fetch(model, post(asked(short + " fetch")))).text()],
      [short + "Agent", async () => { const { body } = await undici().request(BASE + "/echo", { method: "PUT", body: Readable.from(["x", "y"]), dispatcher: new (undici().Agent)() }); return (await read(body)).join("") }],
      [short + "Refused", () => undici().request("http://127.0.0.1:1/").catch(({ code }) => code)],
      [short + "Broken", async () => read((await undici().request(BASE + "/broken")).body).catch(({ name }) => name)],
    ]
  })),
}
const ended = {}
for (const name of process.argv[2] === "all" ? Object.keys(tried) : process.argv.slice(2)) ended[name] = await tried[name]().catch((error) => "threw " + (error.stack ?? error))
console.log(JSON.stringify(ended, null, 1))
process.exit(0)
`,
)

/** Pieces of a streamed answer, cut where no line ends. */
const streamed = (said: string) => {
  const event = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  const text = `${event({ role: "assistant", content: "You said " })}${event({ content: said })}${event({}, "stop")}data: [DONE]\n\n`
  return [text.slice(0, 25), text.slice(25, 90), text.slice(90)]
}

/** Has a log fail, as if its disk were full. */
const breakLog = (log: string) =>
  new Database(log).exec(
    "CREATE TRIGGER failing BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no more events'); END",
  )

const served: Array<string> = []
const provider = http.createServer((request, response) => {
  served.push(`${request.method} ${request.url}`)
  let body = ""
  request.on("data", (piece) => {
    body += piece
  })
  request.on("end", async () => {
    const path = new URL(request.url ?? "", "http://here").pathname
    if (path === "/break") breakLog(place.file(`stopped-${request.url?.split("?")[1]}.db`))
    if (path === "/v1/chat/completions") {
      response.setHeader("content-type", "text/event-stream")
      for (const piece of streamed(JSON.parse(body).messages[0].content)) {
        response.write(piece)
        await new Promise((resolve) => setImmediate(resolve))
      }
      if (!body.includes("aborted")) response.end()
    } else if (path === "/zipped") {
      response.setHeader("content-encoding", "gzip").end(zlib.gzipSync("what was zipped"))
    } else if (path === "/cut-zip") {
      response.setHeader("content-encoding", "gzip").end(zlib.gzipSync("what was zipped").subarray(0, -8))
    } else if (path === "/missing") response.writeHead(404, "Not Here").end("nothing")
    else if (path === "/none") response.writeHead(204).end()
    else if (path === "/broken") {
      response.writeHead(200, { "content-length": 100 }).write("half")
      setImmediate(() => request.socket.destroy())
    } else response.end(`echo ${body}`)
  })
})
provider.on("upgrade", (_, socket) => {
  socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: shout\r\n\r\nWELCOME")
  socket.on("data", (piece) => socket.write(piece.toString().toUpperCase())).on("error", () => {})
})
let env: Record<string, string> = {}

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve))
  const BASE = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  env = { BASE, PROXY: BASE }
})
afterAll(async () => {
  provider.closeAllConnections()
  provider.close()
  await place.remove()
})

const run = (...args: ReadonlyArray<string>) => start(args, { env }).ended

describe("a program whose clients are node:http, undici, and what is built on them", () => {
  it("is recorded by the rule of fetch, gets what it would get without it, and is replayed with every socket closed", async () => {
    const log = place.file("clients.db")
    const program = ["--", process.execPath, clients, "all"]
    const node = promisify(execFile)(process.execPath, [clients, "all"], { env: { ...process.env, ...env } })
    const plain = JSON.parse((await node).stdout)
    expect(plain).toMatchObject({
      axios: { status: 200, data: streamed("axios").join("") },
      got: streamed("got").join(""),
      axiosFails: { status: 404, data: "nothing" },
      axiosRefused: { code: "ECONNREFUSED" },
      nodeFetch: streamed("node-fetch").join(""),
      zipped: "what was zipped",
      upload: ["echo one two three"],
      expected: ["continue", "echo late"],
      head: 200,
      none: [204, []],
      kept: ["echo a", "echo b", "echo c"],
      broken: { code: "ECONNRESET" },
      cutZip: "Z_BUF_ERROR",
      cutZipFetched: "what was zipped",
      aborted: [[streamed("aborted")[0]], "ECONNRESET", "Error"],
      undici7Agent: "echo xy",
      undici5Fetch: streamed("undici5 fetch").join(""),
      undici6Refused: "ECONNREFUSED",
    })
    expect(plain.stream).toEqual(streamed("stream"))
    const recorded = await run("record", "--log", log, ...program)
    expect(JSON.parse(recorded.stdout)).toEqual(plain)
    expect(recorded.code).toBe(0)
    const events = await listed(["--log", log, "--limit", "1000"])
    const types = (type: string) => events.filter((event) => event.type === type).length
    expect({ models: types("ModelCalled"), others: types("IoCalled") }).toEqual({
      models: 8 + 2 * UNDICI.length,
      others: 17 + 3 * UNDICI.length,
    })
    expect(JSON.stringify(events)).not.toContain(KEY)

    const before = served.length
    const { tasks } = await document(["task", "ls", "--log", log])
    const [{ id }] = tasks as [{ id: string }]
    // By TLS too, and by a tunnel: nobody is there.
    for (const BASE of [env.BASE, "https://model.example"]) {
      const replaying = ["replay", id, "--log", log, ...program]
      const replayed = await start(replaying, { env: { ...env, BASE, PROXY: "http://127.0.0.1:1" } }).ended
      expect(JSON.parse(replayed.stdout)).toEqual(plain)
      expect(replayed).toMatchObject({ code: 0, stderr: expect.stringContaining("repeated task") })
    }
    expect(served.length).toBe(before)
  })

  it("is recorded with its worker threads and Node's children, which a replay answers, and names other processes", async () => {
    const log = place.file("children.db")
    const child = place.file(
      "child.mjs",
      `import http from "node:http"
import { parentPort, workerData } from "node:worker_threads"
const name = workerData ?? process.argv[2]
const byFetch = await (await fetch(process.env.BASE + "/echo?fetch", { method: "POST", body: name })).text()
const byHttp = await new Promise((resolve, reject) => {
  http.request(process.env.BASE + "/echo?http", { method: "POST" }, async (response) => resolve((await response.toArray()).join(""))).on("error", reject).end(name)
})
if (parentPort) parentPort.postMessage(byFetch + "," + byHttp)
else console.log(byFetch + "," + byHttp)
`,
    )
    const parent = place.file(
      "parent.mjs",
      `import { execFile, spawnSync } from "node:child_process"
import { promisify } from "node:util"
import { Worker } from "node:worker_threads"
const run = promisify(execFile)
const said = (worker) => new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject))
const file = ${JSON.stringify(child)}
console.log("child", (await run(process.execPath, [file, "child"], { env: { BASE: process.env.BASE } })).stdout.trim())
console.log("shell", (await run("sh", ["-c", '"' + process.execPath + '" ' + file + " shell"])).stdout.trim())
console.log("worker", await said(new Worker(file, { workerData: "worker", execArgv: [] })))
const text = "import('" + file + "')"
console.log("text", await said(new Worker(text, { eval: true, workerData: "text" })))
console.log("env", process.env.NODE_OPTIONS, process.env.HINDCAST_RUN)
spawnSync("true")
`,
    )
    const program = ["--log", log, "--", process.execPath, parent]
    const recorded = await run("record", ...program)
    const names = ["child", "shell", "worker", "text"]
    const said = `${names.map((name) => `${name} echo ${name},echo ${name}\n`).join("")}env undefined undefined\n`
    expect(recorded).toMatchObject({ code: 0, stdout: said })
    expect(recorded.stderr).toContain("Recorded 0 model requests and 8 other requests")
    expect(recorded.stderr).toContain("Seen, but not recorded:\n  a process: sh\n  a process started by")
    const { tasks } = await document(["task", "ls", "--log", log])
    const [{ id }] = tasks as [{ id: string }]
    const before = served.length
    const replayed = await run("replay", id, ...program)
    expect(replayed).toMatchObject({ code: 0, stdout: said })
    // Where the machine forbids namespaces, the replay says so.
    if (replayed.stderr.includes("did not close the network"))
      expect(replayed.stderr).toContain("to child programs other than Node (a process: sh, a process: true)")
    expect(served.length).toBe(before)
  })

  it("passes on what it cannot record, and names it with a count, in the log too", async () => {
    const log = place.file("unseen.db")
    const program = place.file(
      "unseen.mjs",
      `import http from "node:http"
import http2 from "node:http2"
import net from "node:net"
import undici from ${JSON.stringify(inRepository("node_modules", "undici", "index.js"))}
const { hostname, port } = new URL(process.env.BASE)
const connected = (socket, event = "connect") => new Promise((resolve, reject) => socket.once(event, resolve).once("error", reject))
for (let time = 0; time < 2; time++) {
  const socket = net.connect(port, hostname)
  await connected(socket)
  socket.destroy()
}
const session = http2.connect(process.env.BASE)
await connected(session)
session.destroy()
await new Promise((resolve, reject) => {
  const request = http.get(process.env.BASE + "/echo", { headers: { connection: "Upgrade", upgrade: "shout" } })
  request.on("error", reject).on("upgrade", (_, socket, head) => {
    console.log(head.toString())
    socket.on("data", (piece) => { console.log(piece.toString()); socket.destroy(); resolve() })
    socket.write("hello")
  })
})
const { socket } = await undici.upgrade(process.env.BASE + "/echo", { protocol: "shout" })
socket.destroy()
`,
    )
    const recorded = await run("record", "--log", log, "--", process.execPath, program)
    expect(recorded.stdout).toBe("WELCOME\nHELLO\n")
    // Nothing was recorded of it.
    expect(recorded.code).toBe(2)
    const { host, origin } = new URL(env.BASE ?? "")
    const items = [
      { what: "a connection", target: host, count: 3 },
      { what: "an upgrade to shout", target: origin, count: 2 },
    ]
    expect(recorded.stderr).toContain(`  a connection: ${host} (3 times)\n  an upgrade to shout: ${origin} (2 times)`)
    const events = await listed(["--log", log, "--type", "CaptureNoted"])
    expect(events).toMatchObject([{ payload: { unseen: items } }])
  })

  it("goes on in a fork with another model, by its own client", async () => {
    const log = place.file("forked.db")
    const turns = place.file(
      "turns.mjs",
      `import http from "node:http"
const ask = (content) => new Promise((resolve, reject) => {
  http.request(process.env.BASE + "/v1/chat/completions", { method: "POST" }, async (response) => resolve((await response.toArray()).join("")))
    .on("error", reject)
    .end(JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content }] }))
})
await ask("one")
console.log(await ask("two"))
`,
    )
    const program = ["--log", log, "--", process.execPath, turns]
    expect(await run("record", ...program)).toMatchObject({ code: 0, stdout: `${streamed("two").join("")}\n` })
    const [first] = await listed(["--log", log, "--type", "ModelResponded"])
    const before = served.length
    const forked = await run("fork", `@${first?.position}`, "--set", "model=gpt-5-mini", ...program)
    expect(forked).toMatchObject({ code: 0, stdout: `${streamed("two").join("")}\n` })
    expect(served.length).toBe(before + 1)
    const asked = await listed(["--log", log, "--timeline", "fork-1", "--type", "ModelCalled"])
    expect(asked.map(({ payload }) => (payload as { model: string }).model)).toEqual(["gpt-5", "gpt-5-mini"])
  })

  it("asks anew for what is live in a replay, and gets it decoded", async () => {
    const log = place.file("live.db")
    const program = ["--log", log, "--", process.execPath, clients, "zipped", "stream"]
    const recorded = await run("record", ...program)
    const { tasks } = await document(["task", "ls", "--log", log])
    const [{ id }] = tasks as [{ id: string }]
    const before = served.length
    const replayed = await run("replay", id, "--live", "tools", ...program)
    expect(replayed).toMatchObject({ code: 0, stdout: recorded.stdout })
    expect(replayed.stderr).toContain("sent again: 1 of its requests")
    expect(served.slice(before)).toEqual(["GET /zipped"])
  })

  it.each(["http", "undici"])("stops a request by %s where the log fails and the run is to stop", async (client) => {
    const log = place.file(`stopped-${client}.db`)
    const program = place.file(
      `stopped-${client}.mjs`,
      `import http from "node:http"
import undici from ${JSON.stringify(inRepository("node_modules", "undici", "index.js"))}
const get = { 
  http: (path) => new Promise((resolve, reject) => http.get(process.env.BASE + path, (response) => response.resume().on("end", resolve).on("error", reject)).on("error", reject)),
  undici: async (path) => (await undici.request(process.env.BASE + path)).body.dump(),
}.${client}
await get("/echo")
console.log(await get("/break?${client}").then(() => get("/echo")).then(() => "out", ({ message }) => message))
`,
    )
    const { stdout } = await run("record", "--on-log-failure", "stop", "--log", log, "--", process.execPath, program)
    expect(stdout).toMatch(/^Run \S+ stopped: its log \S+ failed: .*trigger/)
  })
})
