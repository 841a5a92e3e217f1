import { Effect } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import { type Run, record, replayed } from "../../src/record/index.ts"
import { eventsOf, temporary } from "./recorded.ts"

const HOUR_MS = 3_600_000
const wallClock = Date.now

afterEach(() => {
  Date.now = wallClock
})

describe.each([5 * HOUR_MS, -HOUR_MS])("a recorded run whose clock is set by %d ms", (byMs) => {
  /** A call before the clock is set, and one after. */
  const program = async (run: Run, setTheClock: () => void) => {
    const first = await run.io("first", async () => 1)()
    setTheClock()
    return [first, await run.io("second", async () => 2)()]
  }

  it("lasts as long as it did, tells of the change once, and is replayed", async () => {
    const log = temporary("clock.db")
    const startedAt = performance.now()
    const run = await record({ log, goal: "Look", agent: "tester", id: "t" })
    await program(run, () => {
      Date.now = () => wallClock() + byMs
    })
    await run.end("achieved")
    const passedMs = Math.ceil(performance.now() - startedAt)

    const changes = (await eventsOf(log)).filter(({ type }) => type === "ClockChanged")
    expect(changes).toHaveLength(1)
    expect(Math.abs(Number(changes[0]?.payload.byMs) - byMs)).toBeLessThan(100)
    const layer = SqliteEventLog.layer({ filename: log })
    const { durationMs } = await Effect.runPromise(Effect.provide(TaskAudit.load("t"), layer))
    expect(durationMs).toBeGreaterThanOrEqual(0)
    expect(durationMs).toBeLessThanOrEqual(passedMs + 2)
    expect(await replayed({ log, taskId: "t" }, (again) => program(again, () => {}))).toEqual([1, 2])
  })
})
