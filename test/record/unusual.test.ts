import { once } from "node:events"
import * as http from "node:http"
import { afterAll, describe, expect, it, vi } from "vitest"
import { type Run, record, replayed } from "../../src/record/index.ts"
import { eventsOf, temporary } from "./recorded.ts"

/** Half of a character, as a text has that was cut between two of its units. */
const HALF = "\ud83d"

const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels))

const chat = (...pieces: ReadonlyArray<string>) =>
  [...pieces, undefined]
    .map((content) => ({ choices: [content === undefined ? { finish_reason: "stop" } : { delta: { content } }] }))
    .map((event) => `data: ${JSON.stringify(event)}\n\n`)
    .join("")

const deepCall = (levels: number) => {
  const functionCall = { name: "dig", args: { deep: "DEEP" } }
  const answer = JSON.stringify({ candidates: [{ content: { parts: [{ functionCall }] }, finishReason: "STOP" }] })
  return answer.replace('"DEEP"', "[".repeat(levels) + "]".repeat(levels))
}

const answers = http.createServer((request, response) => {
  request.resume().on("end", () => {
    const { pathname } = new URL(request.url ?? "", "http://none")
    if (pathname === "/zeros") response.end(Buffer.alloc(3 * 1024 * 1024))
    else if (pathname.endsWith(":generateContent")) response.end(deepCall(pathname.includes("deepest") ? 20_000 : 300))
    else response.end(chat(`a${HALF}`, "\ude00b", `c${HALF}`))
  })
})

await once(answers.listen(0, "127.0.0.1"), "listening")
afterAll(() => {
  answers.close()
})

/** Where the server is. */
const base = (): string => {
  const address = answers.address()
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : address}`
}

const post = async (run: Run, path: string, body: unknown) => {
  const init = { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) }
  return (await run.fetch(`${base()}${path}`, init)).text()
}

const ask = (run: Run, content: unknown, more = {}) =>
  post(run, "/v1/chat/completions", { model: "m", messages: [{ role: "user", content }], ...more })

/** Records a program, which nothing warns of, and replays it. */
const recorded = async (program: (run: Run) => Promise<unknown>) => {
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {})
  const log = temporary("run.db")
  const run = await record({ log, goal: "Say it", agent: "clerk" })
  const said = await program(run)
  await run.end("achieved")
  expect(warned.mock.calls).toEqual([])
  warned.mockRestore()
  return { said, events: await eventsOf(log), again: () => replayed({ log }, program) }
}

const image = `data:image/png;base64,${"A".repeat(9 * 1024 * 1024)}`

describe("a recording", () => {
  it.each<readonly [string, (run: Run) => Promise<unknown>]>([
    ["half a character in a question", (run) => ask(run, `cut ${HALF}`)],
    ["half a character in a request that is no model's", (run) => post(run, "/x", { [`k${HALF}`]: [HALF] })],
    ["half a character in a body that is no JSON", (run) => post(run, "/x", `cut ${HALF}`)],
    ["a picture of 9 MiB", (run) => ask(run, [{ type: "image_url", image_url: { url: image } }])],
    ["a body of which JSON escapes every character", (run) => post(run, "/x", "\0".repeat(3 * 1024 * 1024))],
    ["a body that is nested too deeply for a log", (run) => ask(run, "Hi", { metadata: nested(300) })],
    ["a body that is nested too deeply for any program", (run) => post(run, "/x", "[".repeat(1e5) + "]".repeat(1e5))],
    [
      "a call whose arguments are nested too deeply",
      (run) => post(run, "/v1beta/models/g:generateContent", { contents: [] }),
    ],
    [
      "a call whose arguments are nested more deeply than JSON can be written",
      (run) => post(run, "/v1beta/models/deepest:generateContent", { contents: [] }),
    ],
  ])("goes on past %s, and is replayed", async (_, program) => {
    const { said, again } = await recorded(program)
    expect(await again()).toBe(said)
  })

  it("has a character whose halves came in two pieces, and a replacement for one that stayed alone", async () => {
    const { events } = await recorded((run) => ask(run, "Hi"))
    const responded = events.find(({ type }) => type === "ModelResponded")
    expect(responded?.payload.response).toMatchObject({ parts: [{ type: "text", text: "a\u{1f600}bc\ufffd" }] })
  })

  it("leaves long texts out of a request that is too large, and says how much", async () => {
    const { events } = await recorded((run) => ask(run, [{ type: "image_url", image_url: { url: image } }]))
    const called = events.find(({ type }) => type === "ModelCalled")
    expect(JSON.stringify(called?.payload.request)).toContain("characters are left out]")
  })

  it("has what a large request goes on from, where it went, and the ids of its calls", async () => {
    const [callId, before] = [`call_${"1".repeat(24)}`, [{ role: "user", content: "Hi" }]]
    const call = { id: callId, type: "function", function: { name: "look", arguments: "{}" } }
    const { events } = await recorded(async (run) => {
      await ask(run, "Hi")
      const parts = Array.from({ length: 40_000 }, () => ({ type: "text", text: "x".repeat(150) }))
      const later = [
        { role: "assistant", tool_calls: [call] },
        { role: "tool", tool_call_id: callId, content: "seen" },
        { role: "user", content: parts },
      ]
      await post(run, "/v1/chat/completions", { model: "m", messages: [...before, ...later] })
    })
    const [first, second] = events.filter(({ type }) => type === "ModelCalled")
    expect(second?.payload.request).toMatchObject({
      after: first?.id,
      like: first?.id,
      http: { method: "POST", url: `${base()}/v1/chat/completions` },
      messages: [{ content: [{ callId }] }, expect.anything(), { role: "user" }],
    })
    expect(JSON.stringify(second?.payload.request)).toContain("[150 characters are left out]")
  })

  it("has the question before one of more parts than an event holds", async () => {
    const { events } = await recorded(async (run) => {
      await ask(run, "Hi")
      const more = {
        role: "user",
        content: Array.from({ length: 60_000 }, () => ({ type: "text", text: "x".repeat(60) })),
      }
      await post(run, "/v1/chat/completions", { model: "m", messages: [{ role: "user", content: "Hi" }, more] })
    })
    const [first, second] = events.filter(({ type }) => type === "ModelCalled")
    const text = expect.stringMatching(/^\[\d+ bytes are left out\]$/)
    expect(second?.payload.request).toMatchObject({
      after: first?.id,
      messages: [{ role: "user", content: [{ type: "text", text }] }],
    })
  })

  it("goes on past a value of more parts than an event holds, and is replayed", async () => {
    const texts = Array.from({ length: 150_000 }, () => "x".repeat(60))
    const { said, events, again } = await recorded(async (run) => {
      const tool = run.tool("tool", (list: ReadonlyArray<string>) => list.length)
      const io = run.io("io", (list: ReadonlyArray<string>) => list.length)
      return [await tool(texts), await io(texts)]
    })
    const omitted = expect.stringMatching(/^\[\d+ bytes are left out\]$/)
    expect(events.find(({ type }) => type === "ActuatorCommanded")?.payload.args).toEqual({ omitted })
    expect(events.find(({ type }) => type === "IoCalled")?.payload.request).toEqual(omitted)
    expect(said).toEqual([150_000, 150_000])
    expect(await again()).toEqual(said)
  })

  it("says of a body that is too large once it is written as JSON that it is too large", async () => {
    const { events } = await recorded(async (run) => (await run.fetch(`${base()}/zeros`)).text())
    const answered = events.find(({ type }) => type === "IoAnswered")
    expect(answered?.payload.result).toMatchObject({ chunks: [], omitted: "it is too large" })
  })

  it("has half a character, and what is too large, of tools, sensors and other functions", async () => {
    const huge = "x".repeat(9 * 1024 * 1024)
    const { said, again } = await recorded(async (run) => {
      const tool = run.tool("tool", (text: string) => `${text.length}`)
      const io = run.io("io", (text: string) => `${text.length}`)
      const reads = run.sensor("sensor", () => ({ [`k${HALF}`]: 1 }))
      return [
        await tool(`a${HALF}`),
        await tool(huge),
        await io(`b${HALF}`),
        await io(huge),
        Object.keys(await reads()).length,
      ]
    })
    expect(said).toEqual(["2", "9437184", "2", "9437184", 1])
    expect(await again()).toEqual(said)
  })

  it("goes on past a reading that is too large", async () => {
    const { said, events, again } = await recorded(async (run) => {
      const text = await run.sensor("page", () => "x".repeat(9 * 1024 * 1024))()
      await run.io("later", () => 1)()
      return text.length
    })
    expect(said).toBe(9 * 1024 * 1024)
    await expect(again()).rejects.toMatchObject({ _tag: "Diverged", position: 2, call: "sensor program/page" })
    expect(events.map(({ type }) => type)).toEqual([
      "TaskOpened",
      "SensorFailed",
      "IoCalled",
      "IoAnswered",
      "TaskClosed",
    ])
  })
})
