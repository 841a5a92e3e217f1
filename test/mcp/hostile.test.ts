import * as fs from "node:fs"
import { Effect, Layer } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import * as Confirmations from "../../src/kernel/gate/Confirmations.ts"
import * as Lines from "../../src/mcp/Lines.ts"
import * as Message from "../../src/mcp/Message.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import { eventsOf, temporary } from "../record/recorded.ts"
import { gateway, scripted } from "./gateway.ts"

const opened = async (behaviour: string, more: Partial<Parameters<typeof gateway>[0]> = {}) => {
  const [log, received] = [temporary("hostile.db"), temporary("received")]
  const client = gateway({ log, command: scripted(behaviour, received), ...more })
  await client.initialize()
  await client.request("tools/list")
  return { client, log, received }
}

const countOf = (file: string) => (fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim().split("\n").length : 0)

describe("a server that misbehaves", () => {
  it("floods: all of it is passed on at the client's pace, and the log stays bounded", async () => {
    const { client, log } = await opened("flood")
    expect((await client.call("echo", { a: 1 })).result.content[0].text).toBe('{"a":1}')
    await client.end()
    expect(client.received.filter(({ method }) => method === "notifications/message")).toHaveLength(3_000)
    const kept = (await eventsOf(log)).filter(({ type }) => type === "SourceRecordKept")
    expect(kept.length).toBeLessThan(2_010)
    expect(kept.at(-1)?.payload).toMatchObject({ kind: "not kept", record: { messages: expect.any(Number) } })
  }, 60_000)

  it("sends what is no message: it is recorded, and does not reach the client", async () => {
    const { client, log } = await opened("garbage")
    expect((await client.call("echo", { a: 1 })).result.content[0].text).toBe('{"a":1}')
    await client.end()
    const invalid = (await eventsOf(log)).filter(({ payload }) => payload.kind === "invalid")
    expect(invalid).toHaveLength(4)
  })

  it("reuses ids and answers twice: the second of each is dropped", async () => {
    const { client, log } = await opened("clash")
    const reply = await client.call("echo")
    expect(reply.result.content[0].text).toBe("answered")
    await client.request("acme/echo")
    await client.end()
    expect(client.received.filter(({ method }) => method === "elicitation/create")).toHaveLength(1)
    expect(client.received.filter(({ id }) => id === reply.id)).toHaveLength(1)
    const kinds = (await eventsOf(log)).map(({ payload }) => payload.kind)
    expect(kinds).toContain("response without a request")
    expect(kinds).toContain("refused")
  })

  it("prints to its error output for ever, or never answers: the session works, and ends in time", async () => {
    const noisy = await opened("stderr")
    expect((await noisy.client.call("echo")).result.content[0].text).toBe("{}")
    await noisy.client.end()
    const silent = await opened("silent", { callMs: 50 })
    expect((await silent.client.call("echo")).error?.message).toMatch(/did not answer.*may have taken effect/)
    await silent.client.end()
    const events = await eventsOf(silent.log)
    expect(events.map(({ type }) => type)).toContain("CommandOutcomeUnknown")
  })

  it("sends too much in one message: the call gets an error", async () => {
    const { client, log } = await opened("large")
    expect((await client.call("echo")).error?.message).toMatch(/at most 16777216/)
    await client.end()
    expect((await eventsOf(log)).map(({ type }) => type)).toContain("CommandOutcomeUnknown")
  }, 30_000)

  it("dies: open calls are answered, their outcome is unknown, and the gateway ends", async () => {
    const { client, log } = await opened("plain")
    const reply = await client.call("dies")
    expect(reply.error?.message).toMatch(/the server ended \(exit code 3\)/)
    expect(await client.ended).toMatchObject({ isFailure: true })
    const events = await eventsOf(log)
    expect(events.map(({ type }) => type)).toContain("CommandOutcomeUnknown")
    expect(events.at(-1)).toMatchObject({ type: "TaskClosed", payload: { outcome: "abandoned" } })
  })

  it("does not start: the error says so", async () => {
    const client = gateway({ log: temporary("none.db"), command: ["/no/such/server"] })
    await expect(client.ended).rejects.toThrow(/expected an MCP server that starts, found .*ENOENT/)
  })
})

describe("a server that changes its tools", () => {
  const approveAll = (log: string) =>
    Effect.gen(function* () {
      const confirmations = yield* Confirmations.Confirmations
      const waiting = Object.entries(yield* confirmations.pending)
      for (const [id] of waiting) yield* confirmations.decide(id, { approved: true, by: "ada", channel: "program" })
      return waiting.length
    }).pipe(
      Effect.provide(Confirmations.layer),
      Effect.provide(Layer.provideMerge(Projector.layer, SqliteEventLog.layer({ filename: log }))),
      Effect.runPromise,
    )
  const namesOf = (tools: ReadonlyArray<{ readonly name: string }>) => tools.map(({ name }) => name)

  it("in mid-session: new and changed tools are withheld until a person approves them", async () => {
    const { client, log, received } = await opened("changes")
    const changed = await client.request("tools/list")
    expect(namesOf(changed.result.tools)).toEqual(["erase", "other", "fails", "input"])
    for (const name of ["echo", "extra"]) {
      const denied = await client.call(name)
      expect(denied.result.content[0].text).toMatch(/tools-changed/)
    }
    expect(countOf(received)).toBe(0)
    await client.request("tools/list")
    const events = await eventsOf(log)
    expect(events.filter(({ type }) => type === "ToolsChanged").map(({ payload }) => payload)).toMatchObject([
      { added: ["extra"], changed: ["echo"], removed: ["dies"] },
    ])
    expect(events.filter(({ type }) => type === "ConfirmationRequested")).toHaveLength(1)
    const told = client.until(({ method }) => method === "notifications/tools/list_changed")
    expect(await approveAll(log)).toBe(1)
    await told
    const approved = await client.request("tools/list")
    expect(namesOf(approved.result.tools)).toContain("extra")
    expect((await client.call("extra")).result.isError).toBeUndefined()
    await client.end()
  })

  it("while a call waits: an approval that was about the old definition does not run the new one", async () => {
    const ask = { name: "ask-echo", actuator: "scripted/echo", decision: "confirm", confirmWithinMs: 60_000 } as const
    const { client, log, received } = await opened("changes", { gate: { rules: [ask], default: "allow" } })
    expect((await client.call("echo", { a: 1 })).result.content[0].text).toMatch(/confirm approve/)
    await client.request("tools/list")
    expect((await client.call("extra")).result.content[0].text).toMatch(/tools-changed/)
    await client.request("tools/list")
    const told = client.until(({ method }) => method === "notifications/tools/list_changed")
    // The call, and the changed tools.
    expect(await approveAll(log)).toBe(2)
    await told
    const again = await client.call("echo", { a: 1 })
    expect(again.result.content[0].text).toMatch(/defined differently/)
    expect(countOf(received)).toBe(0)
    await client.end()
  })

  it("between sessions: the pins of the first one hold", async () => {
    const log = temporary("pins.db")
    const first = gateway({ log })
    await first.initialize()
    await first.request("tools/list")
    await first.end()
    const second = gateway({ log, command: scripted("changed") })
    await second.initialize()
    const { result } = await second.request("tools/list")
    expect(namesOf(result.tools)).not.toContain("echo")
    await second.end()
    const other = gateway({ log, command: scripted("changed"), server: "another" })
    await other.initialize()
    expect(namesOf((await other.request("tools/list")).result.tools)).toContain("echo")
    await other.end()
  })
})

describe("a client that misbehaves", () => {
  it("gets errors, and no call passes the gate that way", async () => {
    const gate = { rules: [], default: "deny" } as const
    const { client, log, received } = await opened("plain", { gate })
    const call = { jsonrpc: "2.0", method: "tools/call", params: { name: "echo", arguments: {} } }
    const refused = () => client.until(({ id, error }) => id === null && error !== undefined)
    for (const line of [
      "{",
      "[]",
      JSON.stringify([{ ...call, id: 7 }]),
      '{"jsonrpc":"2.0","id":null,"method":"x"}',
      "1",
    ]) {
      const reply = refused()
      client.write(line)
      expect((await reply).error?.code).toBe(-32600)
    }
    client.write(JSON.stringify(call))
    client.write(JSON.stringify({ ...call, method: "acme/x", params: {} }).replace("acme/x", "tools\\/call"))
    client.write(`{"jsonrpc":"2.0","id":8,"method":"acme/x",\r${JSON.stringify({ ...call, id: 9 })}\r:1}`)
    const hidden = client.until(({ id }) => id === 10)
    const inner = JSON.stringify({ ...call, id: 9 })
    client.write(`{"jsonrpc":"2.0","id":10,"method":"acme/x","params":{"a":\r${inner}\r}}`)
    await hidden
    const twice = client.until(({ id }) => id === 11)
    client.write(`{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"echo"},"method":"acme/x"}`)
    await twice
    const inexact = await client.call("echo", {})
    expect(inexact.result.content[0].text).toMatch(/denied/)
    client.write(
      `{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"echo","arguments":{"n":9007199254740993}}}`,
    )
    expect((await client.until(({ id }) => id === 12)).error?.message).toMatch(/beyond 2\^53/)
    await client.end()
    expect(countOf(received)).toBe(0)
    expect((await eventsOf(log)).map(({ type }) => type)).not.toContain("CommandDispatched")
  })

  it("uses an id twice, or sends a message that is too long: an error, and the first request is answered", async () => {
    const { client } = await opened("silent", { callMs: 200 })
    const replies = [client.until(({ id }) => id === 20), client.until(({ id }) => id === 20)]
    const line = JSON.stringify({ jsonrpc: "2.0", id: 20, method: "tools/call", params: { name: "echo" } })
    client.write(line)
    client.write(line)
    const messages = (await Promise.all(replies)).map(({ error }) => error?.message)
    expect(messages).toEqual([expect.stringMatching(/id 20 is that of/), expect.stringMatching(/did not answer/)])
    const long = client.until(({ id }) => id === 21)
    client.write(`{"jsonrpc":"2.0","id":21,"method":"acme/x","params":{"a":"${"x".repeat(17 * 1024 * 1024)}"}}`)
    expect((await long).error?.message).toMatch(/at most 16777216/)
    await client.end()
  }, 30_000)
})

describe("lines and messages", () => {
  it("are split the same way however they arrive, with a bound on memory", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ maxLength: 40, unit: "grapheme" }).map((text) => text.replaceAll("\n", ""))),
        fc.integer({ min: 1, max: 9 }),
        async (texts, size) => {
          const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(""))
          const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
            bytes.subarray(index * size, (index + 1) * size),
          )
          const found: Array<Lines.Line> = []
          for await (const line of Lines.lines(from(pieces), 20)) found.push(line)
          const expected = texts.flatMap((text): ReadonlyArray<string | number> => {
            const length = Buffer.byteLength(text)
            if (length > 20) return [length]
            return text.trim() === "" ? [] : [text]
          })
          expect(found.map((line) => (line.kind === "line" ? line.text : line.bytes))).toEqual(expected)
        },
      ),
    )
  })

  it("mean the same after they are written again, on one line for every reader", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), (value) => {
        const whole = JSON.parse(JSON.stringify(value))
        const line = Message.written(whole)
        expect(JSON.parse(line)).toEqual(whole)
        expect(line).not.toMatch(/[\n\r\u0085\u2028\u2029]/)
      }),
    )
  })
})

async function* from(pieces: ReadonlyArray<Buffer>) {
  yield* pieces
}
