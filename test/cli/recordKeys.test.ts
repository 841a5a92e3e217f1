import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as KeyVariables from "../../src/record/log/KeyVariables.ts"
import { workplace } from "../workplace.ts"
import { document, start } from "./hindcast.ts"

const place = workplace()
const KEY = "sk-a-key-that-nobody-may-read"

/** As clients of providers do, it refuses to start without a key. */
const AGENT = place.file(
  "agent.mjs",
  `const { OPENAI_API_KEY: key, OPENAI_BASE_URL: base } = process.env
if (!key) throw new Error("missing credentials")
const asked = { model: "gpt-5", messages: [{ role: "user", content: "Hello" }] }
const headers = { authorization: "Bearer " + key, "content-type": "application/json" }
const response = await fetch(base + "/chat/completions", { method: "POST", headers, body: JSON.stringify(asked) })
console.log((await response.json()).choices[0].message.content)
`,
)

const provider = http.createServer((_, response) => {
  response.setHeader("content-type", "application/json")
  const message = { role: "assistant", content: "Good morning." }
  response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] }))
})
let base = ""
beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve))
  base = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`
})
afterAll(() => void provider.close())

describe("a program that was recorded with a key", () => {
  it.each([
    ["by its fetch", "fetch.db", []],
    ["by the proxy", "proxy.db", ["--proxy"]],
  ])("is replayed without it: recorded %s", async (_, name, options) => {
    const log = place.file(name)
    const env = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: base }
    const recorded = await start(["record", ...options, "--log", log, "--", "node", AGENT], { env }).ended
    expect(recorded).toMatchObject({ code: 0, stdout: "Good morning.\n" })
    const { tasks } = await document(["task", "ls", "--log", log])
    const [{ id }] = tasks as readonly [{ readonly id: string }]
    expect(fs.readFileSync(log).includes(KEY)).toBe(false)

    const without = { OPENAI_API_KEY: undefined, OPENAI_BASE_URL: base }
    const replayed = await start(["replay", id, "--log", log, "--", "node", AGENT], { env: without }).ended
    expect(replayed).toMatchObject({ code: 0, stdout: "Good morning.\n" })
    // What is asked for real needs the real key.
    const anew = ["replay", id, "--log", log, "--live", "model", "--", "node", AGENT]
    const { stdout, stderr } = await start(anew, { env: without }).ended
    expect({ stdout, stderr }).toMatchObject({ stdout: "", stderr: expect.stringContaining("missing credentials") })
  })
})

describe("a variable of a key", () => {
  it("has a placeholder only where it was recorded and is not set, and no other variable has one", () => {
    const recorded = ["OPENAI_API_KEY", "GROQ_API_KEY", "XAI_API_KEY", "PATH", "__proto__", "NODE_OPTIONS"]
    expect(KeyVariables.missing(recorded, { GROQ_API_KEY: "gsk", XAI_API_KEY: "" })).toEqual({
      OPENAI_API_KEY: KeyVariables.PLACEHOLDER,
      XAI_API_KEY: KeyVariables.PLACEHOLDER,
    })
    expect(KeyVariables.setIn({ OPENAI_API_KEY: "sk", MY_API_KEY: "x", GROQ_API_KEY: "" })).toEqual(["OPENAI_API_KEY"])
  })
})
