import { PassThrough, Writable } from "node:stream"
import { describe, expect, it } from "vitest"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as Replay from "../../src/mcp/replay/Replay.ts"
import { eventsOf, temporary } from "../record/recorded.ts"
import { gateway, scripted } from "./gateway.ts"

/** Replays a session for a client that sends these messages. */
const replayed = async (events: ReadonlyArray<Event>, messages: ReadonlyArray<object | string>) => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const notes: Array<string> = []
  const stop = new AbortController().signal
  const written = output.setEncoding("utf8").toArray()
  const ended = Replay.run({ taskId: "t1", events, input, output, stop, note: (text) => notes.push(text) })
  for (const [id, message] of messages.entries()) {
    input.write(
      typeof message === "string" ? `${message}\n` : `${JSON.stringify({ jsonrpc: "2.0", id, ...message })}\n`,
    )
  }
  input.end()
  const end = await ended
  output.end()
  const lines = (await written).join("").trim().split("\n")
  return { end, notes, replies: lines.flatMap((line) => (line === "" ? [] : [JSON.parse(line)])) }
}

const call = (name: string, args: object = {}) => ({ method: "tools/call", params: { name, arguments: args } })

const recorded = async () => {
  const log = temporary("replay.db")
  const rules = [{ name: "no-erasing", actuator: "scripted/erase", decision: "deny" as const }]
  const client = gateway({ log, gate: { rules, default: "allow" } })
  await client.initialize()
  const { tools } = (await client.request("tools/list")).result
  await client.call("echo", { a: 1 })
  await client.call("echo", { b: 2 })
  await client.call("echo", { a: 1 })
  await client.call("fails")
  await client.call("erase")
  await client.call("echo", { token: "a-long-secret", b: 1 })
  await client.end()
  return { events: await eventsOf(log), tools, received: client.received }
}

describe("a replay", () => {
  it("ends with the reason for a client that reads nothing, and can be stopped before", async () => {
    const { events } = await recorded()
    const deafly = (maxUnread: number, stop: AbortSignal) => {
      const input = new PassThrough()
      const output = new Writable({ write: () => {} })
      for (let id = 0; id < 100; id++) input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`)
      return { output, ended: Replay.run({ taskId: "t1", events, input, output, stop, maxUnread, note: () => {} }) }
    }
    const full = deafly(1_000, new AbortController().signal)
    expect(await full.ended).toMatchObject({
      failure: "the client does not read its input: more than 1000 bytes wait for it",
    })
    expect(full.output.destroyed).toBe(true)
    const stopping = new AbortController()
    const stopped = deafly(100_000, stopping.signal)
    stopping.abort()
    expect(await stopped.ended).toMatchObject({ answered: 0, failure: expect.stringContaining("no call was made") })
  })

  it("answers what the server and the gate answered, in the recorded order of equal calls", async () => {
    const { events, tools, received } = await recorded()
    const { end, replies, notes } = await replayed(events, [
      { method: "initialize", params: { clientInfo: { name: "another", version: "2" } } },
      { method: "ping" },
      { method: "tools/list", params: { _meta: { progressToken: 1 } } },
      call("echo", { b: 2 }),
      call("echo", { a: 1 }),
      call("echo", { a: 1 }),
      call("fails"),
      call("erase"),
      { method: "tools/list" },
    ])
    expect(replies[0].result.serverInfo.name).toBe("scripted")
    expect(replies[1].result).toEqual({})
    expect(replies[2].result.tools).toEqual(tools)
    expect(replies[3].result.content[0].text).toBe('{"b":2}')
    expect(replies[5].result).toEqual(received.find(({ id }) => id === 3)?.result)
    expect(replies[6].result).toEqual(received.find(({ id }) => id === 6)?.result)
    expect(replies[7].result).toEqual(received.find(({ id }) => id === 7)?.result)
    expect(replies[8].result.tools).toEqual(tools)
    expect({ end, notes }).toEqual({ end: { answered: 5, unanswered: 0, failure: undefined }, notes: [] })
  })

  it("finds a call whose arguments have a key that the log lacks", async () => {
    const { events } = await recorded()
    const { replies } = await replayed(events, [call("echo", { token: "a-long-secret", b: 1 })])
    expect(replies[0].result.content[0].text).toContain('"b":1')
  })

  it("fails if a call is not in the log, or is made more often, and tells the client why", async () => {
    const { events } = await recorded()
    const { end, replies, notes } = await replayed(events, [
      call("echo", { b: 2 }),
      call("echo", { b: 2 }),
      call("echo", { c: 3 }),
      { method: "resources/list" },
      "{",
    ])
    expect(replies.map(({ error }) => error?.message)).toEqual([
      undefined,
      "Replay of t1: the log has 1 such calls of scripted/echo, which were answered",
      "Replay of t1: the log has no call of scripted/echo with these arguments",
      "Replay of t1: the log has no answer to resources/list with these parameters",
      "expected a message of MCP",
    ])
    expect(notes).toHaveLength(3)
    expect(end).toEqual({ answered: 1, unanswered: 2, failure: "2 of 3 calls are not in the log" })
  })

  it("fails if no call was made, if the session is no gateway's, and if an outcome is unknown", async () => {
    const { events } = await recorded()
    const none = await replayed(events, [{ method: "initialize" }])
    expect(none.end.failure).toBe("no call was made, of the 6 that the log has")
    const other = await replayed(
      events.filter(({ type }) => type === "TaskOpened"),
      [call("echo")],
    )
    expect(other.end.failure).toMatch(/task t1 is no session of a gateway/)
    const log = temporary("unknown.db")
    const client = gateway({ log, command: scripted("silent"), callMs: 50 })
    await client.initialize()
    await client.call("echo")
    await client.end()
    const lost = await replayed(await eventsOf(log), [call("echo")])
    expect(lost.replies[0].error.message).toMatch(/its outcome is unknown/)
    expect(lost.end.unanswered).toBe(1)
  })

  it("does not pass off a part of an answer as the answer, nor tools that were withheld", async () => {
    const log = temporary("long.db")
    const client = gateway({ log })
    await client.initialize()
    const name = "n".repeat(900)
    await client.call("large-result", { name })
    await client.end()
    const events = (await eventsOf(log)).map((event) =>
      event.type === "CommandSucceeded"
        ? { ...event, payload: { ...event.payload, result: { content: ["[2000000 characters are left out]"] } } }
        : event,
    )
    const long = await replayed(events as ReadonlyArray<Event>, [call("large-result", { name })])
    expect(long.replies[0].error.message).toMatch(/too large for the log/)
    const changes = temporary("changes.db")
    const changing = gateway({ log: changes, command: scripted("changes") })
    await changing.initialize()
    await changing.request("tools/list")
    const seen = (await changing.request("tools/list")).result
    await changing.end()
    const list = { method: "tools/list" }
    const { replies } = await replayed(await eventsOf(changes), [list, list])
    expect(replies[1].result).toEqual(seen)
  })
})
