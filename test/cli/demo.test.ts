import * as fs from "node:fs"
import type * as http from "node:http"
import * as path from "node:path"
import { stripVTControlCharacters } from "node:util"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { server } from "../agents/models/servers.ts"
import { workplace } from "../workplace.ts"
import { document, type Ended, hindcast, start } from "./hindcast.ts"
import { inTerminal } from "./terminal.ts"
import { argumentsOf, wrongWith } from "./typed.ts"

const place = workplace()
afterAll(place.remove)

/** Starts the demo where nothing says which log to use. */
const demo = (...args: ReadonlyArray<string>): Promise<Ended> =>
  start(["demo", ...args], { cwd: place.directory }).ended

interface Listed {
  readonly timeline: string
  readonly type: string
  readonly payload: Record<string, unknown>
}

const eventsOf = async (log: string, ...args: ReadonlyArray<string>): Promise<ReadonlyArray<Listed>> =>
  (await document(["log", "ls", "--log", log, "--limit", "1000", ...args], { cwd: place.directory }))
    .events as ReadonlyArray<Listed>

describe("demo", () => {
  let ended: Ended
  const log = ".hindcast/demo.db"
  beforeAll(async () => {
    ended = await demo()
  }, 120_000)

  /** The commands that it shows, each with the lines below it. */
  const shown = () =>
    ended.stdout
      .split("\n$ ")
      .slice(1)
      .map((part) => part.split("\n"))
      .map(([command = "", ...lines]) => ({ command, lines }))

  it("tells its story to the end, offline, and says that it is scripted", () => {
    const { code, stdout, stderr } = ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stripVTControlCharacters(stdout)).toBe(stdout)
    expect(stdout).toContain("The model is scripted: its turns were written by hand")
    expect(stdout.split("\n").filter((line) => /^(\d {2}|Next$)/.test(line))).toEqual([
      "1  An agent works on a failing test",
      "2  The process dies while a person is asked",
      "3  A new kernel resumes the task",
      "4  Why was the file written?",
      "5  What changed while the agent worked?",
      "6  Which event set a value?",
      "7  Would another model have done the same?",
      "8  Which one did better, by rules written today?",
      "9  Is the log intact?",
      "Next",
    ])
    // A command that can be pasted is never cut.
    expect(stdout.split("\n").filter((line) => [...line].length > 80 && !/^(?:\$ )?node /.test(line))).toEqual([])
  })

  it("was killed and resumed: one resumption, nothing dispatched twice, nothing asked twice", async () => {
    const events = (await eventsOf(log)).filter(({ timeline }) => timeline === "main")
    expect(events.filter(({ type }) => type === "TaskResumed")).toHaveLength(1)
    const dispatched = events.filter(({ type }) => type === "CommandDispatched").map(({ payload }) => payload.commandId)
    expect(new Set(dispatched).size).toBe(dispatched.length)
    const count = (of: string) => events.filter(({ type }) => type === of).length
    expect([count("ModelCalled"), count("ModelResponded"), count("ModelFailed")]).toEqual([5, 5, 0])
    expect(count("TaskClosed")).toBe(1)
    expect(ended.stdout).toContain("5 model calls, 3 commands; repeated after the crash: 0.")
  })

  it("answers as a person at another terminal would, by a command that it shows", async () => {
    const approvals = shown().filter(({ command }) => command.includes(" confirm approve "))
    expect(approvals.map(({ lines }) => lines.some((line) => line.startsWith("Approved ")))).toEqual([true, true])
    const decided = (await eventsOf(log)).filter(({ type }) => type === "ConfirmationDecided")
    expect(decided.map(({ payload: { approved, channel, reason } }) => ({ approved, channel, reason }))).toEqual([
      { approved: true, channel: "cli", reason: "demo" },
      { approved: true, channel: "cli", reason: "demo" },
    ])
  })

  it("shows what its commands print, of the one log", async () => {
    const looking = shown().filter(({ command }) => / (?:why|diff|blame|align|verify) /.test(command))
    expect(looking.map(({ command }) => / (why|diff|blame|align|verify) /.exec(command)?.[1])).toEqual([
      ...["why", "diff", "blame", "align", "verify"],
    ])
    for (const { command, lines } of looking) {
      const { code, stdout } = await hindcast(argumentsOf(command) ?? [], { cwd: place.directory })
      // A cut line, and the head of a log to which the demo appended afterwards.
      const first = lines[0]?.replace(/(?:…| @\d+)$/, "") ?? ""
      expect([command, code, stdout.slice(0, first.length)]).toEqual([command, 0, first])
      expect(first.length).toBeGreaterThan(10)
    }
  })

  it("leaves a log that verifies, with the fork, whose score is lower by the rubric", async () => {
    const options = { cwd: place.directory }
    expect(await document(["log", "verify", "--log", log], options)).toMatchObject({ intact: true })
    expect(ended.stdout).toMatch(/fix-1 +achieved +none +1\.2 of 1\.2 +\+1 tests pass/)
    expect(ended.stdout).toMatch(/fix-1 +achieved +none +0\.2 of 1\.2 +\+1 tests pass/)
    expect(ended.stdout).toMatch(/−1\s+changed a test/)
    const { pairs } = (await document(["compare", "main/mending", "fork-1/mending", "--log", log], options)) as {
      readonly pairs: ReadonlyArray<{ readonly a: number; readonly b: number }>
    }
    expect(pairs).toMatchObject([{ a: 1.2, b: 0.2 }])
  })

  it("suggests commands that work on the log it left", { timeout: 120_000 }, async () => {
    const commands = ended.stdout.split("\n").filter((line) => /^node /.test(line))
    expect(commands.length).toBeGreaterThanOrEqual(8)
    // A screen, a server, and the agent of the reader.
    const others = commands.filter((command) => !/ (?:step|studio|record) /.test(command))
    for (const command of others) expect([command, await wrongWith(command, place.directory)]).toEqual([command, ""])
  })
})

/** What a provider's model answers, by how far the conversation has come: text, or a call. */
const ANSWERS: ReadonlyArray<string | { readonly name: string; readonly arguments: string }> = [
  { name: "perceive", arguments: "{}" },
  {
    name: "program__write_file",
    arguments: JSON.stringify({
      path: "prices.mjs",
      content: "export const price = (c, n) => (n < 10 ? c * n : c * n * 0.9)",
    }),
  },
  { name: "perceive", arguments: "{}" },
  "It is fixed.",
]

const provider: http.RequestListener = (request, response) => {
  let body = ""
  request.setEncoding("utf8").on("data", (text: string) => {
    body += text
  })
  request.on("end", () => {
    const { messages } = JSON.parse(body) as { readonly messages: ReadonlyArray<{ readonly role: string }> }
    const turns = messages.filter(({ role }) => role === "assistant").length
    const answer = ANSWERS[turns] ?? ""
    const isText = typeof answer === "string"
    const call = { index: 0, id: `call-${turns}`, type: "function", function: answer }
    response.writeHead(200, { "content-type": "text/event-stream" })
    for (const event of [
      { choices: [{ index: 0, delta: isText ? { content: answer } : { tool_calls: [call] }, finish_reason: null }] },
      {
        choices: [{ index: 0, delta: {}, finish_reason: isText ? "stop" : "tool_calls" }],
        usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
      },
    ])
      response.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", ...event })}\n\n`)
    response.end("data: [DONE]\n\n")
  })
}

describe("demo --model", () => {
  it(
    "tells the same story with a provider's model, whose writing it does not approve where nobody is asked",
    { timeout: 120_000 },
    () =>
      Effect.gen(function* () {
        const env = {
          OPENAI_COMPATIBLE_BASE_URL: `${yield* server(provider)}/v1`,
          OPENAI_COMPATIBLE_API_KEY: "sk-live-5512ab",
        }
        const args = ["demo", "--json", "--log", "live.db", "--model", "openai-compatible/one"]
        const { code, stdout, stderr } = yield* Effect.promise(() => start(args, { cwd: place.directory, env }).ended)
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
        expect(JSON.parse(stdout)).toMatchObject({
          scripted: false,
          models: ["openai-compatible/one", "openai-compatible/one"],
          resumed: {
            asked: 4,
            answered: 4,
            dispatchedTwice: 0,
            testsPass: false,
            audit: { outcome: "achieved", confirming: { requested: 1, approved: 0, rejected: 1 } },
          },
          fork: { audit: { outcome: "achieved", model: { inputTokens: 400 } } },
        })
      }).pipe(Effect.scoped, Effect.runPromise),
  )
})

describe("demo, elsewhere", () => {
  it("asks the person at a terminal with --ask, keeps the directory that it is given, and needs no home and no writable working directory", {
    timeout: 120_000,
  }, async () => {
    const directory = path.join(place.directory, "kept")
    const cwd = path.join(place.directory, "readonly")
    fs.mkdirSync(cwd, { mode: 0o555 })
    // `--live` is its older name.
    const args = ["demo", "--live", "--ask", "--directory", directory, "--log", path.join(place.directory, "other.db")]
    const terminal = inTerminal(args, { cwd, env: { HOME: undefined } })
    for (const file of ["prices.mjs", "prices.test.mjs"]) {
      await terminal.shows((lines) => {
        const screen = lines.join("\n")
        return (
          screen.lastIndexOf("Execute it? [y/N]") > screen.lastIndexOf(`"path": "${file}"`) && screen.includes(file)
        )
      })
      terminal.type("y\r")
      await terminal.shows(/@\d+ +written +/)
    }
    expect(await terminal.ended).toBe(0)
    expect(fs.readFileSync(path.join(directory, "repository", "prices.mjs"), "utf8")).toContain("pieces >= 10")
    expect(fs.readFileSync(path.join(directory, "forked", "prices.mjs"), "utf8")).toContain("pieces > 10")
    const tests = fs.readFileSync(path.join(directory, "forked", "prices.test.mjs"), "utf8")
    expect(tests).toContain("1000, price(100, 10)")
  })

  it.each([
    [["--live", "--tasks", "3"], /--live, --tasks: expected one of them, found both/],
    [["--world", "--tasks", "3"], /--world, --tasks: expected one of them, found both/],
    [["--other-model", "anthropic/one"], /--other-model: expected --model with it, found none/],
    [["--model", "antropic/one"], /Did you mean anthropic/],
    [["--seed", "3"], /--seed: expected --world or --tasks with it, found neither/],
    [["--directory", "."], /--directory \.: expected a new or an empty directory, found one with files in it/],
    [["--world", "--model", "anthropic/one"], /--model: expected no --world, which has no such option/],
  ])("refuses %j", async (args, said) => {
    const { code, stderr } = await hindcast(["demo", "--log", "never.db", ...args], { cwd: place.directory })
    expect(code).toBe(1)
    expect(stderr).toMatch(said)
    expect(fs.existsSync(path.join(place.directory, "never.db"))).toBe(false)
  })
})
