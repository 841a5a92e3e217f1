import { spawn } from "node:child_process"
import { once } from "node:events"
import * as https from "node:https"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Authority from "../../src/record/proxy/Authority.ts"
import { built } from "../built.ts"
import { workplace } from "../workplace.ts"
import { document, listed, start } from "./hindcast.ts"

const place = workplace()
let server: https.Server
let roots = ""
let base = ""
let asked = 0

beforeAll(async () => {
  const authority = await Authority.make()
  roots = place.file("roots.pem", authority.certificate)
  server = https.createServer(authority.certified("127.0.0.1"), async (request, response) => {
    asked++
    let body = ""
    for await (const piece of request) body += piece
    const [{ content }] = JSON.parse(body).messages
    const message = { role: "assistant", content: `heard ${content}` }
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] }))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  base = `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await place.remove()
})

/** Asks by `fetch` and by `node:https`, or, with a log, by the recording `fetch` of the library. */
const program = () =>
  place.file(
    "agent.mjs",
    `import http from "node:http"
import https from "node:https"
const [log, taskId] = process.argv.slice(2)
const url = process.env.OPENAI_BASE_URL + "/chat/completions"
const asking = (content) => ({ method: "POST", body: JSON.stringify({ model: "m", messages: [{ role: "user", content }] }) })
const said = ({ choices: [{ message }] }) => message.content
const ask = async (fetch) => said(await (await fetch(url, asking("fetch"))).json())
const byNode = () => new Promise((resolve, reject) => {
  const { method, body } = asking("node")
  const { request } = url.startsWith("https:") ? https : http
  request(url, { method }, async (response) => resolve(said(JSON.parse((await response.toArray()).join(""))))).on("error", reject).end(body)
})
if (log === undefined) console.log(await ask(fetch), await byNode())
else {
  const { record, replayed } = await import(${JSON.stringify(built("record", "index.js"))})
  const asks = async ({ fetch, end, taskId }) => { console.log(taskId, await ask(fetch)); await end("achieved") }
  if (taskId === undefined) await asks(await record({ log, goal: "Ask", agent: "clerk" }))
  else await replayed({ log, taskId }, asks)
}
`,
  )

const models = async (log: string) =>
  (await listed(["--log", log, "--type", "ModelResponded"])).map(
    ({ payload }) =>
      (payload as { readonly response: { readonly parts: ReadonlyArray<{ readonly text: string }> } }).response.parts[0]
        ?.text,
  )

describe("recording over TLS, from a server whose certificate the environment alone vouches for", () => {
  it.each([
    { way: "preload", options: [], env: () => ({ NODE_EXTRA_CA_CERTS: roots }) },
    // What clients of another language read, and Node does not.
    { way: "proxy", options: ["--proxy"], env: () => ({ SSL_CERT_FILE: roots }) },
  ])("works by $way, and in a replay without the server", async ({ way, options, env }) => {
    const log = place.file(`${way}.db`)
    const words = ["--log", log, "--", process.execPath, program()]
    const environment = { env: { OPENAI_BASE_URL: base, ...env() } }
    const recorded = await start(["record", ...options, ...words], environment).ended
    expect(recorded).toMatchObject({ code: 0, stdout: "heard fetch heard node\n" })
    expect(await models(log)).toEqual(["heard fetch", "heard node"])
    const before = asked
    const { tasks } = await document(["task", "ls", "--log", log])
    const [{ id }] = tasks as [{ id: string }]
    const replayed = await start(["replay", id, ...words], environment).ended
    expect(replayed).toMatchObject({ code: 0, stdout: "heard fetch heard node\n" })
    expect(asked).toBe(before)
  })

  it("works by the library's fetch", async () => {
    const log = place.file("library.db")
    const run = async (...args: ReadonlyArray<string>) => {
      const env = { ...process.env, OPENAI_BASE_URL: base, NODE_EXTRA_CA_CERTS: roots }
      const child = spawn(process.execPath, [program(), log, ...args], { env, stdio: ["ignore", "pipe", "inherit"] })
      const [pieces] = await Promise.all([child.stdout.setEncoding("utf8").toArray(), once(child, "close")])
      return pieces.join("").trim().split(" ")
    }
    const [taskId = "", ...said] = await run()
    expect(said).toEqual(["heard", "fetch"])
    expect(await models(log)).toEqual(["heard fetch"])
    const before = asked
    expect(await run(taskId)).toEqual([taskId, ...said])
    expect(asked).toBe(before)
  })
})
