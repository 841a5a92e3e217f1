import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { Client, type ClientOptions } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Effect } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { layerSqlite } from "../../../src/events/index.ts"
import { MAIN } from "../../built.ts"
import { appendWords, TASK, WORDS, wordsIn } from "../../personalWords.ts"
import { workplace } from "../../workplace.ts"
import { document, playLostKey } from "../hindcast.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const place = workplace()
const log = place.file("log.db")
const clients: Array<Client> = []

beforeAll(async () => {
  await playLostKey(log)
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})
afterAll(place.remove)

const connected = async (file: string, options: ClientOptions = {}, ...more: ReadonlyArray<string>) => {
  const client = new Client({ name: "test", version: "1.0.0" }, options)
  clients.push(client)
  const env = { PATH: process.env.PATH ?? "" }
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [MAIN, "mcp", "--log", file, ...more], env }),
  )
  return client
}

const call = async (client: Client, name: string, args: Record<string, unknown> = {}) => {
  const { content, isError = false } = await client.callTool({ name, arguments: args })
  const text = (content as ReadonlyArray<{ readonly text: string }>).map((one) => one.text).join("\n")
  return { text, isError }
}

const TOOLS = [
  ...["explain_failure", "find_tasks", "why", "effects", "show", "skeleton", "saw", "state", "diff", "blame", "bisect"],
  ...["search", "compare", "align", "files", "file", "file_diff", "file_blame", "file_why"],
  "show_in_studio",
]

describe("hindcast mcp", () => {
  it.each([
    ["legacy", {}],
    ["auto", { versionNegotiation: { mode: "auto" } }],
    ["pinned", { versionNegotiation: { mode: { pin: "2026-07-28" } } }],
  ] as const)("answers a client of the mode %s, with tools that only read", async (_, options) => {
    const client = await connected(log, options)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(TOOLS)
    for (const { annotations } of tools) expect(annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false })
    const { text, isError } = await call(client, "explain_failure")
    expect(isError).toBe(false)
    expect(text).toContain("Find the document")
    expect(text).toMatch(/^<recorded>\n[\s\S]*\n<\/recorded>$/m)
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(["debug-task", "compare-agents", "write-a-rule"])
  })

  it("answers the frames of a client of 2025-03-26, and ends with its input", async () => {
    const child = spawn(process.execPath, [MAIN, "mcp", "--log", log], { stdio: ["pipe", "pipe", "pipe"] })
    const frames: Array<{ readonly id?: number; readonly result?: Record<string, unknown> }> = []
    let rest = ""
    const answered = new Promise<void>((resolve) =>
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        const lines = (rest + chunk).split("\n")
        rest = lines.pop() ?? ""
        for (const line of lines) frames.push(JSON.parse(line))
        if (frames.some(({ id }) => id === 2)) resolve()
      }),
    )
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
    const send = (frame: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...frame })}\n`)
    const clientInfo = { name: "old", version: "1" }
    send({ id: 1, method: "initialize", params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo } })
    send({ method: "notifications/initialized" })
    send({ id: 2, method: "tools/call", params: { name: "find_tasks", arguments: {} } })
    await answered
    child.stdin.end()
    expect(await ended).toBe(0)
    expect(frames.find(({ id }) => id === 1)?.result).toMatchObject({ protocolVersion: "2025-03-26" })
    expect(JSON.stringify(frames.find(({ id }) => id === 2))).toContain("Find the document")
  })

  it("answers each tool about a played task, by positions", async () => {
    const client = await connected(log)
    const { tasks } = (await document(["task", "ls", "--log", log])) as { tasks: ReadonlyArray<{ id: string }> }
    const id = tasks[0]?.id ?? ""
    const asked: ReadonlyArray<readonly [string, Record<string, unknown>, RegExp]> = [
      ["find_tasks", { query: "document", sort: "worst" }, /@\d+–@\d+ .* achieved .* score 1\.8 of 1\.8/],
      ["why", { event: "@30" }, /^@30 CommandSucceeded[\s\S]*@4 TaskOpened/m],
      ["effects", { event: "@10" }, /@11 ActuatorCommanded/],
      ["show", { event: "@14" }, /@14 CommandFailed[\s\S]*"locked"/],
      ["show", { event: "@14", field: "/error/code" }, /@14 \/error\/code:\n<recorded>\nlocked/],
      ["skeleton", { task: "@14", from: "@10", to: "@12" }, /1 routine event left out/],
      ["state", { path: "/tasks", at: "@20" }, /"goal": "Find the document"/],
      ["diff", { from: "@10", to: "@25", skip: 2 }, /Lines 3 to \d+ of \d+/],
      ["bisect", { when: 'event.type == "CommandFailed"' }, /first holds at @14/],
      ["search", { text: "BRASS KEY", task: "@14" }, /@\d+ CommandSucceeded \(result\) {2}…?.*brass key/],
      ["search", { when: 'event.type == "CommandFailed"' }, /@14 CommandFailed/],
      ["align", { a: "main", b: "main" }, /Nothing differs/],
      ["align", { a: id, b: id, more: [id] }, /\nrun +outcome.*\nA .*\nB .* none\nC .* none\n/],
    ]
    for (const [tool, args, expected] of asked) {
      const { text, isError } = await call(client, tool, args)
      expect({ tool, isError, text }).toEqual({ tool, isError: false, text: expect.stringMatching(expected) })
    }
  })

  it("says what is wrong with arguments, and goes on", async () => {
    const client = await connected(log)
    const wrong: ReadonlyArray<readonly [string, Record<string, unknown>, RegExp]> = [
      ["show", { evnt: "@1" }, /evnt: is unexpected[\s\S]*event: is missing/],
      ["show", { event: "@99999" }, /There is no position @99999/],
      ["show", { event: "@14", field: "/nope" }, /expected a JSON Pointer to a part of the payload of @14/],
      ["state", { path: "" }, /a part of the state/],
      ["blame", { path: "/shared/nope" }, /There never was a value/],
      ["search", { when: "state.nope.x == 1" }, /existed at no moment/],
      ["search", { text: "a", when: "true" }, /either `text` or `when`/],
      ["bisect", { when: "event.type ==" }, /Predicate/],
      ["bisect", { when: "[1,2,3].map(x, [1,2,3].map(y, y))" }, /Predicate/],
      ["skeleton", { task: "../../etc/passwd\u001b[31m</recorded>" }, /\\u\{3c\}\/recorded/],
      ["find_tasks", { skip: -1 }, /skip/],
      ["compare", { a: "live", b: "nope" }, /No scoring "nope"/],
    ]
    for (const [tool, args, expected] of wrong) {
      const { text, isError } = await call(client, tool, args)
      expect({ tool, isError, text }).toEqual({ tool, isError: true, text: expect.stringMatching(expected) })
    }
    expect((await call(client, "find_tasks")).isError).toBe(false)
  })

  it("keeps personal data sealed, and decrypts it only with --personal", async () => {
    const file = place.file("personal.db")
    await Effect.runPromise(Effect.provide(appendWords, layerSqlite({ filename: file })))
    const seen = async (...more: ReadonlyArray<string>) => {
      const client = await connected(file, {}, ...more)
      const texts = [
        await call(client, "skeleton", { task: TASK, all: true }),
        await call(client, "search", { text: "ZQX" }),
      ]
      return texts.flatMap(({ text }) => wordsIn(text))
    }
    expect(await seen()).toEqual([])
    const open = await seen("--personal")
    expect(open.length).toBeGreaterThan(0)
    expect(WORDS).toEqual(expect.arrayContaining([...new Set(open)]))
  })

  it("starts before its log exists, and sees what is written meanwhile", async () => {
    const file = place.file("later.db")
    const client = await connected(file)
    const missing = await call(client, "find_tasks")
    expect(missing).toEqual({ isError: true, text: expect.stringContaining("expected a log, found no such file") })
    await playLostKey(file)
    expect((await call(client, "find_tasks")).text.match(/Find the document/g)).toHaveLength(1)
    await playLostKey(file)
    expect((await call(client, "find_tasks")).text.match(/Find the document/g)).toHaveLength(2)
  })

  it("says that a log is empty, or is none", async () => {
    const file = place.file("bare.db")
    await Effect.runPromise(Effect.scoped(Effect.provide(Effect.void, layerSqlite({ filename: file }))))
    const client = await connected(file)
    expect((await call(client, "explain_failure")).text).toContain("a log without tasks")
    expect((await call(client, "find_tasks")).text).toContain("None of 0 tasks fits")
    const letter = await connected(place.file("letter.db", "This is a letter. ".repeat(100)))
    expect((await call(letter, "find_tasks")).isError).toBe(true)
    expect(fs.readFileSync(place.file("letter.db"), "utf8").startsWith("This is a letter")).toBe(true)
  })

  it("has the course, the audit and the report of a task as resources", async () => {
    const client = await connected(log)
    const read = async (uri: string) => {
      const [content] = (await client.readResource({ uri })).contents
      return content !== undefined && "text" in content ? content.text : ""
    }
    expect(await read("hindcast://task/%4014")).toContain("@14 CommandFailed")
    expect(await read("hindcast://task/%4014/audit")).toContain("Score live")
    expect(await read("hindcast://task/%4014/report.html")).toMatch(/^<!doctype html>/i)
    await expect(client.readResource({ uri: "hindcast://task/nope" })).rejects.toThrow(/nope/)
  })
})
