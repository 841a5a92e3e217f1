import { spawn } from "node:child_process"
import { once } from "node:events"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { MAIN } from "../built.ts"
import { scripted } from "../mcp/gateway.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { playLostKey } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

const log = place.file("log.db")
const SESSION = inRepository("test", "importing", "sessions", "codex-session-simple.jsonl")

beforeAll(async () => {
  await playLostKey(log)
})

/** What an MCP client or an editor says first. Its answer shows that the command is at work. */
const HELLO = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
}

const AGENT = [process.execPath, inRepository("test", "acp", "agent.mjs")]

const EDITOR = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } }

/** Starts a command, and waits for its first output. */
const atWork = async (words: ReadonlyArray<string>, hello?: object) => {
  const env = { ...process.env, HINDCAST_STATE: place.file("state"), OPENAI_API_KEY: "sk-none" }
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ["pipe", "pipe", "pipe"], env })
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text
  })
  const ended = once(child, "close").then(([code]) => ({ code, said }))
  if (hello !== undefined) child.stdin.write(`${JSON.stringify(hello)}\n`)
  const isOver = await Promise.race([once(child.stdout, "data").then(() => false), ended.then(() => true)])
  if (isOver) throw new Error(`${words.join(" ")} ended at once: ${said}`)
  return { child, ended }
}

describe("a command that works until it is ended", () => {
  it.each<
    readonly [name: string, signal: NodeJS.Signals, words: () => ReadonlyArray<string>, hello: object | undefined]
  >([
    ["listen", "SIGINT", () => ["listen", "--port", "0", "--log", place.file("listen.db")], undefined],
    ["proxy", "SIGTERM", () => ["proxy", "--json", "--log", place.file("proxy.db")], undefined],
    ["hooks serve", "SIGINT", () => ["hooks", "serve", "--log", place.file("hooks.db")], undefined],
    ["studio", "SIGTERM", () => ["studio", "--log", log], undefined],
    ["export live", "SIGINT", () => ["export", "live", "--to", "http://127.0.0.1:9", "--log", log], undefined],
    [
      "import --follow",
      "SIGTERM",
      () => ["import", SESSION, "--follow", "--json", "--log", place.file("import.db")],
      undefined,
    ],
    ["serve", "SIGINT", () => ["serve", "--stdio"], { id: 1, method: "hello" }],
    ["mcp", "SIGINT", () => ["mcp", "--log", log], HELLO],
    ["mcp gate", "SIGTERM", () => ["mcp", "gate", "--log", place.file("gate.db"), "--", ...scripted("plain")], HELLO],
    ["acp", "SIGTERM", () => ["acp", "--model", "openai/gpt-5", "--log", place.file("acp.db")], EDITOR],
    ["acp record", "SIGINT", () => ["acp", "record", "--log", place.file("record.db"), "--", ...AGENT], EDITOR],
  ])("ends by a signal without an error: %s", async (_, signal, words, hello) => {
    const { child, ended } = await atWork(words(), hello)
    child.kill(signal)
    const { code, said } = await ended
    expect(said).not.toMatch(/error|Interrupted/i)
    expect(code).toBe(130)
  })
})
