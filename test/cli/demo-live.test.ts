import * as fs from "node:fs"
import type * as http from "node:http"
import * as path from "node:path"
import { stripVTControlCharacters } from "node:util"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { server } from "../agents/models/servers.ts"
import { workplace } from "../workplace.ts"
import { document, type Ended, hindcast, start } from "./hindcast.ts"
import { wrongWith } from "./typed.ts"

const place = workplace()
afterAll(place.remove)

const live = (...args: ReadonlyArray<string>): Promise<Ended> =>
  start(["demo", "--live", ...args], { cwd: place.directory }).ended

interface Listed {
  readonly timeline: string
  readonly type: string
  readonly payload: Record<string, unknown>
}

const eventsOf = async (log: string, ...args: ReadonlyArray<string>): Promise<ReadonlyArray<Listed>> =>
  (await document(["log", "ls", "--log", log, "--limit", "1000", ...args], { cwd: place.directory }))
    .events as ReadonlyArray<Listed>

describe("demo --live", () => {
  let ended: Ended
  const log = ".hindcast/demo-live.db"
  beforeAll(async () => {
    ended = await live()
  }, 120_000)

  it("tells its story to the end, offline, and says that it is scripted", () => {
    const { code, stdout, stderr } = ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stripVTControlCharacters(stdout)).toBe(stdout)
    expect(stdout).toContain("scripted: no language model is asked")
    expect(stdout).not.toMatch(/recorded by|was recorded/)
    expect(stdout.split("\n").filter((line) => /^(\d {2}|Next$)/.test(line))).toEqual([
      "1  An agent looks for the fault, and its kernel is killed",
      "2  The question stands, and the next kernel goes on",
      "3  Another model is given the same moment",
      "4  Both, event by event",
      "5  Both scored again by a rubric",
      "6  Is the log intact?",
      "Next",
    ])
    // What can be typed is never cut, and neither is what a person decides about.
    const wide = stdout.split("\n").filter((line) => [...line].length > 110 && !/^node |^ {2}args /.test(line))
    expect(wide).toEqual([])
  })

  it("says that nobody was asked, and that the demo answered", () => {
    expect(ended.stdout.match(/Nobody is asked here: the demo answers by itself\. Approved\./g)).toHaveLength(2)
  })

  it("was killed and went on: one resumption, nothing dispatched twice, nothing asked twice", async () => {
    const events = (await eventsOf(log)).filter(({ timeline }) => timeline === "main")
    expect(events.filter(({ type }) => type === "TaskResumed")).toHaveLength(1)
    const dispatched = events.filter(({ type }) => type === "CommandDispatched").map(({ payload }) => payload.commandId)
    expect(new Set(dispatched).size).toBe(dispatched.length)
    const count = (of: string) => events.filter(({ type }) => type === of).length
    expect([count("ModelCalled"), count("ModelResponded"), count("ModelFailed")]).toEqual([5, 5, 0])
    expect(count("TaskClosed")).toBe(1)
    expect(ended.stdout).toContain("5 requests and 5 answers of the model; 5 commands dispatched, 0 of them twice.")
  })

  it("leaves a log that verifies, with the fork and the scores of both", async () => {
    const options = { cwd: place.directory }
    expect(await document(["log", "verify", "--log", log], options)).toMatchObject({ intact: true })
    const { timelines } = await document(["timeline", "ls", "--log", log], options)
    expect(timelines).toMatchObject(expect.arrayContaining([expect.objectContaining({ timeline: "fork-1" })]))
    const { pairs } = (await document(["compare", "main/mending", "fork-1/mending", "--log", log], options)) as {
      readonly pairs: ReadonlyArray<{ readonly a: number; readonly b: number }>
    }
    expect(pairs).toHaveLength(1)
    expect(pairs[0]?.a).toBeGreaterThan(pairs[0]?.b ?? Number.POSITIVE_INFINITY)
  })

  it("suggests commands that work on the log it left", { timeout: 120_000 }, async () => {
    const commands = ended.stdout.split("\n").filter((line) => /^node /.test(line))
    expect(commands.length).toBeGreaterThanOrEqual(7)
    for (const command of commands.filter((command) => !/ step /.test(command))) {
      expect([command, await wrongWith(command, place.directory)]).toEqual([command, ""])
    }
  })
})

/** What a provider's model answers, by how far the conversation has come: text, or a call. */
const ANSWERS: ReadonlyArray<string | { readonly name: string; readonly arguments: string }> = [
  { name: "program__run_tests", arguments: "{}" },
  {
    name: "workspace__write_file",
    arguments: JSON.stringify({
      path: "prices.mjs",
      content: "export const price = (c, n) => (n < 10 ? c * n : c * n * 0.9)",
    }),
  },
  { name: "program__run_tests", arguments: "{}" },
  "It is mended.",
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

describe("demo --live --model", () => {
  it(
    "tells the same story with a provider's model, whose writing it does not approve where nobody is asked",
    { timeout: 120_000 },
    () =>
      Effect.gen(function* () {
        const env = {
          OPENAI_COMPATIBLE_BASE_URL: `${yield* server(provider)}/v1`,
          OPENAI_COMPATIBLE_API_KEY: "sk-live-5512ab",
        }
        const args = ["demo", "--live", "--json", "--log", "live.db", "--model", "openai-compatible/one"]
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

describe("demo --live, elsewhere", () => {
  it("prints one document with --json, and keeps the directory that it is given", { timeout: 120_000 }, async () => {
    const directory = path.join(place.directory, "kept")
    const shown = await document(["demo", "--live", "--directory", directory, "--log", "other.db"], {
      cwd: place.directory,
    })
    expect(shown).toMatchObject({
      scripted: true,
      models: ["scripted/careful", "scripted/hasty"],
      resumed: { asked: 5, answered: 5, dispatchedTwice: 0, testsPass: true, audit: { outcome: "achieved" } },
      fork: { timeline: "fork-1", audit: { outcome: "achieved" } },
      verify: { intact: true },
    })
    expect(fs.readFileSync(path.join(directory, "repository", "prices.mjs"), "utf8")).toContain("pieces >= 10")
    expect(fs.readFileSync(path.join(directory, "forked", "prices.mjs"), "utf8")).toContain("pieces > 10")
    expect(fs.readFileSync(path.join(directory, "forked", "prices.test.mjs"), "utf8")).toContain("1000, price(100, 10)")
  })

  it("needs neither a home nor a working directory that can be written", { timeout: 120_000 }, async () => {
    const readonly = path.join(place.directory, "readonly")
    fs.mkdirSync(readonly, { mode: 0o555 })
    const { code, stderr } = await start(["demo", "--live", "--log", path.join(place.directory, "third.db")], {
      cwd: readonly,
      env: { HOME: undefined },
    }).ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  })

  it.each([
    [["--tasks", "3"], /--live, --tasks: expected one of them, found both/],
    [["--other-model", "anthropic/one"], /--other-model: expected --model beside it, found none/],
    [["--model", "antropic/one"], /Did you mean anthropic/],
    [["--directory", "."], /--directory \.: expected a new or an empty directory, found one with files in it/],
  ])("refuses %j", async (args, said) => {
    const { code, stderr } = await hindcast(["demo", "--live", "--log", "never.db", ...args], { cwd: place.directory })
    expect(code).toBe(1)
    expect(stderr).toMatch(said)
    expect(fs.existsSync(path.join(place.directory, "never.db"))).toBe(false)
  })

  it("has its options with --live only", async () => {
    const { code, stderr } = await hindcast(["demo", "--model", "anthropic/one"], { cwd: place.directory })
    expect({ code, said: /--model: expected --live beside it, found none/.test(stderr) }).toEqual({
      code: 1,
      said: true,
    })
  })
})
