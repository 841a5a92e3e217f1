import * as fs from "node:fs"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as Confirmations from "../../src/kernel/gate/Confirmations.ts"
import type { GateConfig } from "../../src/kernel/gate/Gate.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import { eventsOf, temporary } from "../record/recorded.ts"
import { gateway, MODERN, scripted } from "./gateway.ts"

const GATE: GateConfig = {
  rules: [
    { name: "no-erasing", actuator: "scripted/erase", decision: "deny", reason: "Nothing is erased here" },
    { name: "ask-a-person", actuator: "scripted/input", decision: "confirm", confirmWithinMs: 60_000 },
    { name: "ask-echo", actuator: "scripted/echo", decision: "confirm", confirmWithinMs: 60_000 },
  ],
  default: "allow",
}

const receivedBy = (file: string) =>
  fs.existsSync(file)
    ? fs
        .readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    : []

const typesOf = (events: ReadonlyArray<Event>) => events.map(({ type }) => type)
const ofCommands = (events: ReadonlyArray<Event>) =>
  typesOf(events.filter(({ payload }) => payload.commandId !== undefined))

/** Decides about the one confirmation that waits, as another process would. */
const decide = (log: string, approved: boolean) =>
  Effect.gen(function* () {
    const confirmations = yield* Confirmations.Confirmations
    const [id = ""] = Object.keys(yield* confirmations.pending)
    return yield* confirmations.decide(id, { approved, by: "ada", channel: "program" })
  }).pipe(
    Effect.provide(Confirmations.layer),
    Effect.provide(Layer.provideMerge(Projector.layer, SqliteEventLog.layer({ filename: log }))),
    Effect.runPromise,
  )

describe("a session through the gateway", () => {
  it("is a task with every message, and each call is a command that passes the gate", async () => {
    const [log, received] = [temporary("gate.db"), temporary("received")]
    const client = gateway({ log, gate: GATE, command: scripted("plain", received) })
    await client.initialize()
    client.notify("notifications/initialized", {})
    const { result } = await client.request("tools/list")
    expect(result.tools.map(({ name }: { name: string }) => name)).toContain("erase")
    expect((await client.call("other", { a: 1 })).result.content).toEqual([{ type: "text", text: '{"a":1}' }])
    const denied = await client.call("erase", { path: "/" })
    expect(denied.result).toMatchObject({ isError: true })
    expect(denied.result.content[0].text).toMatch(/no-erasing.*Nothing is erased here/)
    expect((await client.call("fails")).result).toMatchObject({ isError: true })
    expect(await client.end()).toMatchObject({ isFailure: false })

    expect(receivedBy(received).map(({ name }) => name)).toEqual(["other", "fails"])
    const events = await eventsOf(log)
    expect(events[0]).toMatchObject({
      type: "TaskOpened",
      payload: { agent: "tester", recorder: { means: "mcp" } },
    })
    expect(ofCommands(events)).toEqual([
      ...["ActuatorCommanded", "CommandAllowed", "CommandDispatched", "CommandSucceeded"],
      ...["ActuatorCommanded", "CommandDenied"],
      ...["ActuatorCommanded", "CommandAllowed", "CommandDispatched", "CommandFailed"],
    ])
    const kept = events.flatMap(({ type, payload }) => (type === "SourceRecordKept" ? [payload.kind] : []))
    expect(kept).toEqual([
      ...["request initialize", "response initialize", "notification notifications/initialized"],
      ...["request tools/list", "response tools/list", "failed call"],
    ])
    expect(events.at(-1)).toMatchObject({ type: "TaskClosed", payload: { outcome: "achieved" } })
  })

  it("ends every call in the log, also if the client ends or cancels right after it", async () => {
    const [log, received] = [temporary("ends.db"), temporary("received")]
    const client = gateway({ log, command: scripted("plain", received) })
    const calls = [client.initialize(), client.request("tools/list"), client.call("echo"), client.call("echo")]
    client.notify("notifications/cancelled", { requestId: client.lastId() })
    await client.end()
    await Promise.all(calls.slice(0, 3))
    const types = ofCommands(await eventsOf(log))
    const ends = types.filter((type) => type === "CommandSucceeded" || type === "CommandOutcomeUnknown")
    expect(ends).toHaveLength(types.filter((type) => type === "CommandDispatched").length)
    expect(receivedBy(received).length).toBeLessThanOrEqual(ends.length)
  })

  it("passes unknown methods byte for byte, and rewrites what another reader could read otherwise", async () => {
    const log = temporary("bytes.db")
    const client = gateway({ log })
    await client.initialize()
    const sent = async (line: string) => {
      const reply = client.until(({ id }) => id === "x")
      client.write(line)
      return (await reply).result.line
    }
    const spaced =
      '{ "method":"acme/echo" ,"jsonrpc":"2.0", "id":"x","params":{"big":12345678901234567890,"é":"\\u00e9"}}'
    expect(await sent(spaced)).toBe(spaced)
    const twice = '{"jsonrpc":"2.0","id":"x","method":"tools/call","method":"acme/echo"}'
    expect(await sent(twice)).toBe('{"jsonrpc":"2.0","id":"x","method":"acme/echo"}')
    const hidden = `{"jsonrpc":"2.0","id":"x","params":{"a":"\u2028{}\u2028"},"method":"acme/echo"}`
    expect(await sent(hidden)).toBe('{"jsonrpc":"2.0","id":"x","params":{"a":"\\u2028{}\\u2028"},"method":"acme/echo"}')
    await client.end()
  })
})

describe("a call that a person has to confirm", () => {
  it("is answered, for clients before 2026-07-28, with how to approve it; the same call then runs once", async () => {
    const [log, received] = [temporary("older.db"), temporary("received")]
    const client = gateway({ log, gate: GATE, command: scripted("plain", received) })
    await client.initialize()
    const first = await client.call("echo", { a: 1 })
    expect(first.result.content[0].text).toMatch(/hindcast confirm approve .* --log .*make the same call again/)
    const other = await client.call("echo", { a: 2 })
    expect(other.result.isError).toBe(true)
    expect(receivedBy(received)).toEqual([])
    const again = await client.call("echo", { a: 2 })
    expect(again.result.content[0].text).toMatch(/has to confirm/)
    const asked = (await eventsOf(log)).filter(({ type }) => type === "ConfirmationRequested")
    expect(asked).toHaveLength(2)
    await client.end()
    expect((await eventsOf(log)).filter(({ type }) => type === "ConfirmationWithdrawn")).toHaveLength(2)
  })

  it("runs when it is repeated after an approval, not before", async () => {
    const [log, received] = [temporary("approved.db"), temporary("received")]
    const client = gateway({ log, gate: GATE, command: scripted("plain", received), waitMs: 30_000 })
    await client.initialize()
    const called = client.call("echo", { a: 1 })
    await untilAsked(log)
    expect(receivedBy(received)).toEqual([])
    await decide(log, true)
    expect((await called).result.content[0].text).toBe('{"a":1}')
    expect(receivedBy(received)).toHaveLength(1)
    await client.end()
    expect(ofCommands(await eventsOf(log))).toEqual([
      ...["ActuatorCommanded", "ConfirmationRequested", "CommandAllowed", "CommandDispatched", "CommandSucceeded"],
    ])
  })

  it("does not run when its client no longer waits for it", async () => {
    const [log, received] = [temporary("cancelled.db"), temporary("received")]
    const client = gateway({ log, gate: GATE, command: scripted("plain", received), waitMs: 30_000 })
    await client.initialize()
    const called = client.call("echo", {})
    await untilAsked(log)
    client.notify("notifications/cancelled", { requestId: client.lastId() })
    expect((await called).result.isError).toBe(true)
    await client.end()
    expect(receivedBy(received)).toEqual([])
    const events = await eventsOf(log)
    expect(ofCommands(events)).toEqual(["ActuatorCommanded", "ConfirmationRequested", "CommandDenied"])
  })

  it("asks a client since 2026-07-28 in the call's result, and binds the answer to the call", async () => {
    const [log, received] = [temporary("modern.db"), temporary("received")]
    const client = gateway({ log, gate: GATE, command: scripted("plain", received) })
    const { result } = await client.call("echo", { a: 1 }, MODERN)
    expect(result).toMatchObject({ resultType: "input_required" })
    expect(result.inputRequests["hindcast-approval"].params.message).toContain('"a": 1')
    const { requestState } = result
    const yes = { "hindcast-approval": { action: "accept", content: { approve: true } } }
    const answered = { ...MODERN, inputResponses: yes, requestState }

    const refusedFor = async (name: string, args: object, more: object) =>
      (await client.call(name, args, more)).error?.message
    expect(await refusedFor("echo", { a: 2 }, answered)).toMatch(/arguments are not those that were shown/)
    expect(await refusedFor("other", { a: 1 }, answered)).toMatch(/it is for scripted\/echo, not for scripted\/other/)
    const [body = "", mac = ""] = String(requestState).split(".")
    const state = JSON.parse(Buffer.from(body, "base64url").toString())
    const forged = Buffer.from(JSON.stringify({ ...state, expiresAt: state.expiresAt * 2 })).toString("base64url")
    for (const bad of [`${forged}.${mac}`, body, "", `${body}.`, `${body}.${mac}.x`, `${body}.${"A".repeat(43)}`])
      expect(await refusedFor("echo", { a: 1 }, { ...answered, requestState: bad })).toMatch(/requestState/)
    expect(await refusedFor("echo", { a: 1 }, { ...answered, requestState: 1 })).toMatch(/not a text/)
    expect(receivedBy(received)).toEqual([])

    expect((await client.call("echo", { a: 1 }, answered)).result.content[0].text).toBe('{"a":1}')
    expect(await refusedFor("echo", { a: 1 }, answered)).toMatch(/answered before/)
    expect(receivedBy(received)).toEqual([{ name: "echo", args: { a: 1 } }])
    await client.end()
    const decided = (await eventsOf(log)).find(({ type }) => type === "ConfirmationDecided")
    expect(decided?.payload).toMatchObject({ approved: true, channel: "mcp" })
  })

  it("is denied if the person declines, and passes a server's own questions on after an approval", async () => {
    const [log, received] = [temporary("rounds.db"), temporary("received")]
    const client = gateway({ log, gate: GATE, command: scripted("plain", received) })
    const asked = async () => (await client.call("input", {}, MODERN)).result.requestState
    const answer = (requestState: string, answer: object) =>
      client.call("input", {}, { ...MODERN, inputResponses: { "hindcast-approval": answer }, requestState })
    const declined = await answer(await asked(), { action: "decline" })
    expect(declined.result.content[0].text).toMatch(/denied.*rejected it/)
    const second = await answer(await asked(), { action: "accept", content: { approve: true } })
    expect(second.result).toMatchObject({ resultType: "input_required", inputRequests: { who: {} } })
    const { requestState } = second.result
    expect(requestState).not.toContain("of the server")
    const who = { who: { action: "accept", content: { name: "Ada" } } }
    const third = await client.call("input", {}, { ...MODERN, inputResponses: who, requestState })
    expect(third.result.content[0].text).toBe("Ada of the server")
    const twice = await client.call("input", {}, { ...MODERN, inputResponses: who, requestState })
    expect(twice.error?.message).toMatch(/no longer waits/)
    await client.end()
    expect(receivedBy(received)).toEqual([
      { name: "input", args: {} },
      { name: "input", args: {}, requestState: "of the server" },
    ])
  })
})

const untilAsked = async (log: string): Promise<void> => {
  for (let tries = 0; tries < 200; tries++) {
    if (typesOf(await eventsOf(log)).includes("ConfirmationRequested")) return
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error("nobody was asked")
}
