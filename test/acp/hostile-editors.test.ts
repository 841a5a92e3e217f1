import { once } from "node:events"
import * as readline from "node:readline"
import { describe, expect, it } from "vitest"
import { eventsOf } from "../record/recorded.ts"
import { hindcast, logOf, type ModelAnswer, modelServer, project, start } from "./editing.ts"

interface Heard {
  readonly id?: unknown
  readonly method?: string
  readonly result?: { readonly sessionId?: string; readonly stopReason?: string }
  readonly error?: { readonly code: number; readonly message: string }
}

/** An editor that writes what it likes. */
const hostile = async (answers: Array<ModelAnswer> = [], options: Parameters<typeof project>[0] = {}) => {
  const directory = await project(options)
  const server = await modelServer(answers)
  const running = start(directory, server.url)
  const lines = readline.createInterface({ input: running.child.stdout })[Symbol.asyncIterator]()
  const write = (text: string) => void running.child.stdin.write(text)
  const say = (message: object) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const next = async (fits: (message: Heard) => boolean = () => true): Promise<Heard> => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done === true) throw new Error(`the agent ended: ${running.stderr()}`)
      const heard: Heard = JSON.parse(value)
      if (fits(heard)) return heard
    }
  }
  const answerTo = (id: unknown) => next((message) => message.id === id && message.method === undefined)
  const opened = async () => {
    say({ id: "i", method: "initialize", params: { protocolVersion: 1 } })
    await answerTo("i")
    say({ id: "n", method: "session/new", params: { cwd: directory, mcpServers: [] } })
    return (await answerTo("n")).result?.sessionId ?? ""
  }
  const prompt = (id: unknown, sessionId: string, text: string) =>
    say({ id, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text }] } })
  return { ...running, ...server, directory, write, say, next, answerTo, opened, prompt }
}

describe("hindcast acp, against a hostile editor", () => {
  it("answers garbage, unknown methods and wrong parameters, each with its code, and works on", async () => {
    const { write, say, next, answerTo, opened, prompt, child, ended } = await hostile([{ text: "Hello." }])
    write("garbage\n\n[1,2]\n{}\n\u0000\u00ff\n")
    for (const code of [-32_700, -32_600, -32_600, -32_700]) {
      expect(await next()).toMatchObject({ id: null, error: { code } })
    }
    write(`${"[".repeat(100_000)}\n`)
    expect(await next()).toMatchObject({ id: null, error: { code: -32_700 } })
    say({ id: 7, result: { outcome: { outcome: "selected", optionId: "allow" } } })
    say({ method: "no/such/notification", params: 7 })
    for (const method of ["no/such", "toString", "__proto__", "constructor", "authenticate"]) {
      say({ id: method, method })
      expect((await answerTo(method)).error?.code).toBe(-32_601)
    }
    const sessionId = await opened()
    const wrong: ReadonlyArray<readonly [method: string, params: unknown, code: number]> = [
      ["initialize", {}, -32_602],
      ["session/new", { cwd: "relative", mcpServers: [] }, -32_602],
      ["session/new", { cwd: "/no/such/directory", mcpServers: [] }, -32_602],
      ["session/new", [], -32_602],
      ["session/prompt", { sessionId, prompt: "text" }, -32_602],
      ["session/prompt", { sessionId, prompt: [] }, -32_602],
      ["session/prompt", { sessionId, prompt: [null] }, -32_602],
      ["session/list", { cursor: "x" }, -32_602],
      ["session/close", { sessionId: 7 }, -32_602],
    ]
    for (const [method, params, code] of wrong) {
      say({ id: "w", method, params })
      expect([method, params, (await answerTo("w")).error?.code]).toEqual([method, params, code])
    }
    prompt(9, sessionId, "Hello")
    expect((await answerTo(9)).result).toEqual({ stopReason: "end_turn" })
    child.stdin.end()
    expect((await ended).code).toBe(0)
  }, 60_000)

  it("refuses requests out of order, and records nothing for them", async () => {
    const { say, answerTo, opened, prompt, directory } = await hostile()
    prompt(1, "x", "Hello")
    expect((await answerTo(1)).error).toMatchObject({ code: -32_600 })
    say({ method: "session/cancel", params: { sessionId: "x" } })
    const sessionId = await opened()
    say({ method: "session/cancel", params: { sessionId } })
    prompt(2, "x", "Hello")
    expect((await answerTo(2)).error).toMatchObject({ code: -32_002 })
    say({ id: 3, method: "session/load", params: { sessionId: "x", cwd: directory, mcpServers: [] } })
    expect((await answerTo(3)).error).toMatchObject({ code: -32_002 })
    expect((await eventsOf(logOf(directory))).some(({ taskId }) => taskId !== null)).toBe(false)
  }, 60_000)

  it("takes one of two prompts at once, and refuses the other", async () => {
    const { say, answerTo, opened, prompt, directory, asked, next } = await hostile([{ text: "One", hangs: true }])
    const sessionId = await opened()
    prompt(1, sessionId, "The first")
    prompt(2, sessionId, "The second")
    expect((await answerTo(2)).error).toMatchObject({ code: -32_600 })
    await next(({ method }) => method === "session/update")
    say({ method: "session/cancel", params: { sessionId } })
    expect((await answerTo(1)).result).toEqual({ stopReason: "cancelled" })
    expect(JSON.stringify(asked)).not.toContain("The second")
    expect(JSON.stringify(await eventsOf(logOf(directory)))).not.toContain("The second")
  }, 60_000)

  it("reaches a prompt with a cancel that comes right behind it", async () => {
    const { say, answerTo, opened, prompt } = await hostile([{ text: "One", hangs: true }])
    const sessionId = await opened()
    prompt(1, sessionId, "Work for ever")
    say({ method: "session/cancel", params: { sessionId } })
    expect((await answerTo(1)).result).toEqual({ stopReason: "cancelled" })
  }, 60_000)

  it("withdraws its question from an editor once somebody else has answered it", async () => {
    const write = { calls: [["workspace__write_file", { path: "note.txt", content: "Hello" }]] } as const
    const { say, next, answerTo, opened, prompt, directory } = await hostile([write, { text: "Written." }], {
      tools: true,
    })
    prompt(1, await opened(), "Write a note")
    const asked = await next(({ method }) => method === "session/request_permission")
    const [question] = (await eventsOf(logOf(directory))).filter(({ type }) => type === "ConfirmationRequested")
    await hindcast(directory, ["confirm", "approve", "--yes", String(question?.payload.confirmationId)])
    const withdrawn = await next(({ method }) => method === "$/cancel_request")
    expect(withdrawn).toMatchObject({ params: { requestId: asked.id } })
    // The late answer of the editor changes nothing.
    say({ id: asked.id, result: { outcome: { outcome: "cancelled" } } })
    expect((await answerTo(1)).result).toEqual({ stopReason: "end_turn" })
    const decided = (await eventsOf(logOf(directory))).filter(({ type }) => type === "ConfirmationDecided")
    expect(decided.map(({ payload }) => payload.approved)).toEqual([true])
  }, 60_000)

  it("takes a prompt of 4 MB, and refuses a line of more than 32 MiB without keeping it", async () => {
    const { write, next, answerTo, opened, prompt, asked } = await hostile([{ text: "Long." }])
    const sessionId = await opened()
    const long = "word ".repeat(800_000)
    prompt(1, sessionId, long)
    expect((await answerTo(1)).result).toEqual({ stopReason: "end_turn" })
    expect(JSON.stringify(asked[0]?.messages)).toContain(long.trim())
    for (let megabytes = 0; megabytes < 40; megabytes += 4) write("x".repeat(4 * 1024 * 1024))
    write("\n")
    expect((await next(({ id }) => id === null)).error).toMatchObject({ code: -32_700 })
  }, 60_000)

  it("refuses a second editor on the same log, and says who works on it", async () => {
    const first = await hostile()
    await first.opened()
    const second = start(first.directory, first.url)
    second.child.stdin.write(
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } })}\n` +
        `${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "session/new", params: { cwd: first.directory, mcpServers: [] } })}\n`,
    )
    const lines = readline.createInterface({ input: second.child.stdout })
    await once(lines, "line")
    const [line] = await once(lines, "line")
    expect(JSON.parse(line)).toMatchObject({ id: 2, error: { code: -32_603 } })
    expect(line).toContain("hindcast acp of")
  }, 60_000)
})
