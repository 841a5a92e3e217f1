import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { CoreNewEvent } from "../../src/events/log/EventLog.ts"
import type { TaskSpans } from "../../src/studio/wire/Spans.ts"
import { append, opening, reading } from "./browser/writing.ts"
import { page, query, served } from "./given.ts"

let directory: string
beforeAll(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-spans-"))
})
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }))

const command = (commandId: string, actuator: string, rest: object = {}): CoreNewEvent => ({
  type: "ActuatorCommanded",
  payload: { commandId, actuator, args: {}, argsDigest: "0".repeat(64), priority: 0, ...rest },
})

const spansOf = async (name: string, ...batches: ReadonlyArray<ReadonlyArray<CoreNewEvent>>): Promise<TaskSpans> => {
  const file = path.join(directory, name)
  await append(file, "t", ...batches)
  return page.pipe(
    Effect.flatMap(({ get }) => get<TaskSpans>(`/api/spans?${query({ task: "t" })}`)),
    Effect.provide(served(file)),
    Effect.scoped,
    Effect.runPromise,
  )
}

describe("the spans of a task", () => {
  it("have calls that overlap, each with its own events, end and duration", async () => {
    const { spans } = await spansOf("calls.db", [
      opening("do two things at once"),
      command("a", "files/read"),
      command("b", "files/write"),
      { type: "CommandAllowed", payload: { commandId: "b", rule: "r" } },
      { type: "CommandDispatched", payload: { commandId: "a" } },
      { type: "CommandDispatched", payload: { commandId: "b" } },
      { type: "CommandSucceeded", payload: { commandId: "b", result: "x".repeat(50_000), latencyMs: 12 } },
      { type: "CommandFailed", payload: { commandId: "a", error: { code: "E", message: "no" }, latencyMs: 30 } },
    ])
    expect(spans).toMatchObject([
      {
        kind: "call",
        name: "files/read",
        from: 2,
        begun: 5,
        to: 8,
        ms: 30,
        state: "failed",
        isBad: true,
        events: [2, 5, 8],
      },
      { kind: "call", name: "files/write", from: 3, begun: 6, to: 7, ms: 12, isBad: false, events: [3, 4, 6, 7] },
    ])
    expect(JSON.stringify(spans).length).toBeLessThan(2_000)
  })

  it("leave an end and a duration that the log does not state unknown", async () => {
    const { spans } = await spansOf("unknown.db", [
      opening("never ends"),
      command("a", "files/read", { observed: true }),
      { type: "CommandSucceeded", payload: { commandId: "a", result: 1 } },
      command("b", "files/read"),
      { type: "TaskClosed", payload: { outcome: "failed" } },
    ])
    expect(spans.map(({ to, ms, state }) => ({ to, ms, state }))).toEqual([
      { to: 3, ms: null, state: "succeeded" },
      { to: null, ms: null, state: "running" },
    ])
  })

  it("name the agent and the plugin of each event, whatever their names are", async () => {
    const { agents, plugins } = await spansOf("owners.db", [
      opening("several"),
      {
        type: "SensorRead",
        payload: { sensor: "room/view", reading: 1, priority: 0, latencyMs: 1, agentId: "__proto__" },
      },
      reading("a", "room/view"),
      command("a", "constructor/go", { agentId: "ada" }),
      { type: "CommandDispatched", payload: { commandId: "a" } },
    ])
    expect(agents).toEqual({ names: ["__proto__", "ada"], runs: [-1, 1, 0, 1, -1, 1, 1, 2] })
    expect(plugins).toEqual({ names: ["room", "constructor"], runs: [-1, 1, 0, 2, 1, 2] })
  })

  it("say that a task is not there", async () => {
    const file = path.join(directory, "none.db")
    await append(file, "t", [opening("one")])
    const refused = await page.pipe(
      Effect.flatMap(({ refused }) => refused(`/api/spans?${query({ task: "nobody" })}`)),
      Effect.provide(served(file)),
      Effect.scoped,
      Effect.runPromise,
    )
    expect(refused).toMatchObject({ status: 404, error: "TaskNotFound" })
  })
})
