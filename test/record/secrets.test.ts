import * as fs from "node:fs"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { forked, type Run, record, replayed } from "../../src/record/index.ts"
import { server } from "../agents/models/servers.ts"
import { eventsOf, temporary } from "./recorded.ts"

/** A key that is found wherever it should not be. */
const SECRET = "Zq9-4f9b1c7d2e8a6053"

/** Answers with what it was sent, or as the path says. */
const echo = server((request, response) => {
  const given: Array<Buffer> = []
  request.on("data", (piece: Buffer) => given.push(piece))
  request.on("end", () => {
    const { pathname } = new URL(request.url ?? "", "http://none")
    if (pathname === "/redirect") response.writeHead(302, { location: `/echo?access_token=${SECRET}` })
    if (pathname === "/cookie") response.writeHead(200, { "set-cookie": `sid=${SECRET}; HttpOnly` })
    if (pathname === "/given") {
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ data: [{ session: { accessToken: SECRET } }] }))
      return
    }
    response.end(JSON.stringify({ url: request.url, headers: request.headers, body: Buffer.concat(given).toString() }))
  })
})

const form = (field: string | Blob) => {
  const made = new FormData()
  made.set("password", SECRET)
  made.set("file", field)
  return made
}

const basic = Buffer.from(`user:${SECRET}`).toString("base64")

const ways: Record<string, readonly [path: string, init?: RequestInit]> = {
  "the header of Google": ["/echo", { headers: { "x-goog-api-key": SECRET } }],
  "a header of one's own": ["/echo", { headers: { "x-authorization": SECRET } }],
  "a password by basic authentication, which the server decodes": [
    `/${SECRET}`,
    { headers: { authorization: `Basic ${basic}` } },
  ],
  "one cookie of several, which the server repeats": [
    `/${SECRET}`,
    { headers: { cookie: `theme=dark; sid=${SECRET}; last=1` } },
  ],
  "a cookie that the server sets": ["/cookie"],
  "a signature in the query": [`/echo?sig=${SECRET}`],
  "a signature as Amazon has it": [`/echo?X-Amz-Signature=${SECRET}`],
  "a password in the query": [`/echo?password=${SECRET}`],
  "the fragment of a URL": [`/echo#access_token=${SECRET}`],
  "where a redirect went": ["/redirect"],
  "where a redirect would go": ["/redirect", { redirect: "manual" }],
  "a field deep in a body": ["/echo", { method: "POST", body: JSON.stringify({ auth: [{ password: SECRET }] }) }],
  "an authorization in a body": [
    "/echo",
    { method: "POST", body: JSON.stringify({ authorization: `Bearer ${SECRET}` }) },
  ],
  "a field of a form": ["/echo", { method: "POST", body: new URLSearchParams({ a: "b", client_secret: SECRET }) }],
  "a part of a form": ["/echo", { method: "POST", body: form("text") }],
  "a part of a form with a file": [
    "/echo",
    { method: "POST", body: form(new Blob([new Uint8Array([0, 255, 254, 128])])) },
  ],
  "a field deep in what a server gives": ["/given"],
}

const inLog = (log: string) =>
  [log, `${log}-wal`].some((file) => {
    const text = fs.existsSync(file) ? fs.readFileSync(file, "latin1") : ""
    return text.includes(SECRET) || text.includes(basic) || text.includes(Buffer.from(SECRET).toString("base64"))
  })

describe.each(Object.entries(ways))("a key in %s", (_, [path, init]) => {
  it.scopedLive("is not recorded, and the program can still be replayed", () =>
    Effect.gen(function* () {
      const url = yield* echo
      const log = temporary("secret.db")
      yield* Effect.promise(async () => {
        const run = await record({ log, goal: "Ask", agent: "tester" })
        const response = await run.fetch(url + path, init)
        await response.text()
        await run.end("achieved")
        expect(inLog(log)).toBe(false)
        const status = await replayed({ log }, async (run) => {
          const { status } = await run.fetch(url + path, init)
          await run.end("achieved")
          return status
        })
        expect(status).toBe(response.status)
      })
    }),
  )
})

/** Calls of functions that are given a key, or answer with one. */
const calls: Record<string, (run: Run) => Promise<unknown>> = {
  "an argument of a tool": (run) => run.tool("enter", (_: object) => "in")({ user: "ann", password: SECRET }),
  "an argument of a tool, which answers with it": (run) =>
    run.tool("enter", ({ apiKey }: { apiKey: string }) => `in by ${apiKey}`)({ apiKey: SECRET }),
  "an argument of a tool that fails with it": (run) =>
    run
      .tool("enter", ({ authorization }: { authorization: string }) => {
        throw new Error(`not let in with ${authorization}`)
      })({ authorization: `Bearer ${SECRET}` })
      .catch(() => "out"),
  "one of several arguments of a tool": (run) =>
    run.tool("enter", (_: string, __: object) => "in")("ann", { headers: [{ "x-api-key": SECRET }] }),
  "an argument of another function": (run) => run.io("query", (_: object) => 1)({ client_secret: SECRET }),
  "what a tool answers": (run) => run.tool("enter", () => ({ session: { accessToken: SECRET } }))(),
  "what another function answers": (run) => run.io("enter", () => [{ password: SECRET }])(),
  "what a sensor reads": (run) => run.sensor("door", () => ({ apiKey: SECRET }))(),
}

describe.each(Object.entries(calls))("a key in %s", (_, program) => {
  it("is not recorded, and the call can still be replayed", async () => {
    const log = temporary("called.db")
    const run = await record({ log, goal: "Enter", agent: "tester" })
    await program(run)
    await run.end("achieved")
    expect(inLog(log)).toBe(false)
    const again = await replayed({ log }, program)
    expect(JSON.stringify(again)).not.toContain(SECRET)
  })
})

describe("a recording", () => {
  it("has no key that a tool was given, where it comes later in a call of another and in a body", async () => {
    const log = temporary("later.db")
    const fetch = async () => new Response(`hello ${SECRET}`)
    const program = async (run: Run) => {
      await run.tool("enter", (_: object) => "in")({ password: SECRET })
      await run.tool("say", (text: string) => text.length)(`it is ${SECRET}`)
      await (await run.fetch("http://gone.invalid/")).text()
    }
    const run = await record({ log, goal: "Enter", agent: "tester", fetch })
    await program(run)
    await run.end("achieved")
    expect(inLog(log)).toBe(false)
    await replayed({ log }, program)
  })

  it("has no key in the reason of its end, nor in what a fork is given", async () => {
    const log = temporary("reason.db")
    const secrets = [SECRET]
    const run = await record({ log, goal: "Fail", agent: "tester", secrets })
    const io = run.io("first", () => 1)
    await io()
    await run.end("failed", `Incorrect key: ${SECRET}`)
    const program = async (run: Run) => {
      const read = [await run.io("first", () => 1)(), await run.io("second", () => 2)()]
      await run.end("failed", `Incorrect key: ${SECRET}`)
      return read
    }
    const { answer } = await forked({ log, at: "@1", secrets, set: { result: SECRET } }, program)
    expect(answer).toEqual([SECRET, 2])
    expect((await eventsOf(log)).at(-1)?.payload).toMatchObject({ reason: "Incorrect key: [redacted]" })
    expect(inLog(log)).toBe(false)
  })

  it("refuses a declared key that is too short to be removed, before anything is recorded", async () => {
    const log = temporary("short.db")
    const secrets = ["hunter2", SECRET]
    const mistakes = [
      { path: "secrets[0]", expected: expect.stringMatching(/^8 characters or more/), found: '"hunter2"' },
    ]
    const refused = { _tag: "InvalidOptions", problems: mistakes }
    await expect(record({ log, goal: "Ask", agent: "tester", secrets })).rejects.toMatchObject(refused)
    await expect(replayed({ log, secrets }, async () => {})).rejects.toMatchObject(refused)
    await expect(forked({ log, at: "@1", secrets }, async () => {})).rejects.toMatchObject(refused)
    expect(fs.existsSync(log)).toBe(false)
  })

  it("has no key of its goal", async () => {
    const log = temporary("goal.db")
    const run = await record({ log, goal: `Ask with ${SECRET}`, agent: "tester", secrets: [SECRET] })
    await run.end("achieved")
    expect(inLog(log)).toBe(false)
    expect((await eventsOf(log)).at(0)?.payload).toMatchObject({ goal: "Ask with [redacted]" })
  })

  it("goes on past a result of many words in a field that is named like a key", async () => {
    const log = temporary("words.db")
    const run = await record({ log, goal: "Read", agent: "tester" })
    const page = run.tool("page", () => ({ token: "word ".repeat(200_000) }))
    expect((await page()).token).toHaveLength(1_000_000)
    await run.end("achieved")
    expect((await eventsOf(log)).map(({ type }) => type)).toContain("CommandSucceeded")
  })

  it.each([201, 20_000])("has no key of a question and an answer that are nested %i levels deep", async (levels) => {
    const log = temporary("deep.db")
    const deep = "[".repeat(levels) + "]".repeat(levels)
    const fetch = async () => new Response(`{"access_token":"${SECRET}","x":${deep}}`)
    const run = await record({ log, goal: "Enter", agent: "tester", fetch })
    const body = `{"api_key":"given-${SECRET}","x":${deep}}`
    await (await run.fetch("http://gone.invalid/", { method: "POST", body })).text()
    await run.end("achieved")
    expect(inLog(log)).toBe(false)
  })

  it("has the response of a fetch of the program's own, which came from no URL", async () => {
    const log = temporary("own.db")
    const run = await record({ log, goal: "Ask", agent: "tester", fetch: async () => new Response("by hand") })
    expect(await (await run.fetch("http://gone.invalid/")).text()).toBe("by hand")
    await run.end("achieved")
    const { payload } = (await eventsOf(log)).find(({ type }) => type === "IoAnswered") ?? {}
    expect(payload?.result).toMatchObject({ url: "", chunks: [[expect.any(Number), "by hand"]] })
  })

  it("has no password of a URL that fetch refuses", async () => {
    const log = temporary("refused.db")
    const run = await record({ log, goal: "Ask", agent: "tester" })
    await expect(run.fetch(`http://user:${SECRET}@127.0.0.1:1/`)).rejects.toThrow("credentials")
    await run.end("failed")
    expect(inLog(log)).toBe(false)
  })

  it.scopedLive("takes no token of a model's probabilities for a key", () =>
    Effect.gen(function* () {
      const answer = JSON.stringify({ choices: [{ logprobs: { content: [{ token: "information", logprob: -1 }] } }] })
      const url = yield* server((_, response) => response.end(answer))
      const log = temporary("logprobs.db")
      yield* Effect.promise(async () => {
        const run = await record({ log, goal: "Ask", agent: "tester" })
        await (await run.fetch(url)).text()
        await run.end("achieved")
      })
      const events = yield* Effect.promise(() => eventsOf(log))
      expect(events.find(({ type }) => type === "IoAnswered")?.payload.result).toMatchObject({
        chunks: [[expect.any(Number), answer]],
      })
    }),
  )
})
