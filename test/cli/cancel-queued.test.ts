import { Effect } from "effect"
import { afterAll, expect, it } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import { workplace } from "../workplace.ts"
import { runInProcess } from "./inProcess.ts"

const place = workplace()
afterAll(place.remove)
const filename = place.file("queue.db")

const hindcast = (...words: ReadonlyArray<string>) =>
  runInProcess([...words, "--log", filename], { cwd: place.directory })

const typesOf = () =>
  Effect.flatMap(EventLog, (log) => log.readPage({}, 100)).pipe(
    Effect.map((events) => events.map(({ type, taskId }) => [type, taskId])),
    Effect.provide(SqliteEventLog.layer({ filename })),
    Effect.runPromise,
  )

it("the id of a task that waits names no other whose id begins with it, and a part must be of one task", async () => {
  for (const id of ["batch-1", "other-7"])
    expect(await hindcast("task", "submit", "--agent", "desk", "--goal", "x", "--id", id)).toMatchObject({ code: 0 })
  await Effect.runPromise(
    Effect.flatMap(EventLog, (log) =>
      log.append({
        stream: "task/batch-10",
        taskId: "batch-10",
        actor: "kernel",
        events: [{ type: "TaskOpened", payload: { goal: "x", measures: [], agent: "desk@1.0.0" } }],
      }),
    ).pipe(Effect.provide(SqliteEventLog.layer({ filename }))),
  )
  const paused = await hindcast("task", "pause", "batch-1")
  expect(paused.code).toBe(3)
  expect((await hindcast("audit", "batch-1")).code).toBe(3)
  expect((await hindcast("note", "batch-1", "of another task")).code).toBe(3)
  expect(paused.both).toContain("batch-1")
  expect((await hindcast("task", "cancel", "batch")).both).toContain("names more than one task")
  const before = await typesOf()
  expect((await hindcast("task", "cancel", "batch-1")).both).toContain("batch-1 ")
  expect((await hindcast("task", "cancel", "other")).both).toContain("other-7 ")
  expect((await typesOf()).slice(before.length)).toEqual([
    ["TaskWithdrawn", null],
    ["TaskWithdrawn", null],
  ])
})
