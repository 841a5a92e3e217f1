import { execFile } from "node:child_process"
import * as fs from "node:fs"
import { promisify } from "node:util"
import { Client, type ClientOptions } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { afterEach, describe, expect, it, vi } from "vitest"
import { MAIN } from "../built.ts"
import { eventsOf, temporary } from "../record/recorded.ts"
import { inRepository } from "../repository.ts"

vi.setConfig({ testTimeout: 120_000 })

const RULES = `
rules:
  - name: no-erasing
    actuator: notes/erase
    decision: deny
    reason: Nothing is erased here
  - name: ask-about-writing
    actuator: notes/write
    decision: confirm
default: allow
`

const MODES = [
  ["legacy", {}],
  ["auto", { versionNegotiation: { mode: "auto" } }],
  ["pinned", { versionNegotiation: { mode: { pin: "2026-07-28" } } }],
] as const satisfies ReadonlyArray<readonly [string, ClientOptions]>

const clients: Array<Client> = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

const opened = async (options: ClientOptions) => {
  const [log, received, rules] = [temporary("sdk.db"), temporary("received"), temporary("gate.yaml")]
  fs.writeFileSync(rules, RULES)
  fs.writeFileSync(received, "")
  const client = new Client({ name: "sdk", version: "1.0.0" }, options)
  clients.push(client)
  const server = [process.execPath, inRepository("test", "mcp", "servers", "sdk.mjs"), received]
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, "mcp", "gate", "--log", log, "--rules", rules, "--name", "notes", "--", ...server],
      env: { PATH: process.env.PATH ?? "" },
      stderr: "pipe",
    }),
  )
  const call = async (name: string, text: string) => {
    const { content, isError = false } = await client.callTool({ name, arguments: { text } })
    return { text: content.map((one) => (one.type === "text" ? one.text : one.type)).join("\n"), isError }
  }
  return { client, call, log, received: () => fs.readFileSync(received, "utf8") }
}

/** Approves the first confirmation that the log gets, as a person's script does. */
const approve = async (log: string): Promise<void> => {
  const hindcast = (...args: ReadonlyArray<string>) =>
    promisify(execFile)(process.execPath, [MAIN, "confirm", ...args, "--log", log])
  for (let tries = 0; tries < 10_000; tries++) {
    const asked = (await eventsOf(log)).find(({ type }) => type === "ConfirmationRequested")
    if (asked !== undefined) {
      await hindcast("approve", String(asked.payload.confirmationId), "--yes")
      return
    }
  }
  throw new Error("nobody was asked")
}

const decisionsIn = async (log: string) =>
  (await eventsOf(log)).filter(({ type }) => type === "ConfirmationDecided").map(({ payload }) => payload)

describe("the client of the SDK, through the gateway", () => {
  it.each(MODES)("lists tools, and calls what the rules allow, in the mode %s", async (_, options) => {
    const { client, call, log, received } = await opened(options)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(["read", "write", "erase"])
    expect(await call("read", "one")).toEqual({ text: "read: one", isError: false })
    const denied = await call("erase", "all")
    expect(denied.isError).toBe(true)
    expect(denied.text).toMatch(/no-erasing.*Nothing is erased here/)
    await client.close()
    expect(received()).toBe("read one\n")
    const decided = (await eventsOf(log)).flatMap(({ type }) =>
      type === "CommandAllowed" || type === "CommandDenied" ? [type] : [],
    )
    expect(decided).toEqual(["CommandAllowed", "CommandDenied"])
  })

  it.each(MODES)("waits for an approval at a terminal if it shows no forms, in the mode %s", async (_, options) => {
    const { call, log, received } = await opened(options)
    const [result] = await Promise.all([call("write", "hello"), approve(log)])
    expect(result).toEqual({ text: "write: hello", isError: false })
    expect(received()).toBe("write hello\n")
    expect(await decisionsIn(log)).toMatchObject([{ approved: true, channel: "cli" }])
  })

  it.each(MODES.slice(1))("asks its user in a form, in the mode %s", async (_, options) => {
    const { client, call, log, received } = await opened({ ...options, capabilities: { elicitation: { form: {} } } })
    const asked: Array<string> = []
    const answers = [true, false]
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params.message)
      return { action: "accept", content: { approve: answers.shift() ?? false } }
    })
    expect(await call("write", "yes")).toEqual({ text: "write: yes", isError: false })
    const rejected = await call("write", "no")
    expect(rejected.isError).toBe(true)
    expect(rejected.text).toMatch(/denied/)
    expect(asked).toEqual([expect.stringContaining('"text": "yes"'), expect.stringContaining('"text": "no"')])
    expect(received()).toBe("write yes\n")
    expect(await decisionsIn(log)).toMatchObject([
      { approved: true, channel: "mcp" },
      { approved: false, channel: "mcp" },
    ])
  })
})
