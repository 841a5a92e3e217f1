import * as fs from "node:fs"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type CoreNewEvent, EventLog } from "../../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import { workplace } from "../workplace.ts"
import { run } from "./fromSource.ts"

const place = workplace()
const log = place.file("log.db")
const sha = "0".repeat(64)

const answer = (parts: ReadonlyArray<object>): CoreNewEvent => ({
  type: "ModelResponded",
  payload: { response: { parts: parts as never }, usage: { inputTokens: 1, outputTokens: 1 } },
})

/** Of t, the answer at @4 calls a tool, and @7 is the last answer. The goal of s is about a person. */
const EVENTS: ReadonlyArray<CoreNewEvent> = [
  { type: "TaskOpened", payload: { goal: "Count the lines", measures: [], agent: "me@1" } },
  { type: "InputReceived", payload: { source: "chat", content: "of a.txt" } },
  { type: "SensorRead", payload: { sensor: "room/lamp", reading: 1, priority: 0, latencyMs: 1 } },
  answer([
    { type: "text", text: "I look." },
    { type: "call", callId: "c1", tool: "files/read", args: { path: "a.txt" } },
  ]),
  {
    type: "ActuatorCommanded",
    payload: { commandId: "x", callId: "c1", actuator: "files/read", args: {}, argsDigest: sha, priority: 0 },
  },
  { type: "CommandSucceeded", payload: { commandId: "x", result: "one\ntwo", latencyMs: 1 } },
  answer([{ type: "text", text: "Three." }]),
  { type: "MessageSent", payload: { content: "Three.", format: "text" } },
  { type: "TaskClosed", payload: { outcome: "achieved" } },
]

const GOAL = { role: "user", content: "Count the lines" }
const INPUT = { role: "user", content: "of a.txt" }
const CALL = {
  role: "assistant",
  content: "I look.",
  tool_calls: [{ id: "c1", function: "files/read", arguments: { path: "a.txt" }, type: "function" }],
}
const RESULT = { role: "tool", content: "one\ntwo", tool_call_id: "c1" }

const says = (...words: ReadonlyArray<string>) => run([...words, "--log", log])
const prints = async (...words: ReadonlyArray<string>) => {
  const { code, stdout, error } = await says(...words)
  expect([words, code, error]).toEqual([words, 0, ""])
  return stdout
}

beforeAll(async () => {
  await Effect.gen(function* () {
    const log = yield* EventLog
    yield* log.append({ stream: "task/t", taskId: "t", actor: "agent:me", events: [...EVENTS] })
    const opened: CoreNewEvent = { type: "TaskOpened", payload: { goal: "Write to Anna", measures: [], agent: "me@1" } }
    const closed: CoreNewEvent = { type: "TaskClosed", payload: { outcome: "failed" } }
    yield* log.append({ stream: "task/s", taskId: "s", actor: "kernel", subject: "anna", events: [opened, closed] })
  }).pipe(Effect.provide(SqliteEventLog.layer({ filename: log })), Effect.runPromise)
  await prints("star", "@7", "--by", "ada")
  await prints("label", "@7", "fail", "--by", "ada", "--target", "Two.", "--comment", "off by one")
  await prints("star", "t", "--by", "bob")
  await prints("label", "t", "pass", "--by", "ada")
  await prints("label", "t", "fail", "--by", "bob")
  await prints("label", "s", "fail", "--by", "bob")
  await prints("tag", "t", "counting", "--by", "bob")
})
afterAll(place.remove)

let file = 0
const exported = async (...words: ReadonlyArray<string>) => {
  const output = place.file(`examples-${file++}.jsonl`)
  await prints("export", "dataset", "--output", output, ...words)
  const lines = fs.readFileSync(output, "utf8").trimEnd().split("\n")
  return lines.map((line) => JSON.parse(line))
}

describe("export dataset", () => {
  it("writes each starred task and moment with the messages before its answer, and what people said", async () => {
    const [moment, task, ...others] = await exported()
    expect(others).toEqual([])
    expect(moment).toMatchObject({
      id: "t@7",
      input: [GOAL, INPUT, CALL, RESULT],
      target: "Two.",
      metadata: {
        ...{ log: "log.db", task: "t", timeline: "main", position: 7, moment: "ModelResponded" },
        starred: ["human:ada"],
        tags: ["counting"],
        labels: [{ by: "human:ada", measure: "pass", value: false, comment: "off by one", target: "Two." }],
      },
    })
    expect(moment.metadata.logId).toMatch(/^[0-9a-f-]{36}$/)
    // Two people judge the whole task differently: there is no target.
    expect(task).toMatchObject({ id: "t", input: [GOAL, INPUT], target: null, metadata: { starred: ["human:bob"] } })
  })

  it("selects by tags and labels, which must all match", async () => {
    const ids = async (...words: ReadonlyArray<string>) => (await exported(...words)).map(({ id }) => id)
    expect(await ids("--tag", "counting")).toEqual(["t"])
    expect(await ids("--label", "pass=fail")).toEqual(["t@7", "t", "s"])
    expect(await ids("--label", "pass=fail", "--tag", "counting")).toEqual(["t@7", "t"])
    expect(await ids("--label", "pass=pass")).toEqual(["t"])
    expect(await says("export", "dataset", "--output", place.file("none.jsonl"), "--label", "nope")).toMatchObject({
      code: 3,
      error: expect.stringContaining("Expected a task or a moment that fits --star, --tag and --label"),
    })
    expect(fs.existsSync(place.file("none.jsonl"))).toBe(false)
  })

  it("writes samples that Inspect's json_dataset reads: no target instead of null, and a role and content each", async () => {
    const [moment, task] = await exported("--format", "inspect")
    expect(Object.keys(moment)).toEqual(["id", "input", "target", "metadata"])
    expect(Object.keys(task)).toEqual(["id", "input", "metadata"])
    for (const { role, content } of [...moment.input, ...task.input]) {
      expect(["system", "user", "assistant", "tool"]).toContain(role)
      expect(typeof content).toBe("string")
    }
  })

  it("keeps personal data sealed, unless it is asked to decrypt it", async () => {
    const [sealed] = await exported("--label", "pass=fail", "--label", "nope").then((all) => all.slice(-1))
    expect(sealed).toMatchObject({ id: "s", input: [{ role: "user", content: "[shredded]" }], target: "fail" })
    const [open] = await exported("--label", "pass=fail", "--decrypt").then((all) => all.slice(-1))
    expect(open).toMatchObject({ id: "s", input: [{ role: "user", content: "Write to Anna" }] })
  })
})
