import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it, vi } from "vitest"
import { type Run, RunEnded, record, replayed, ToolDenied } from "../../src/record/index.ts"
import { outside, placesOf } from "../wrongOptions.ts"
import { eventsOf, temporary } from "./recorded.ts"

const failing = async (does: () => unknown): Promise<unknown> => {
  try {
    await does()
  } catch (error) {
    return error
  }
  throw new Error("expected it to fail, but it did not")
}

const payloads = (events: Awaited<ReturnType<typeof eventsOf>>, type: string) =>
  events.filter((event) => event.type === type).map(({ payload }) => payload)

describe("a recorded run", () => {
  it("has its tools, calls, sensors, time and chance in the log, also of tools that are made late", async () => {
    const log = temporary("run.db")
    const run = await record({ log, goal: "Try it", agent: "tester" })
    const add = run.tool("add", ({ a, b }: { a: number; b: number }) => a + b, { risk: "none" })
    const load = run.io("load", async (key: string) => ({ key, rows: 2 }))
    const heat = run.sensor("heat", () => 21.5)
    expect(await add({ a: 1, b: 2 })).toBe(3)
    expect(await load("x")).toEqual({ key: "x", rows: 2 })
    expect(await heat()).toBe(21.5)
    const late = run.tool("late", (of: string) => `${of} later`)
    expect(await late("much")).toBe("much later")
    const [now, random] = [run.now(), run.random()]
    await run.end("achieved", "all done")

    const events = await eventsOf(log)
    expect(payloads(events, "TaskOpened")).toMatchObject([
      { goal: "Try it", agent: "tester", plugins: [], recorder: { pid: process.pid } },
    ])
    expect(payloads(events, "ActuatorCommanded")).toMatchObject([
      { actuator: "program/add", args: { a: 1, b: 2 } },
      { actuator: "program/late", args: { args: ["much"] } },
    ])
    expect(payloads(events, "CommandSucceeded")).toMatchObject([{ result: 3 }, { result: "much later" }])
    expect(payloads(events, "IoCalled")).toMatchObject([{ io: "load", request: ["x"] }])
    expect(payloads(events, "IoAnswered")).toMatchObject([
      { io: "load", result: { key: "x", rows: 2 } },
      { io: "now", result: now },
    ])
    expect(payloads(events, "SensorRead")).toMatchObject([{ sensor: "program/heat", reading: 21.5 }])
    expect(payloads(events, "RandomDrawn")).toMatchObject([{ value: random }])
    expect(payloads(events, "TaskClosed")).toEqual([{ outcome: "achieved", reason: "all done" }])
  })

  it("gives the program what its functions answer and throw, and the log their JSON", async () => {
    const log = temporary("values.db")
    const run = await record({ log, goal: "Give back", agent: "tester", secrets: ["hunter2hunter2"] })
    const thrown = new TypeError("no such row, hunter2hunter2")
    const dated = run.tool("dated", () => new Date(0))
    const throwing = run.tool("throwing", () => {
      throw thrown
    })
    const lost = run.io("lost", () => {
      throw thrown
    })
    expect(await dated()).toEqual(new Date(0))
    expect(await failing(throwing)).toBe(thrown)
    expect(await failing(lost)).toBe(thrown)
    await run.end("failed")
    const events = await eventsOf(log)
    expect(payloads(events, "CommandSucceeded")).toMatchObject([{ result: "1970-01-01T00:00:00.000Z" }])
    const error = { code: "TypeError", message: "no such row, [redacted]" }
    expect(payloads(events, "CommandFailed")).toMatchObject([{ error }])
    expect(payloads(events, "IoFailed")).toMatchObject([{ io: "lost", error }])
  })

  it("keeps what programs decide by of an error, and records one of which nothing can be read", async () => {
    const log = temporary("errors.db")
    const secrets = ["hunter2hunter2"]
    const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", errno: -111 })
    const behind = new Error("pool of hunter2hunter2", { cause: refused })
    const hostile = Object.defineProperty(new Error("x"), "message", { get: () => expect.unreachable("read") })
    const unwritable = {
      get toString() {
        throw new Error("never")
      },
      toJSON: () => {
        throw Object.create(null)
      },
    }
    const program = async (run: Run) => {
      const lost = await failing(
        run.io("lost", () => {
          throw Object.assign(new RangeError("no such row", { cause: behind }), { code: 404, status: 404, body: {} })
        }),
      )
      const unreadable = await failing(
        run.tool("unreadable", () => {
          throw hostile
        }),
      )
      const object = await failing(
        run
          .tool("object", (_: unknown) => {
            throw unwritable
          })
          .bind(null, unwritable),
      )
      return { lost, unreadable, object }
    }
    const run = await record({ log, goal: "Fail", agent: "tester", secrets })
    await program(run)
    await run.end("failed")
    const events = await eventsOf(log)
    const [command, other] = payloads(events, "CommandFailed")
    expect(command?.error).toEqual({ code: "Error", message: "[an error that cannot be read]" })
    expect(other?.error).toEqual(command?.error)
    const { lost, object } = await replayed({ log, secrets }, program)
    expect(lost).toBeInstanceOf(RangeError)
    expect(lost).toMatchObject({ message: "no such row", code: 404, status: 404 })
    expect(lost).not.toHaveProperty("body")
    expect(lost).toHaveProperty("cause.message", "pool of [redacted]")
    expect(lost).toHaveProperty("cause.cause.code", "ECONNREFUSED")
    expect(object).toHaveProperty("message", "[an error that cannot be read]")
  })

  it("calls tools concurrently, each with its own answer, and one within another", async () => {
    const run = await record({ log: temporary("concurrent.db"), goal: "Many at once", agent: "tester" })
    let calls = 0
    const count = run.tool("count", async () => ++calls)
    const outer = run.tool("outer", async (of: number) => [of, await count()])
    const answers = await Promise.all(Array.from({ length: 64 }, (_, index) => (index < 32 ? count() : outer(index))))
    expect(new Set(answers.map((answer) => (Array.isArray(answer) ? answer[1] : answer))).size).toBe(64)
    await run.end("achieved")
  })

  it("asks nobody to confirm a call whose arguments are too large to be shown whole", async () => {
    const log = temporary("large.db")
    const run = await record({ log, goal: "Behave", agent: "tester", gate: { default: "confirm" } })
    let called = 0
    const write = run.tool("write", (text: string) => (called += text.length))
    const denied = await failing(() => write("x".repeat(5 * 1024 * 1024)))
    expect(denied).toMatchObject({ tool: "write", rule: "too-large", reason: expect.stringContaining("shown whole") })
    await run.end("failed")
    expect(called).toBe(0)
    expect((await eventsOf(log)).map(({ type }) => type)).toEqual([
      "TaskOpened",
      "ActuatorCommanded",
      "CommandDenied",
      "TaskClosed",
    ])
  })

  it("says on the standard error which call waits for a person, how to answer, and by which rule", async () => {
    const log = temporary("waits.db")
    const rules = [{ name: "refunds", actuator: "program/pay", decision: "confirm" as const, reason: "It is money." }]
    const gate = { rules: rules.map((rule) => ({ ...rule, confirmWithinMs: 30 })), default: "allow" as const }
    const run = await record({ log, goal: "Pay", agent: "tester", gate })
    const stderr = vi.spyOn(process.stderr, "write").mockImplementation(() => true)
    try {
      const denied = await failing(() => run.tool("pay", (euros: number) => euros)(20))
      expect(denied).toMatchObject({ tool: "pay", rule: "expired" })
    } finally {
      const said = stderr.mock.calls.map(([text]) => String(text)).join("")
      stderr.mockRestore()
      const [asked] = payloads(await eventsOf(log), "ConfirmationRequested")
      expect(asked?.shown).toMatchObject({ actuator: "program/pay", rule: "refunds", reason: "It is money." })
      expect(said).toMatch(
        new RegExp(
          `^hindcast: program/pay waits up to \\d+ s for an answer: npx hindcast confirm approve ${asked?.confirmationId} --log \\S+waits\\.db\n$`,
        ),
      )
      await run.end("failed")
    }
  })

  it("takes tools through the gate where there is one", async () => {
    const log = temporary("gate.db")
    const rules = [{ name: "no-harm", risk: ["high" as const], decision: "deny" as const, reason: "too risky" }]
    const run = await record({ log, goal: "Behave", agent: "tester", gate: { rules, default: "allow" } })
    let called = 0
    const erase = run.tool("erase", () => ++called, { risk: "high" })
    const look = run.tool("look", () => "seen", { risk: "none" })
    const denied = await failing(() => erase())
    expect(denied).toBeInstanceOf(ToolDenied)
    expect(denied).toMatchObject({ tool: "erase", rule: "no-harm", reason: "too risky" })
    expect([called, await look()]).toEqual([0, "seen"])
    await run.end("achieved")
    expect(payloads(await eventsOf(log), "CommandDenied")).toMatchObject([{ rule: "no-harm" }])
  })

  it("names every mistake in its options, and changes nothing", async () => {
    const log = temporary("wrong.db")
    const wrong = await failing(() => record(outside({ log, goal: " ", agnt: "x", onLogFailure: "panic" })))
    expect(placesOf(wrong)).toEqual(["agnt: agent?", "goal", "agent", "onLogFailure"])
    expect(fs.existsSync(log)).toBe(false)
  })

  it("cannot begin on a log that cannot be opened, or with an id that is taken or none", async () => {
    const settings = { goal: "Begin", agent: "tester" }
    const log = temporary("begun.db")
    const run = await record({ ...settings, log, id: "first" })
    const directory = await failing(() => record({ ...settings, log: path.dirname(log) }))
    expect(directory).toMatchObject({ _tag: "LogUnavailable" })
    expect(await failing(() => record({ ...settings, log, id: "first" }))).toMatchObject({ _tag: "TaskIdTaken" })
    expect(await failing(() => record({ ...settings, log, id: "no id" }))).toMatchObject({ _tag: "TaskIdInvalid" })
    await run.end("achieved")
  })

  it("refuses a name that is taken, another outcome, and every call after its end", async () => {
    const log = temporary("ended.db")
    const run = await record({ log, goal: "End", agent: "tester" })
    const twice = run.tool("twice", () => 1)
    expect(await failing(() => run.tool("twice", () => 2))).toMatchObject({ _tag: "NameTaken", name: "twice" })
    expect(placesOf(await failing(() => run.tool("a/b", () => 2)))).toEqual(["name"])
    expect(placesOf(await failing(() => run.tool("risky", () => 2, outside({ rsk: "low" }))))).toEqual(["rsk: risk?"])
    expect(placesOf(await failing(() => run.end(outside("done"))))).toEqual(["outcome"])
    await run.end("achieved")
    for (const call of [
      () => run.end("achieved"),
      () => run.fetch("http://127.0.0.1:1/"),
      () => run.tool("more", () => 1),
      () => twice(),
      () => run.now(),
    ]) {
      expect(await failing(call)).toBeInstanceOf(RunEnded)
    }
    expect(payloads(await eventsOf(log), "TaskClosed")).toEqual([{ outcome: "achieved" }])
  })
})

describe("the end of a run", () => {
  it("waits for the outcome of a call that nobody awaits", async () => {
    const log = temporary("unawaited.db")
    const run = await record({ log, goal: "Go", agent: "tester" })
    void run.tool("step", () => 1)()
    void run.io("load", () => 2)()
    await run.end("achieved")
    const types = (await eventsOf(log)).map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(["CommandSucceeded", "IoAnswered"]))
    expect(types.at(-1)).toBe("TaskClosed")
  })
})
