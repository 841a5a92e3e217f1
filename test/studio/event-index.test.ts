import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { afterEach, vi } from "vitest"
import { type CoreNewEvent, EventLog, layerSqlite } from "../../src/events/index.ts"
import { Records } from "../../src/events/read/Records.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import * as EventIndex from "../../src/studio/index/EventIndex.ts"
import { temporaryDirectory } from "../temporary.ts"

const HOUR = 3_600_000

afterEach(() => {
  vi.useRealTimers()
})

describe("the index of a log's events", () => {
  it.scopedLive.each([
    ["before it was built", false],
    ["while it follows", true],
  ])("tells a task's own time as its audit does where a clock was set, %s", ([, follows]) =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const context = yield* Layer.build(layerSqlite({ filename }))
      const [log, records] = [Context.get(context, EventLog), Context.get(context, Records)]
      const building = EventIndex.make({ log, records }, { pause: Effect.void, onEvent: () => {} })
      vi.useFakeTimers({ toFake: ["Date"], now: 9 * HOUR })
      const append = (atMs: number, event: CoreNewEvent) => {
        vi.setSystemTime(9 * HOUR + atMs)
        return log.append({ stream: "task/t", taskId: "t", actor: "kernel", events: [event] })
      }
      yield* append(0, { type: "TaskOpened", payload: { goal: "g", measures: [], agent: "a@1" } })
      const early = follows ? yield* building : undefined
      yield* append(HOUR + 300, { type: "ClockChanged", payload: { byMs: HOUR } })
      yield* append(HOUR + 700, { type: "TaskClosed", payload: { outcome: "achieved" } })
      const index = early ?? (yield* building)
      const { position } = yield* log.head
      yield* Effect.repeat(Effect.delay(Effect.void, "5 millis"), { until: () => index.indexed() === position })
      const { times } = index.outline([{ timeline: "main", until: position }], "t")
      expect(times.map((time) => time - 9 * HOUR)).toEqual([0, 300, 700])
      const { durationMs } = yield* Effect.provideService(TaskAudit.load("t"), EventLog, log)
      expect(durationMs).toBe(700)
    }),
  )
})
