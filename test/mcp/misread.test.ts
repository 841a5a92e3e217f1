import * as fs from "node:fs"
import { describe, expect, it } from "vitest"
import type { GateConfig } from "../../src/kernel/gate/Gate.ts"
import { eventsOf, temporary } from "../record/recorded.ts"
import { gateway, MODERN, scripted } from "./gateway.ts"

const opened = async (behaviour: string, gate: GateConfig = { rules: [], default: "allow" }) => {
  const [log, received] = [temporary("misread.db"), temporary("received")]
  const client = gateway({ log, gate, waitMs: 30_000, command: scripted(behaviour, received) })
  await client.initialize()
  await client.request("tools/list")
  const sent = async (line: string, id: string | number) => {
    const reply = client.until((one) => one.id === id)
    client.write(line)
    return reply
  }
  const called = () => (fs.existsSync(received) ? fs.readFileSync(received, "utf8").trim().split("\n") : [])
  return { client, log, sent, called }
}

const call = (id: number, params: string) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`

describe("one approval", () => {
  it("runs one call, also if the client repeats it several times at once", async () => {
    const { client, log, called } = await opened("plain", { rules: [], default: "confirm" })
    const { requestState } = (await client.call("echo", { a: 1 }, MODERN)).result
    const answer = { "hindcast-approval": { action: "accept", content: { approve: true } } }
    const again = { ...MODERN, requestState, inputResponses: answer }
    const replies = await Promise.all([1, 2, 3].map(() => client.call("echo", { a: 1 }, again)))
    expect(replies.filter(({ result }) => result !== undefined)).toHaveLength(1)
    for (const { error } of replies.filter(({ result }) => result === undefined)) {
      expect(error?.message).toMatch(/another request already waits|its question has ended/)
    }
    await client.end()
    expect(called()).toHaveLength(1)
    expect((await eventsOf(log)).filter(({ type }) => type === "CommandSucceeded")).toHaveLength(1)
  })
})

describe("an argument with the name of a key", () => {
  it("hides its value from the log, and not from the gate", async () => {
    const rules = [{ name: "no-etc", args: { path: "/etc/*" }, decision: "deny" as const }]
    const { client, log, called } = await opened("plain", { rules, default: "allow" })
    const reply = await client.call("echo", { token: "/etc/passwd", path: "/etc/passwd" })
    expect(reply.result.content[0].text).toMatch(/Rule "no-etc"/)
    await client.end()
    expect(called()).toEqual([])
    expect(JSON.stringify(await eventsOf(log))).not.toContain("/etc/passwd")
  })
})

describe("what a server could read otherwise than the gate", () => {
  it("does not reach it: names that differ in case, and numbers and texts that change when they are written", async () => {
    const { client, log, sent, called } = await opened("typed")
    const error = async (line: string, id: string | number) => (await sent(line, id)).error?.message
    const method = '{"jsonrpc":"2.0","id":101,"method":"ping","Method":"tools/call","params":{"name":"echo"}}'
    expect(await error(method, 101)).toMatch(/"Method" is no member/)
    const kelvin = '{"jsonrpc":"2.0","id":102,"method":"ping","param\u017f":{"name":"echo"}}'
    expect(await error(kelvin, 102)).toMatch(/is no member/)
    expect(await error(call(103, '{"name":"echo","Name":"erase"}'), 103)).toMatch(/"Name" differs only in case/)
    expect(await error(call(104, '{"name":"typed","arguments":{"Path":"/"}}'), 104)).toMatch(/"Path" differs only/)
    expect(await error(call(105, '{"name":"echo","arguments":{"a":1e400}}'), 105)).toMatch(/found Infinity/)
    expect(await error(call(106, '{"name":"echo","arguments":{"a":"\\ud800"}}'), 106)).toMatch(/lone surrogate/)
    expect(await error(call(107, '{"name":"echo","arguments":{"\\ud800":1}}'), 107)).toMatch(/lone surrogate/)
    expect(await error(call(108, `{"name":"${"n".repeat(1_001)}"}`), 108)).toMatch(/at most 1000 characters/)
    const both = '{"jsonrpc":"2.0","id":109,"method":"tools/call","params":{"name":"echo"},"result":{}}'
    expect(await error(both, 109)).toMatch(/both a request and a response/)
    const refused = client.until(({ id }) => id === null)
    client.write('{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}')
    expect((await refused).error?.message).toMatch(/id is neither/)
    expect(called()).toEqual([])
    expect((await sent(call(110, '{"name":"typed","arguments":{"path":"/","Other":1}}'), 110)).result).toBeDefined()
    await client.end()
    const dispatched = (await eventsOf(log)).filter(({ type }) => type === "CommandDispatched")
    expect(dispatched).toHaveLength(1)
  })

  it("passes in other messages, whose record has a replacement", async () => {
    const { client, log, sent } = await opened("plain")
    const line = '{"jsonrpc":"2.0","id":"x","method":"acme/echo","params":{"a":"\\ud800","n":1e400}}'
    expect((await sent(line, "x")).result.line).toBe(line)
    const long = "m".repeat(3_000_000)
    expect((await client.request(long)).error?.message).toBe("Method not found")
    await client.end()
    const kept = (await eventsOf(log)).filter(({ type }) => type === "SourceRecordKept")
    expect(kept.map(({ payload }) => payload)).toContainEqual(
      expect.objectContaining({ kind: "request acme/echo", record: { id: "x", params: { a: "\ufffd", n: null } } }),
    )
    for (const { payload } of kept) expect(String(payload.kind).length).toBeLessThanOrEqual(200)
  })
})

describe("what a client could read otherwise than the pins", () => {
  it("does not reach it: a list of tools within another message", async () => {
    const { client, log } = await opened("smuggles")
    await client.call("echo", {})
    await client.call("half", {})
    await client.end()
    // Each line, as a reader sees it that ends lines at a carriage return or keeps the first of repeated members.
    for (const line of client.lines) {
      expect(line).not.toMatch(/[\r\u2028\u2029\u0085]/)
      expect(line).not.toMatch(/"Result"|"id":\d+,"id"/)
      if (line.includes('"method"')) expect(JSON.parse(line)).not.toHaveProperty("result")
    }
    const reasons = (await eventsOf(log)).filter(({ payload }) => payload.kind === "invalid")
    expect(reasons.map(({ payload }) => payload.record)).toEqual([
      expect.objectContaining({ reason: "it is both a request and a response" }),
      expect.objectContaining({ reason: "it is both a notification and a response" }),
      expect.objectContaining({ reason: '"Result" is no member of a message' }),
    ])
    expect(client.received.filter(({ method }) => method === "notifications/message")).toHaveLength(2)
  })

  it("withholds a tool that a list has twice, once as it was pinned", async () => {
    const { client } = await opened("twice")
    const { tools } = (await client.request("tools/list")).result
    expect(tools.filter(({ name }: { name: string }) => name === "echo")).toHaveLength(1)
    expect((await client.call("echo", {})).result.content[0].text).toMatch(/tools-changed/)
    await client.end()
  })
})
