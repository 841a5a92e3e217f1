import { spawn } from "node:child_process"
import { once } from "node:events"
import { Effect, Option } from "effect"
import { describe, expect, it } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { Lease } from "../../src/events/log/Lease.ts"
import { Presence } from "../../src/events/log/Presence.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import * as TaskActivity from "../../src/kernel/recovery/TaskActivity.ts"
import { record } from "../../src/record/index.ts"
import { temporary } from "../record/recorded.ts"
import { inRepository } from "../repository.ts"

const RECORDING = inRepository("test", "record", "programs", "busy.mjs")

/** What goes on in an open task of a log's file, as a reader of it says. */
const activityIn = (filename: string, taskId: string, more: Partial<TaskActivity.OpenTask> = {}) =>
  Effect.gen(function* () {
    const writers = {
      lease: Option.getOrUndefined(yield* Effect.serviceOption(Lease)),
      presence: Option.getOrUndefined(yield* Effect.serviceOption(Presence)),
    }
    const kernel = yield* TaskActivity.kernelState(writers)
    return yield* TaskActivity.of(yield* EventLog, writers, kernel, {
      taskId,
      timeline: "main",
      questions: 0,
      ...more,
    })
  }).pipe(Effect.provide(SqliteEventLog.layer({ filename, readonly: true })), Effect.runPromise)

const paused = { asked: { what: "paused", by: "human:ada" } } as const

describe("an open task", () => {
  it("runs while its recorder lives, waits for a person or is paused then, and has stopped once it is killed", async () => {
    const log = temporary("activity.db")
    const child = spawn(process.execPath, [RECORDING, log, "task-1", "1"], { stdio: ["pipe", "pipe", "inherit"] })
    await once(child.stdout, "data")
    expect(await activityIn(log, "task-1")).toBe("running")
    expect(await activityIn(log, "task-1", { questions: 1 })).toBe("waiting")
    expect(await activityIn(log, "task-1", paused)).toBe("paused")
    child.kill("SIGKILL")
    await once(child, "close")
    expect(await activityIn(log, "task-1")).toBe("stopped")
    expect(await activityIn(log, "task-1", { questions: 1, ...paused })).toBe("stopped")
  })

  it("of a kernel has stopped if no kernel holds the log, and runs while one does", async () => {
    const log = temporary("activity.db")
    const opened = {
      type: "TaskOpened",
      payload: { goal: "Heat the water", measures: [], agent: "one@1.0.0" },
    } as const
    await Effect.gen(function* () {
      const append = (taskId: string, actor: string) =>
        Effect.flatMap(EventLog, (events) =>
          events.append({ stream: `task/${taskId}`, taskId, actor, events: [opened] }),
        )
      yield* append("own", "kernel")
      yield* append("foreign", "import:codex")
      yield* (yield* Lease).acquire("a test")
      expect(yield* Effect.promise(() => activityIn(log, "own"))).toBe("running")
      expect(yield* Effect.promise(() => activityIn(log, "foreign"))).toBe("unfinished")
    }).pipe(Effect.scoped, Effect.provide(SqliteEventLog.layer({ filename: log })), Effect.runPromise)
    expect(await activityIn(log, "own")).toBe("stopped")
    expect(await activityIn(log, "foreign")).toBe("unfinished")
  })

  it("is unknown where nobody can be asked", async () => {
    const log = temporary("activity.db")
    const run = await record({ log, goal: "Be recorded", agent: "two", id: "task-1" })
    const nobody = { lease: undefined, presence: undefined }
    const found = await Effect.gen(function* () {
      expect(yield* TaskActivity.kernelState(nobody)).toBe("unknown")
      const task = { taskId: "task-1", timeline: "main", questions: 0 }
      return yield* TaskActivity.of(yield* EventLog, nobody, "unknown", task)
    }).pipe(Effect.provide(SqliteEventLog.layer({ filename: log, readonly: true })), Effect.runPromise)
    expect(found).toBe("unknown")
    await run.end("achieved")
  })
})
