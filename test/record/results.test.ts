import * as fs from "node:fs"
import { describe, expect, it } from "vitest"
import { forked, type Run, record, replayed } from "../../src/record/index.ts"
import { eventsOf, temporary } from "./recorded.ts"

const circle: { me?: unknown } = {}
circle.me = circle

class Point {
  readonly x = 1
  get y() {
    return 2
  }
}

const failing = (message: string) => ({
  toJSON: () => {
    throw new Error(message)
  },
})

const deep: unknown = JSON.parse("[".repeat(300) + "]".repeat(300))

/** Every kind of call with a result. Each appends a line to a file as it is made; the program goes on past what it catches. */
const calling =
  (file: string, returns: () => unknown) =>
  async (run: Run): Promise<ReadonlyArray<unknown>> => {
    const does = (what: string) => () => {
      fs.appendFileSync(file, `${what}\n`)
      return returns()
    }
    const got: Array<unknown> = []
    for (const call of [run.tool("buy", does("buy")), run.io("load", does("load"))]) {
      got.push(await call().catch((error: unknown) => error))
    }
    return got
  }

const made = (file: string) => fs.readFileSync(file, "utf8").trimEnd().split("\n")

/** Records such a program, and counts the calls that it made. */
const recording = async (returns: () => unknown) => {
  const [log, file] = [temporary("results.db"), temporary("calls.txt")]
  const program = calling(file, returns)
  const run = await record({ log, goal: "Buy", agent: "buyer", secrets: ["sk-sesame-0123456789abcdef"] })
  const got = await program(run)
  await run.end("achieved")
  const events = await eventsOf(log)
  const payload = (type: string) => events.find((event) => event.type === type)?.payload
  const at = (type: string) => events.find((event) => event.type === type)?.position ?? 0
  return { log, file, program, got, payload, at, last: events.at(-2)?.position ?? 0 }
}

describe("a result of a recorded program", () => {
  it.each<readonly [string, () => unknown, unknown]>([
    ["a member that is undefined", () => ({ a: undefined, b: [undefined] }), { b: [null] }],
    ["a Date", () => ({ at: new Date(0) }), { at: "1970-01-01T00:00:00.000Z" }],
    ["an instance of a class", () => new Point(), { x: 1 }],
    ["one with toJSON", () => ({ toJSON: () => ({ z: 1 }) }), { z: 1 }],
    ["a Map and a number that is none", () => [new Map([[1, 2]]), Number.NaN], [{}, null]],
    ["nothing", () => undefined, null],
    ["a function", () => () => 1, null],
    ["half a character", () => ["\ud83d"], ["\ufffd"]],
  ])("is recorded the way JSON.stringify writes it: %s", async (_, returns, json) => {
    const { log, file, program, payload } = await recording(returns)
    expect(payload("CommandSucceeded")).toMatchObject({ result: json })
    expect(payload("CommandSucceeded")).not.toHaveProperty("unrecorded")
    expect(payload("IoAnswered")).toMatchObject({ result: json })
    expect(await replayed({ log }, program)).toEqual([json, json])
    expect(made(file)).toEqual(["buy", "load"])
  })

  it.each<readonly [string, () => unknown, string]>([
    ["a circle", () => circle, "circular structure"],
    ["a BigInt", () => ({ n: 10n }), "BigInt"],
    ["one whose toJSON throws", () => failing("the key is sk-sesame-0123456789abcdef"), "the key is ["],
    ["one that is nested too deeply", () => deep, "more than 200 levels"],
    ["10 MB of text", () => "x".repeat(10_000_000), "expected at most 8388608 bytes, found 10000"],
  ])("that cannot be recorded is one of a success, which is not made again: %s", async (_, returns, reason) => {
    const { log, file, program, got, payload, at, last } = await recording(returns)
    expect(got).toEqual(
      [returns(), returns()].map((value) => (reason.startsWith("the key") ? expect.anything() : value)),
    )
    const unrecorded = { result: null, unrecorded: { reason: expect.stringContaining(reason) } }
    expect(payload("CommandSucceeded")).toMatchObject(unrecorded)
    expect(payload("IoAnswered")).toMatchObject(unrecorded)
    expect(payload("CommandFailed") ?? payload("IoFailed")).toBeUndefined()
    const stopped = {
      _tag: "Diverged",
      call: "tool program/buy",
      position: at("ActuatorCommanded"),
      message: expect.stringMatching(/succeeded, but its result was not recorded .*a replay does not repeat it/),
    }
    await expect(replayed({ log }, program)).rejects.toMatchObject(stopped)
    await expect(forked({ log, at: last }, program)).rejects.toMatchObject(stopped)
    expect(made(file)).toEqual(["buy", "load"])
  })

  it("that was not recorded may be given in a fork from before it, which the message names, and is not made again", async () => {
    const { log, file, at } = await recording(() => circle)
    const buying = (run: Run) =>
      run.tool("buy", () => {
        fs.appendFileSync(file, "again\n")
      })()
    const error: unknown = await replayed({ log }, buying).catch((error: unknown) => error)
    const moment = /forked\(\{ log, at: (\d+), set: \{ result \} \}, program\)/.exec(String(error))?.[1]
    expect(moment).toBe(String(at("ActuatorCommanded")))
    const { answer } = await forked({ log, at: Number(moment), set: { result: "bought" } }, buying)
    expect(answer).toBe("bought")
    expect(made(file)).toEqual(["buy", "load"])
  })

  it("of a sensor that was not recorded is no reading, and may be given in a fork from before it as well", async () => {
    const log = temporary("sensed.db")
    const program = (run: Run) => run.sensor("page", (): unknown => 1n)()
    const run = await record({ log, goal: "Read", agent: "reader" })
    expect(await program(run)).toBe(1n)
    await run.end("achieved")
    const failed = (await eventsOf(log)).find(({ type }) => type === "SensorFailed")
    expect(failed?.payload.error).toMatchObject({
      code: "OutcomeNotRecordable",
      message: expect.stringContaining("BigInt"),
    })
    await expect(replayed({ log }, program)).rejects.toMatchObject({ _tag: "Diverged", position: failed?.position })
    const at = (failed?.position ?? 0) - 1
    expect((await forked({ log, at, set: { result: "read" } }, program)).answer).toBe("read")
  })

  it("that an earlier version recorded as a failure is no failure of the tool in a replay", async () => {
    const log = temporary("earlier.db")
    const run = await record({ log, goal: "Buy", agent: "buyer" })
    const earlier = Object.assign(new Error("the result is too large to be recorded"), { name: "OutcomeNotRecordable" })
    const program = async (run: Run) =>
      run
        .tool("buy", () => Promise.reject(earlier))()
        .catch(() => "it failed")
    expect(await program(run)).toBe("it failed")
    await run.end("achieved")
    await expect(replayed({ log }, program)).rejects.toMatchObject({ _tag: "Diverged", call: "tool program/buy" })
  })
})
