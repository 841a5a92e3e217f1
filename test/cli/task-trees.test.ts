/** `hindcast task ls --tree`: tasks that others started, below them, and what they used together. */
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { layerSqlite } from "../../src/events/index.ts"
import { type CoreNewEvent, EventLog } from "../../src/events/log/EventLog.ts"
import type { ParentTask } from "../../src/events/vocabulary/Tasks.ts"
import { workplace } from "../workplace.ts"
import { run } from "./fromSource.ts"

const place = workplace()
const log = place.file("log.db")
afterAll(place.remove)

const opening = (goal: string, parent?: ParentTask): CoreNewEvent => ({
  type: "TaskOpened",
  payload: { goal, measures: [], agent: "me@1", seed: 1, ...(parent === undefined ? {} : { parent }) },
})

const asked = (id: string, tokens: number, usd?: number): ReadonlyArray<CoreNewEvent> => [
  { id, type: "ModelCalled", payload: { provider: "p", model: "m", request: "r", requestDigest: "0".repeat(64) } },
  {
    type: "ModelResponded",
    causationId: id,
    payload: {
      response: "a",
      usage: { inputTokens: tokens, outputTokens: 0 },
      latencyMs: 1,
      ...(usd === undefined ? {} : { cost: { usd, prices: "test@1" } }),
    },
  },
]

const closing: CoreNewEvent = { type: "TaskClosed", payload: { outcome: "achieved" } }

const ids = Array.from({ length: 4 }, (_, index) => `0190a5f0-0000-7000-8000-00000000000${index}`)

beforeAll(() =>
  Effect.gen(function* () {
    const { append } = yield* EventLog
    const of = (taskId: string, ...events: ReadonlyArray<CoreNewEvent>) =>
      append({ stream: `task/${taskId}`, taskId, actor: "kernel", events })
    yield* of("plan", opening("Plan"), ...asked(String(ids[0]), 100, 0.5))
    yield* of("work", opening("Work", { taskId: "plan", commandId: "c" }), ...asked(String(ids[1]), 20, 0.25), closing)
    yield* of("look", opening("Look", { taskId: "work" }), ...asked(String(ids[2]), 3, 0.125), closing)
    yield* of("plan", closing)
    yield* of("other", opening("Other"), ...asked(String(ids[3]), 7), closing)
    // A foreign log may name anything as a parent.
    yield* of("strange", opening("Strange", { taskId: "strange" }), closing)
    yield* of("orphan", opening("Orphan", { taskId: "__proto__" }), closing)
  }).pipe(Effect.provide(layerSqlite({ filename: log })), Effect.runPromise),
)

describe("hindcast task ls --tree", () => {
  it("shows each task above those that it started, with the sums of all below it", async () => {
    const { stdout, error } = await run(["task", "ls", "--tree", "--json", "--log", log])
    expect(error).toBe("")
    const { tasks } = JSON.parse(stdout)
    const shown = tasks.map(({ id, depth, all }: (typeof tasks)[number]) => {
      return [id, depth, all.tasks, all.model?.inputTokens, all.model?.cost.usd]
    })
    expect(shown).toEqual([
      ["plan", 0, 3, 123, 0.875],
      ["work", 1, 2, 23, 0.375],
      ["look", 2, 1, 3, 0.125],
      // Its price is unknown, and so is the sum.
      ["other", 0, 1, 7, null],
      ["strange", 0, 1, undefined, undefined],
      ["orphan", 0, 1, undefined, undefined],
    ])
  })

  it("indents them in a table, and says what the sums are of", async () => {
    const { stdout } = await run(["task", "ls", "--tree", "--log", log])
    expect(stdout).toMatch(/^plan +achieved .* 123 /m)
    expect(stdout).toMatch(/^└ work +achieved .* 23 /m)
    expect(stdout).toMatch(/^ {2}└ look +achieved .* 3 /m)
    expect(stdout).toContain("Steps, tokens and costs are those of a task and the tasks below it.")
    const { stdout: flat } = await run(["task", "ls", "--log", log])
    expect(flat).toMatch(/^plan +achieved .* 100 /m)
    expect(flat).not.toContain("└")
  })
})
