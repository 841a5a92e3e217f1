import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, describe, expect, it } from "vitest"
import { MAIN, PACKAGE } from "../built.ts"
import { workplace } from "../workplace.ts"
import { hindcast, listed } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

fs.mkdirSync(path.join(place.directory, "node_modules"))
fs.symlinkSync(PACKAGE, path.join(place.directory, "node_modules", "hindcast"))

const file = (name: string, text: string): string => {
  fs.writeFileSync(path.join(place.directory, name), text)
  return name
}

const HOOK = file(
  "hook.mjs",
  `import { Listener } from "hindcast"
   export default Listener.webhook({ name: "hook" })`,
)

/** Says what it got. */
const AGENT = file(
  "agent.mjs",
  `export default {
     name: "echo",
     version: "1",
     decide: ({ inputs, goal }) => ({ done: "achieved", reason: goal + ": " + JSON.stringify(inputs.map(({ content }) => content.body ?? content)) }),
   }`,
)

const LINES = file(
  "lines.mjs",
  `import { Listener, Tool } from "hindcast"
   const agent = {
     name: "adder",
     version: "1",
     decide: ({ inputs, lastOutcome }) =>
       lastOutcome === null
         ? { act: "program/double", args: { n: Number(inputs[0].content) } }
         : { done: "achieved", reason: String(lastOutcome.result) },
   }
   const double = Tool.make({ description: "Doubles", risk: "none", run: ({ n }) => 2 * n })
   export default { listeners: [Listener.lines({ name: "in" })], rules: [{ agent, listener: "in" }], tools: { double } }`,
)

/** Starts a server, and waits until it says its URL. */
const serving = async (...words: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [MAIN, "serve", ...words], {
    cwd: place.directory,
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, HINDCAST_LOG: undefined },
  })
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, said }))
  let said = ""
  const url = new Promise<string>((resolve) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text
      const [, found] = /on (http:\S+)/.exec(said) ?? []
      if (found !== undefined) resolve(found)
    })
  })
  return { child, ended, url: await Promise.race([url, ended.then(({ said }) => said)]) }
}

const post = async (url: string, body: unknown, id: string) => {
  const headers = { "content-type": "application/json", "webhook-id": id }
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
  return response.status
}

const payloads = async (type: string, log: string) =>
  (await listed(["--type", type, "--log", log])).map(({ payload }) => payload as Record<string, unknown>)

describe("hindcast serve --listener", () => {
  it("opens a task for each signal, counts a repetition once, also after kill -9, and ends by a signal", async () => {
    const log = place.file("hook.db")
    const words = ["--listener", HOOK, "--agent", AGENT, "--goal", "Answer {/content/body/from}", "--log", log]
    const first = await serving(...words, "--when", "content.body.n > 0")
    expect(await post(first.url, { from: "Ada", n: 1 }, "a")).toBe(202)
    expect(await post(first.url, { from: "Ben", n: 0 }, "b")).toBe(202)
    first.child.kill("SIGKILL")
    await first.ended
    const second = await serving(...words)
    expect(await post(second.url, { from: "Ada", n: 1 }, "a")).toBe(202)
    expect(await post(second.url, { from: "Cy", n: 2 }, "c")).toBe(202)
    for (let closed = 0; closed < 2; ) closed = (await payloads("TaskClosed", log)).length
    second.child.kill("SIGINT")
    expect(await second.ended).toMatchObject({ code: 130, said: expect.not.stringContaining("not recorded") })
    expect(await payloads("ListenerStopped", log)).toEqual([{ listener: "hook", reason: "its host stopped" }])
    const reasons = (await payloads("TaskClosed", log)).map(({ reason }) => reason)
    expect(reasons.slice(0, 2).sort()).toEqual([
      'Answer Ada: [{"from":"Ada","n":1}]',
      expect.stringMatching(/^Answer (Ben|Cy)/),
    ])
    expect((await payloads("SignalReceived", log)).map(({ id }) => id)).toEqual(["a", "b", "c"])
  })

  it("works on the lines of its standard input by the module's rules and tools, and ends with them", async () => {
    const log = place.file("lines.db")
    const child = spawn(process.execPath, [MAIN, "serve", "--listener", LINES, "--log", log], {
      cwd: place.directory,
      stdio: ["pipe", "ignore", "pipe"],
    })
    child.stdin.end("2\n21\n")
    const [code] = await once(child, "close")
    expect(code).toBe(0)
    const reasons = (await payloads("TaskClosed", log)).map(({ reason }) => reason)
    expect(reasons.sort()).toEqual(["4", "42"])
  })

  it("has a model judge the tasks that it opened, before it ends", async () => {
    const asked: Array<string> = []
    const model = http.createServer(async (request, response) => {
      asked.push(JSON.parse(await text(request)).model)
      const content = JSON.stringify({ verdict: true, because: [], rationale: "it doubled" })
      const delta = { index: 0, delta: { role: "assistant", content }, finish_reason: "stop" }
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", choices: [delta] })}\n\n`)
      response.end("data: [DONE]\n\n")
    })
    await once(model.listen(0, "127.0.0.1"), "listening")
    const rewards = [{ name: "doubles", when: "The agent doubles.", weight: 0.5 }]
    const measures = [{ name: "sums", description: "Sums", rewards }]
    const rubric = file("sums.json", JSON.stringify({ name: "sums", measures }))
    const log = place.file("judged.db")
    const words = ["--listener", LINES, "--log", log, "--judge", "openai-compatible/judge"]
    const run = async (...more: ReadonlyArray<string>) => {
      const child = spawn(process.execPath, [MAIN, "serve", ...words, ...more], {
        cwd: place.directory,
        stdio: ["pipe", "ignore", "pipe"],
        env: {
          ...process.env,
          OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
          OPENAI_COMPATIBLE_API_KEY: "sk-judge",
        },
      })
      child.stdin.on("error", () => {})
      child.stdin.end("2\n21\n")
      const [said, [code]] = await Promise.all([text(child.stderr), once(child, "close")])
      return { code, said }
    }
    expect(await run()).toMatchObject({ code: 1, said: expect.stringContaining("expected it with --rubric") })
    expect(fs.existsSync(log)).toBe(false)
    expect(await run("--rubric", rubric)).toMatchObject({ code: 0 })
    model.closeAllConnections()
    model.close()
    expect(new Set(asked)).toEqual(new Set(["judge"]))
    const judged = (await payloads("ScoringStarted", log)).filter(({ label }) => label === "judged")
    expect(judged.length).toBe(2)
    const finished = (await payloads("ScoringFinished", log)).map(({ scoreSetId }) => scoreSetId)
    expect(finished).toEqual(expect.arrayContaining(judged.map(({ scoreSetId }) => scoreSetId)))
  })

  it("serves a listener of a plugin by its name", async () => {
    const plugin = path.join(place.directory, "shop")
    fs.mkdirSync(plugin)
    const manifest = {
      ...{ name: "shop", description: "A shop", version: "1.0.0", entry: "main.ts" },
      permissions: { read: [], run: [] },
      peas: {
        performance: [
          { name: "care", description: "Care", rewards: [{ name: "opened", when: "a task is opened", weight: 1 }] },
        ],
      },
      listeners: [{ name: "orders", description: "Orders" }],
    }
    fs.writeFileSync(path.join(plugin, "looper-plugin.json"), JSON.stringify(manifest))
    const entry = "export default { listeners: { orders: (_, { body }) => ({ id: body.number, content: { body } }) } }"
    fs.writeFileSync(path.join(plugin, "main.ts"), entry)
    const log = place.file("shop.db")
    const words = ["--listener", "shop/orders", "--plugin", plugin, "--agent", AGENT, "--sandbox", "flags"]
    const { child, ended, url } = await serving(...words, "--log", log)
    expect(await post(url, { number: "o1" }, "other")).toBe(202)
    for (let closed = 0; closed < 1; ) closed = (await payloads("TaskClosed", log)).length
    child.kill("SIGINT")
    await ended
    expect(await payloads("SignalReceived", log)).toMatchObject([{ listener: "shop-orders", id: "o1" }])
  })

  it("says what is wrong with its options and modules", async () => {
    const none = file("none.mjs", "export default { listeners: [] }")
    const odd = file("odd.mjs", "export default { listeners: [], rulez: [] }")
    const broken = file("broken.mjs", "export default nothing")
    const told = async (...words: ReadonlyArray<string>) =>
      (await hindcast(["serve", ...words, "--log", place.file("wrong.db")], { cwd: place.directory })).stderr
    expect(await told("--listener", "missing.mjs")).toContain("found no such file")
    expect(await told("--listener", none)).toContain("an object without listeners")
    expect(await told("--listener", odd)).toContain("the field rulez")
    expect(await told("--listener", broken)).toContain("nothing is not defined")
    expect(await told("--listener", HOOK)).toContain("expected an agent for the signals")
    expect(await told("--listener", HOOK, "--goal", "x")).toContain("--goal: expected --agent or --model with it")
    expect(await told("--listener", HOOK, "--agent", AGENT, "--stdio")).toContain("another kind of server")
    expect(await told("--stdio", "--goal", "x")).toContain("--listener with --goal")
    expect(fs.existsSync(place.file("wrong.db"))).toBe(false)
    expect(await told("--listener", HOOK, "--agent", AGENT, "--when", "content.")).toContain("rules[0].when")
  })
})
