import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { PACKAGE } from "../built.ts"
import { fetchedModules } from "../fetched.ts"
import { eventsOf, temporary } from "../record/recorded.ts"
import { start } from "./hindcast.ts"

const modules = fetchedModules("test/ai-sdk")

/** A project with the AI SDK in a version, and with this package. */
const project = (packages: Readonly<Record<string, string>>): string => {
  const directory = temporary("project")
  for (const [name, of] of Object.entries({ ...packages, zod: "zod" })) {
    const link = path.join(directory, "node_modules", name)
    fs.mkdirSync(path.dirname(link), { recursive: true })
    fs.symlinkSync(path.join(modules, of), link)
  }
  fs.symlinkSync(PACKAGE, path.join(directory, "node_modules", "hindcast"))
  return directory
}

const seven = project({ ai: "ai", "@ai-sdk/openai-compatible": "@ai-sdk/openai-compatible" })
const six = project({ ai: "ai6", "@ai-sdk/openai-compatible": "openai-compatible6" })

/** A model's server: the first answer to each conversation calls tools, the next one is text. */
const server = http.createServer((request, response) => {
  let body = ""
  request.setEncoding("utf8").on("data", (text: string) => {
    body += text
  })
  request.on("end", () => {
    const { messages, stream, tools } = JSON.parse(body)
    const calls = (
      tools === undefined || messages.some(({ role }: { role: string }) => role === "tool")
        ? []
        : [
            ["add", { a: 1, b: 2 }],
            ["fail", {}],
            ["ask", { question: "Why?" }],
          ]
    ).map(([name, args], index) => ({
      index,
      id: `call-${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    }))
    const finish_reason = calls.length > 0 ? "tool_calls" : "stop"
    const said = {
      role: "assistant",
      content: calls.length > 0 ? "I call." : "Done.",
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    }
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
    if (stream !== true) {
      response.writeHead(200, { "content-type": "application/json" })
      const choices = [{ index: 0, message: said, finish_reason }]
      return response.end(JSON.stringify({ id: "1", object: "chat.completion", choices, usage }))
    }
    response.writeHead(200, { "content-type": "text/event-stream" })
    for (const event of [
      { choices: [{ index: 0, delta: said, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason }], usage },
    ])
      response.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", ...event })}\n\n`)
    return response.end("data: [DONE]\n\n")
  })
})
let base = ""
beforeAll(async () => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
afterAll(() => server.close())

const HEAD = `import * as ai from "ai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { z } from "zod"
const { generateText, streamText, tool } = ai
const stopWhen = (ai.isStepCount ?? ai.stepCountIs)(5)
const model = createOpenAICompatible({ name: "local", baseURL: process.env.BASE, apiKey: "sk-nobody" })("m")
const tools = {
  add: tool({ inputSchema: z.object({ a: z.number(), b: z.number() }), execute: async ({ a, b }) => ({ sum: a + b }) }),
  fail: tool({ inputSchema: z.object({}), execute: async () => { throw new Error("boom") } }),
  ask: tool({ inputSchema: z.object({ question: z.string() }), execute: async ({ question }) => (await generateText({ model, prompt: question })).text }),
}
`

const GENERATE = `console.log((await generateText({ model, tools, prompt: "Add", stopWhen })).text)\n`

const STREAM = `const { textStream } = streamText({ model, tools, prompt: "Add", stopWhen })
let text = ""
for await (const piece of textStream) text += piece
console.log(text)\n`

/** A model in the program itself, without HTTP. */
const IN_PROCESS = `let asked = 0
const usage = { inputTokens: { total: 3, noCache: 1, cacheRead: 2, cacheWrite: 0 }, outputTokens: { total: 2, text: 2, reasoning: 0 } }
const call = { type: "tool-call", toolCallId: "mine", toolName: "add", input: '{"a":1,"b":2}' }
const finish = (unified) => ({ unified, raw: unified })
const mine = {
  specificationVersion: "v4", provider: "mine.chat", modelId: "own", supportedUrls: {},
  doGenerate: async () => ++asked === 1
    ? { content: [call], finishReason: finish("tool-calls"), usage, warnings: [] }
    : { content: [{ type: "text", text: "Three." }], finishReason: finish("stop"), usage, warnings: [] },
  doStream: async () => ({ stream: new ReadableStream({ start(controller) {
    const pieces = ++asked === 1 ? [call, { type: "finish", finishReason: finish("tool-calls"), usage }]
      : [{ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "Three." }, { type: "text-end", id: "1" }, { type: "finish", finishReason: finish("stop"), usage }]
    for (const piece of [{ type: "stream-start", warnings: [] }, ...pieces]) controller.enqueue(piece)
    controller.close()
  } }) }),
}
const failing = { ...mine, doGenerate: async () => { throw new Error("out of memory") } }
`

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly events: ReadonlyArray<Event>
  readonly log: string
}

const run = async (directory: string, program: string, env: NodeJS.ProcessEnv = {}): Promise<Ran> => {
  const file = `program-${fs.readdirSync(directory).length}.mjs`
  fs.writeFileSync(path.join(directory, file), HEAD + program)
  const log = temporary("app.db")
  const child = spawn(process.execPath, ["--import", "hindcast/ai-sdk", file], {
    cwd: directory,
    env: { ...process.env, BASE: base, HINDCAST_LOG: log, ...env },
  })
  const said = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said.stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said.stderr += text
  })
  const [code] = await once(child, "close")
  return { code, ...said, log, events: fs.existsSync(log) ? await eventsOf(log) : [] }
}

const typesOf = (events: ReadonlyArray<Event>, ...types: ReadonlyArray<string>) =>
  events.filter(({ type }) => types.includes(type))

const causeOf = (events: ReadonlyArray<Event>, { causationId }: Event): Event | undefined =>
  events.find(({ id }) => id === causationId)

/** The events of the tool `add`, by type. */
const addIn = (events: ReadonlyArray<Event>) => {
  const commanded = events.find(
    ({ type, payload }) => type === "ActuatorCommanded" && payload.actuator === "program/add",
  )
  return events.filter(({ payload }) => payload.commandId === commanded?.payload.commandId)
}

describe("node --import hindcast/ai-sdk", () => {
  it.each([
    ["generateText", GENERATE],
    ["streamText", STREAM],
  ])("records %s of ai 7: each model call and each tool once, with causes", async (_, program) => {
    const { code, stdout, stderr, events } = await run(seven, program)
    expect([code, stdout]).toEqual([0, expect.stringContaining("Done.\n")])
    // Two steps, and the tool's own call.
    const calls = typesOf(events, "ModelCalled")
    expect(calls).toHaveLength(3)
    expect(typesOf(events, "ModelResponded")).toHaveLength(3)
    expect(typesOf(events, "ActuatorCommanded")).toHaveLength(3)
    expect(typesOf(events, "CommandSucceeded", "CommandFailed")).toHaveLength(3)

    const add = addIn(events)
    expect(add.map(({ type }) => type)).toEqual([
      "ActuatorCommanded",
      "CommandAllowed",
      "CommandDispatched",
      "CommandSucceeded",
    ])
    expect(add[0]?.payload).toMatchObject({ args: { a: 1, b: 2 }, callId: "call-0", observed: true })
    expect(add[3]?.payload).toMatchObject({ result: { sum: 3 } })
    // Measured by the SDK, and paired by nobody's guess.
    expect(add[3]?.payload).not.toHaveProperty("inferred")
    expect(typesOf(events, "CommandFailed")[0]?.payload).toMatchObject({ error: { message: "boom" } })

    const [first, , last] = calls
    const answer = events.find(({ type, causationId }) => type === "ModelResponded" && causationId === first?.id)
    expect(add[0]?.causationId).toBe(answer?.id)
    const nested = calls.find((call) => causeOf(events, call)?.type === "CommandDispatched")
    const dispatch = nested && causeOf(events, nested)
    const ask = events.find(({ type, payload }) => type === "ActuatorCommanded" && payload.actuator === "program/ask")
    expect(dispatch?.payload.commandId).toBe(ask?.payload.commandId)
    expect(last && causeOf(events, last)?.type).toMatch(/^Command(Succeeded|Failed)$/)
    expect(events.at(-1)).toMatchObject({ type: "TaskClosed", payload: { outcome: "achieved" } })
    expect(stderr).toContain("recorded 3 model calls and 3 tool runs")
    expect(JSON.stringify(events)).not.toContain("sk-nobody")
  })

  it.each([
    ["generateText", "console.log((await generateText({ model: mine, tools, prompt: 'Add', stopWhen })).text)"],
    ["streamText", STREAM.replace("model,", "model: mine,")],
  ])("records %s with a model in the program, which no request shows", async (_, program) => {
    const { stdout, events } = await run(seven, `${IN_PROCESS}${program}`)
    expect(stdout).toContain("Three.")
    const [first, second] = typesOf(events, "ModelCalled")
    expect(typesOf(events, "ModelCalled")).toHaveLength(2)
    expect(first?.payload).toMatchObject({
      provider: "mine",
      model: "own",
      observed: true,
      request: { messages: [{ role: "user", content: [{ type: "text", text: "Add" }] }] },
    })
    const answers = typesOf(events, "ModelResponded")
    expect(answers.map(({ payload }) => payload.response)).toMatchObject([
      { parts: [{ type: "call", callId: "mine", tool: "add", args: { a: 1, b: 2 } }], finish: "calls" },
      { parts: [{ type: "text", text: "Three." }], finish: "stop" },
    ])
    expect(answers[0]?.payload.usage).toMatchObject({ inputTokens: 3, outputTokens: 2, cachedTokens: 2 })
    expect(addIn(events).map(({ type }) => type)).toEqual([
      "ActuatorCommanded",
      "CommandAllowed",
      "CommandDispatched",
      "CommandSucceeded",
    ])
    expect(second && causeOf(events, second)?.type).toBe("CommandSucceeded")
  })

  it("records a model that fails in the program, and leaves the program its error", async () => {
    const program =
      "await generateText({ model: failing, prompt: 'Add', maxRetries: 0 }).catch((e) => console.log(e.message))"
    const { stdout, events } = await run(seven, `${IN_PROCESS}${program}`)
    expect(stdout).toBe("out of memory\n")
    expect(typesOf(events, "ModelCalled")).toHaveLength(1)
    expect(typesOf(events, "ModelFailed")[0]?.payload).toMatchObject({
      reason: expect.stringContaining("out of memory"),
    })
  })

  it("records calls whose telemetry is off by their requests alone", async () => {
    const call = "await generateText({ model, tools, prompt: 'Add', stopWhen, telemetry: { isEnabled: false } })"
    const { events, stderr } = await run(seven, `tools.ask.execute = async () => "Because."\n${call}`)
    expect(typesOf(events, "ModelCalled")).toHaveLength(2)
    expect(addIn(events).at(-1)?.payload).toMatchObject({ result: expect.anything(), inferred: { cause: "call-id" } })
    expect(stderr).toContain("ai 7.0.173 published no call of its tools")
  })

  it("records ai 6 by its requests, and says what it cannot see", async () => {
    const { code, stderr, events } = await run(six, GENERATE)
    expect(code).toBe(0)
    expect(typesOf(events, "ModelCalled")).toHaveLength(3)
    expect(typesOf(events, "ActuatorCommanded")).toHaveLength(3)
    expect(addIn(events).at(-1)).toMatchObject({
      type: "CommandSucceeded",
      payload: { inferred: { cause: "call-id" } },
    })
    expect(stderr).toContain("ai 6.0.326 does not publish its calls; ai 7 does.")
    const [noted] = typesOf(events, "CaptureNoted")
    expect(noted?.payload.unseen).toContainEqual({
      what: "when tools ran, and what they called",
      target: "ai 6.0.326",
      count: 1,
    })
  })

  it("says that nothing was recorded, and what a program that exits leaves", async () => {
    const nothing = await run(seven, "")
    expect(nothing.stderr).toContain("nothing was recorded")
    const exits = await run(seven, `${GENERATE}process.exit(3)`)
    expect(exits.code).toBe(3)
    expect(exits.stderr).toContain("did not come to its own end")
    expect(typesOf(exits.events, "ModelResponded")).toHaveLength(3)
  })

  it("records once under hindcast record, and replays without the server", async () => {
    const log = temporary("replayed.db")
    const file = path.join(seven, "replayed.mjs")
    fs.writeFileSync(file, HEAD + GENERATE)
    const env = { BASE: base }
    const words = ["--", "node", "--import", "hindcast/ai-sdk", "replayed.mjs"]
    const recorded = await start(["record", "--log", log, ...words], { cwd: seven, env }).ended
    expect(recorded.stderr).toContain("Recorded 3 model requests")
    const events = await eventsOf(log)
    expect(typesOf(events, "TaskOpened")).toHaveLength(1)
    expect(typesOf(events, "ModelCalled")).toHaveLength(3)
    expect(addIn(events).at(-1)?.payload).not.toHaveProperty("inferred")
    const replayed = await start(["replay", "--log", log, events[0]?.taskId ?? "", ...words], {
      cwd: seven,
      env,
    }).ended
    expect([replayed.code, replayed.stdout]).toEqual([0, "Done.\n"])
  })
})
