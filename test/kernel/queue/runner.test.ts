import { Effect, Schema } from "effect"
import * as Stream from "effect/Stream"
import { afterAll, describe, expect, it } from "vitest"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import type * as Agent from "../../../src/kernel/agents/Agent.ts"
import * as Hindcast from "../../../src/kernel/Hindcast.ts"
import * as Tool from "../../../src/kernel/program/Tool.ts"
import { TaskQueue } from "../../../src/kernel/queue/TaskQueue.ts"
import { workplace } from "../../workplace.ts"

const place = workplace()
afterAll(place.remove)

let count = 0
const newLog = () => place.file(`queue-${count++}.db`)

/** An agent that is done after a number of adds. */
const adder = (adds = 1, name = "adder"): Agent.DecidingAgent => ({
  name,
  version: "1.0.0",
  decide: ({ step }) => (step < adds ? { act: "program/add", args: { a: step, b: 1 } } : { done: "achieved" }),
})

const tools = {
  add: Tool.make({
    description: "Adds",
    risk: "none",
    args: Schema.Struct({ a: Schema.Number, b: Schema.Number }),
    run: ({ a, b }) => Effect.succeed({ sum: a + b }),
  }),
}

const onLog = <A, E>(log: string, effect: Effect.Effect<A, E, TaskQueue | EventLog>) =>
  Effect.provide(effect, Hindcast.layerLog({ log, workspace: place.directory }))

const eventsOf = (log: string, types?: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Event>, unknown> =>
  onLog(
    log,
    Effect.flatMap(EventLog, (events) =>
      Effect.map(Stream.runCollect(events.read(types === undefined ? {} : { types })), (all) => [...all]),
    ),
  )

const submit = (log: string, options: Parameters<TaskQueue.Service["submit"]>[0]) =>
  onLog(
    log,
    Effect.flatMap(TaskQueue, (queue) => queue.submit(options)),
  )

/** Waits until the log has so many events of a type. */
const until = (log: string, type: string, number: number) =>
  onLog(
    log,
    Effect.flatMap(EventLog, (events) =>
      events.follow({ types: [type] }).pipe(
        Stream.filter((item) => "type" in item),
        Stream.take(number),
        Stream.runDrain,
      ),
    ),
  )

const run = <A, E>(effect: Effect.Effect<A, E, never>) => Effect.runPromise(effect)

describe("a runner on a file", () => {
  it("works on queued tasks by priority, and closes them", () =>
    run(
      Effect.gen(function* () {
        const log = newLog()
        for (const [id, priority] of [
          ["low", 0],
          ["high", 5],
          ["middle", 1],
        ] as const)
          yield* submit(log, { id, agent: "adder", goal: `add ${id}`, priority })
        yield* Effect.scoped(
          Effect.gen(function* () {
            const runner = yield* Hindcast.runner({
              log,
              workspace: place.directory,
              agents: [adder()],
              tools,
              slots: 1,
            })
            yield* until(log, "TaskClosed", 3)
            yield* runner.drain
          }),
        )
        const events = yield* eventsOf(log, ["TaskOpened", "TaskClosed", "RunnerStarted", "RunnerStopped"])
        expect(events.map(({ type, taskId }) => [type, taskId])).toEqual([
          ["RunnerStarted", null],
          ["TaskOpened", "high"],
          ["TaskClosed", "high"],
          ["TaskOpened", "middle"],
          ["TaskClosed", "middle"],
          ["TaskOpened", "low"],
          ["TaskClosed", "low"],
          ["RunnerStopped", null],
        ])
        expect(
          yield* onLog(
            log,
            Effect.flatMap(TaskQueue, ({ queued }) => queued),
          ),
        ).toEqual({})
      }),
    ))
})
