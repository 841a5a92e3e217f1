/** How a process learns what is new in a log on a server: one small read, which all who ask at a time share. */
import { Context, Effect, Layer } from "effect"
import pg from "pg"
import { expect, it, vi } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import * as Queue from "../../src/projections/queue/Queue.ts"
import * as PluginRegistry from "../../src/projections/state/PluginRegistry.ts"
import * as Tasks from "../../src/projections/state/Tasks.ts"
import { postgres } from "./backend.ts"
import { sql } from "./server.ts"

const opened = (name: string) =>
  Effect.map(Layer.build(Layer.provideMerge(Projector.layer, Layer.orDie(postgres.open(name)))), (context) => ({
    log: Context.get(context, EventLog),
    projector: Context.get(context, Projector.Projector),
  }))

const open = (log: EventLog.Service, task: string) =>
  log.append({
    stream: `task/${task}`,
    taskId: task,
    actor: "kernel",
    events: [{ type: "TaskOpened", payload: { goal: "x", measures: [], agent: "desk@1" } }],
  })

it("asks the server once for all states that are wanted at a time, and not for events that it knows", () =>
  Effect.gen(function* () {
    const { log, projector } = yield* opened(yield* postgres.place)
    const states = Effect.all(
      Array.from({ length: 20 }, () => [
        projector.current(Tasks.projection),
        projector.current(Queue.projection),
        projector.current(PluginRegistry.projection),
      ]).flat(),
      { concurrency: "unbounded" },
    )
    yield* open(log, "first")
    yield* states
    const asked = yield* Effect.acquireRelease(
      Effect.sync(() => vi.spyOn(pg.Client.prototype, "query")),
      (spy) => Effect.sync(() => spy.mockRestore()),
    )
    yield* states
    expect(asked.mock.calls.length).toBe(1)
    asked.mockClear()
    const [, second] = [yield* states, yield* projector.current(Tasks.projection)]
    expect(Object.keys(second)).toEqual(["first"])
    expect(asked.mock.calls.length).toBe(2)
  }).pipe(Effect.scoped, Effect.runPromise))

it("a state has every event that another process committed before it was asked for", () =>
  Effect.gen(function* () {
    const name = yield* postgres.place
    const [one, other] = [yield* opened(name), yield* opened(name)]
    for (const task of ["a", "b", "c"]) {
      yield* open(other.log, task)
      expect(Object.keys(yield* one.projector.current(Tasks.projection))).toContain(task)
      yield* open(one.log, `${task}-own`)
      expect(Object.keys(yield* one.projector.current(Tasks.projection))).toContain(`${task}-own`)
    }
  }).pipe(Effect.scoped, Effect.runPromise))

it("does not look past the end of a log that lost its last events", () =>
  Effect.gen(function* () {
    const name = yield* postgres.place
    const { log } = yield* opened(name)
    const heads: Array<number> = []
    for (const task of ["a", "b"]) yield* open(log, task)
    const look = log.glance ?? Effect.dieMessage("the log has no glance")
    heads.push((yield* look).head.position)
    yield* Effect.promise(() =>
      sql(
        `SET session_replication_role = replica; DELETE FROM ${name}.events WHERE position = 2; SET session_replication_role = origin`,
      ),
    )
    expect((yield* Effect.flip(look))._tag).toBe("LogCorrupt")
    // A program that opens the log again sees it as it is.
    const again = yield* opened(name)
    heads.push((yield* again.log.head).position)
    expect(heads).toEqual([2, 1])
  }).pipe(Effect.scoped, Effect.runPromise))
