import * as os from "node:os"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { describe, expect } from "vitest"
import * as EventLog from "../../src/events/index.ts"
import * as LeftRuns from "../../src/record/log/LeftRuns.ts"
import { temporaryDirectory } from "../temporary.ts"

/** Runs that were recorded and ended. */
const RUNS = 1_000

/** No process has this id on Linux, where ids end at 4,194,304. */
const GONE = 2 ** 30

const opened = (id: string, pid: number) => ({
  stream: `task/${id}`,
  taskId: id,
  actor: "agent:tester",
  events: [
    {
      type: "TaskOpened" as const,
      payload: { goal: "x", agent: "tester", measures: [], plugins: [], recorder: { host: os.hostname(), pid } },
    },
  ],
})

const closed = (id: string) => ({
  stream: `task/${id}`,
  taskId: id,
  actor: "agent:tester",
  events: [{ type: "TaskClosed" as const, payload: { outcome: "achieved" as const } }],
})

/** How many events are read, and how those that are open stand after that. */
const abandoned = (filename: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const context = yield* Layer.build(EventLog.layerSqlite({ filename }))
      const log = Context.get(context, EventLog.EventLog)
      let events = 0
      const counting: EventLog.EventLog.Service = {
        ...log,
        readPage: (...asked) =>
          Effect.map(log.readPage(...asked), (page) => {
            events += page.length
            return page
          }),
      }
      yield* Effect.provide(
        Effect.flatMap(Effect.scope, (scope) => LeftRuns.abandon(scope)),
        Context.add(context, EventLog.EventLog, counting),
      )
      const read = events
      const closings = yield* log.readPage({ taskId: "left", types: ["TaskClosed"] }, 2)
      const living = yield* log.readPage({ taskId: "living", types: ["TaskClosed"] }, 2)
      return { read, left: closings.map(({ payload }) => [payload.outcome, payload.reason]), living: living.length }
    }),
  )

describe("a recorder that opens a log of many runs", () => {
  it.scopedLive("closes what a dead one left, however long ago, and reads little of the log the next time", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      yield* Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        yield* log.append(opened("living", process.pid))
        const ids = Array.from({ length: RUNS }, (_, index) => `run-${index}`)
        const one = (id: string) => Effect.zipRight(log.append(opened(id, GONE)), log.append(closed(id)))
        yield* Effect.forEach(ids, one, { concurrency: 500, discard: true })
      }).pipe(Effect.provide(EventLog.layerSqlite({ filename })))
      const first = yield* abandoned(filename)
      expect(first).toEqual({ read: 2 * RUNS + 1, left: [], living: 0 })
      const second = yield* abandoned(filename)
      expect(second).toMatchObject({ left: [], living: 0 })
      expect(second.read).toBeLessThan(600)
      yield* Effect.flatMap(EventLog.EventLog, (log) => log.append(opened("left", GONE))).pipe(
        Effect.provide(EventLog.layerSqlite({ filename })),
      )
      const closing = yield* abandoned(filename)
      expect(closing).toMatchObject({ left: [["abandoned", "its recorder ended"]], living: 0 })
      expect(closing.read).toBeLessThan(600)
      const last = yield* abandoned(filename)
      expect(last).toMatchObject({ left: [["abandoned", "its recorder ended"]], living: 0 })
      expect(last.read).toBeLessThan(600)
    }),
  )

  it.scopedLive("closes the forks that a dead one left, and no other", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const fork = (timeline: string, pid: number) => ({
        stream: `timeline/${timeline}`,
        timeline,
        taskId: "run",
        actor: "agent:tester",
        events: [
          {
            type: "TimelineForked" as const,
            payload: {
              timeline,
              parent: "main",
              at: 1,
              overrides: {
                agent: "tester",
                io: "live",
                ...(pid === 0 ? {} : { recorder: { host: os.hostname(), pid } }),
              },
            },
          },
        ],
      })
      const forks = { left: GONE, living: process.pid, "of-a-kernel": 0 }
      yield* Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        yield* log.append(opened("run", GONE))
        yield* log.append(closed("run"))
        yield* Effect.forEach(Object.entries(forks), ([name, pid]) => log.append(fork(name, pid)))
      }).pipe(Effect.provide(EventLog.layerSqlite({ filename })))
      for (let times = 1; times <= 2; times++) {
        yield* abandoned(filename)
        const closings = yield* Effect.flatMap(EventLog.EventLog, (log) =>
          Effect.forEach(Object.keys(forks), (timeline) => log.readPage({ timeline, types: ["TaskClosed"] }, 9)),
        ).pipe(Effect.provide(EventLog.layerSqlite({ filename })))
        expect(closings.flat().map(({ timeline, payload }) => [timeline, payload.outcome])).toEqual([
          ["left", "abandoned"],
        ])
      }
    }),
  )
})
