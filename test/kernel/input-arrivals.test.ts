import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { vi } from "vitest"
import * as EventLog from "../../src/events/index.ts"
import * as InputArrivals from "../../src/kernel/tasks/InputArrivals.ts"

/** What is said in a task, and the arrivals of inputs in its log. */
const given = Effect.gen(function* () {
  const log = yield* Effect.map(Layer.build(EventLog.layerMemory()), Context.get(EventLog.EventLog))
  const say = (task: string) =>
    log.append({
      stream: `task/${task}`,
      taskId: task,
      actor: "human:ada",
      events: [{ type: "InputReceived", payload: { source: "test", content: "Wait" } }],
    })
  return { say, arrivals: InputArrivals.make(log) }
})

describe("the arrivals of what is said", () => {
  it.scoped("are told where the program's clock stands still, of each task to those who wait for it", () =>
    Effect.gen(function* () {
      const { say, arrivals } = yield* given
      const elsewhere = yield* Effect.fork(arrivals.watching("task/b", (next) => next))
      yield* arrivals.watching("task/a", (next) => Effect.repeatN(Effect.zipRight(say("a"), next), 2))
      expect(elsewhere.unsafePoll()).toBeNull()
      yield* say("b")
      yield* Fiber.join(elsewhere)
    }),
  )

  it.scoped("are told to one who begins to wait after nobody did", () =>
    Effect.gen(function* () {
      const { say, arrivals } = yield* given
      for (let times = 0; times < 3; times++) {
        yield* arrivals.watching("task/a", (next) => Effect.zipRight(say("a"), next))
      }
    }),
  )

  it.scoped("are told at the commit in this process, without a look by the clock", () =>
    Effect.gen(function* () {
      const { say, arrivals } = yield* given
      yield* Effect.acquireRelease(
        Effect.sync(() => vi.useFakeTimers({ toFake: ["setTimeout"] })),
        () => Effect.sync(() => vi.useRealTimers()),
      )
      yield* arrivals.watching("task/a", (next) => Effect.repeatN(Effect.zipRight(say("a"), next), 2))
    }),
  )
})

describe("a log", () => {
  for (const [name, layer] of [
    ["in memory", EventLog.layerMemory()],
    ["of SQLite", EventLog.layerSqlite({ filename: ":memory:" })],
  ] as const) {
    it.scoped(`${name} tells of its commits until it is asked not to`, () =>
      Effect.gen(function* () {
        const log = yield* Effect.map(Layer.build(layer), Context.get(EventLog.EventLog))
        const note = {
          stream: "n",
          actor: "kernel",
          events: [{ type: "NoteAdded", payload: { about: "x", text: "y" } }],
        } as const
        const heads: Array<number> = []
        const end = log.onCommit(() => heads.push(Effect.runSync(log.head).position))
        yield* log.append(note)
        yield* log.append(note)
        end()
        yield* log.append(note)
        expect(heads).toEqual([1, 2])
      }),
    )
  }
})
