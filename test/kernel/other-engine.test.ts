import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as Agent from "../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as EventSummary from "../../src/projections/summary/EventSummary.ts"
import { Allowed, inScope } from "../../src/studio/Allowed.ts"
import * as Forks from "../../src/studio/answers/Forks.ts"
import { temporaryDirectory } from "../temporary.ts"
import { about, events, type Sample, seen, writePlugin } from "./given.ts"
import { type TestKernelOptions, testKernel } from "./testKernel.ts"

/** A wheel that is turned, whose angle is computed. What slipping comes to is never the same again. */
const wheel: Sample = {
  name: "wheel",
  environment: true,
  instance: "task",
  actuators: [{ name: "turn" }, { name: "slip" }],
  rewind: ["snapshot", "re-execution"],
  entry: `
    let turns = 0
    export default {
      actuators: {
        turn: () => { turns += 1; return Math.sin(turns) },
        slip: () => { turns += 1; return crypto.randomUUID() },
      },
      environment: {
        reset: () => { turns = 0 },
        restore: (_, __, state) => { turns = state.turns },
        state: () => ({ turns, sine: Math.sin(turns) }),
      },
    }`,
}

const doing = (what: "turn" | "slip", name: string = what) =>
  Agent.fromPolicy({ name, version: "1", policy: () => ({ act: `wheel/${what}`, args: {} }) })

const turning = doing("turn")

/** A kernel that records another Deno than the one that it has. */
const under = (deno: string, options: TestKernelOptions) =>
  testKernel({
    ...options,
    between: Layer.effect(
      EventLog,
      Effect.map(EventLog, (log) => ({
        ...log,
        append: (request) =>
          log.append({
            ...request,
            events: request.events.map((event) =>
              event.type === "KernelStarted" ? { ...event, payload: { ...event.payload, deno } } : event,
            ) as typeof request.events,
          }),
      })),
    ),
  })

/** A directory with a log in which a task turned the wheel three times, under another engine. */
const turnedUnder = (deno: string) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const plugin = writePlugin(path.join(directory, "sources", "wheel"), wheel)
    yield* Effect.scoped(Effect.flatMap(testKernel({ directory, plugins: [plugin] }), ({ start }) => start))
    const first = yield* under(deno, { directory, onOpenTasks: "resume" })
    yield* Effect.scoped(
      Effect.flatMap(first.start, ({ run }) =>
        run(
          Effect.gen(function* () {
            const { tasks } = yield* Kernel
            yield* tasks.run(turning, { id: "t", goal: "Turn", maxSteps: 3 })
            yield* tasks.run(doing("slip"), { id: "slipped", goal: "Slip", maxSteps: 2 })
            const open = yield* Effect.fork(tasks.run(doing("turn", "slow"), { id: "open", goal: "Turn" }))
            yield* seen((event) => about("CommandSucceeded")(event) && event.taskId === "open")
            yield* tasks.suspend
            yield* Fiber.interrupt(open)
          }),
        ),
      ),
    )
    return directory
  })

/** Runs in the next kernel, under the engine that is here. Answers also what it logged, and its engine. */
const inNext = <A, E>(directory: string, work: Effect.Effect<A, E, Kernel | EventLog>) =>
  Effect.gen(function* () {
    const warned: Array<string> = []
    const logger = Logger.make(({ message }) => void warned.push(String(message)))
    const { start } = yield* testKernel({ directory, onOpenTasks: "resume" })
    return yield* Effect.flatMap(start, ({ run }) =>
      run(
        Effect.gen(function* () {
          const result = yield* work
          const kernels = yield* events("KernelStarted")
          return { result, warned, now: `Deno ${kernels.at(-1)?.payload.deno}` }
        }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger))),
      ),
    )
  })

/** The position right before an agent's nth decision. */
const rightBefore = (decision: number, timeline = "main", taskId = "t") =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const decided = yield* log.readPage({ timeline, taskId, types: ["DecisionMade"] }, 100)
    return Number(decided[decision]?.position) - 1
  })

const forked = (rewind: "snapshot" | "re-execution") =>
  Effect.gen(function* () {
    const { worlds } = yield* (yield* Kernel).fork(turning, {
      task: "t",
      at: yield* rightBefore(2),
      rewind,
      maxSteps: 2,
    })
    return worlds
  })

describe("a world that was recorded under another engine", () => {
  it.scopedLive("says so where it goes on in a fork, by a snapshot or stepped again", () =>
    Effect.gen(function* () {
      const directory = yield* turnedUnder("2.0.0")
      const work = Effect.gen(function* () {
        const kernel = yield* Kernel
        const snapshot = yield* forked("snapshot")
        const stepped = yield* forked("re-execution")
        // It was recorded under both engines from there on.
        const { worlds } = yield* kernel.fork(turning, {
          task: "t",
          at: `fork-1@${yield* rightBefore(1, "fork-1")}`,
          fresh: true,
          maxSteps: 1,
        })
        // Nothing to say: this one was recorded here.
        yield* kernel.tasks.run(turning, { id: "here", goal: "Turn", maxSteps: 3 })
        const here = yield* kernel.fork(turning, { task: "here", at: (yield* kernel.audit("here")).range.to - 1 })
        const summaries = (yield* events("EnvironmentRestored")).map(EventSummary.of)
        return { snapshot, stepped, both: worlds, here: here.worlds, summaries }
      })
      const { result, warned, now } = yield* inNext(directory, work)
      const engine = { recorded: ["Deno 2.0.0"], now }
      expect(result).toMatchObject({
        snapshot: [{ by: "snapshot", engine }],
        stepped: [{ by: "re-execution", engine }],
        both: [{ engine: { recorded: ["Deno 2.0.0", now], now } }],
      })
      expect(result.here[0]).not.toHaveProperty("engine")
      expect(warned).toHaveLength(3)
      expect(warned[0]).toContain(`The world of wheel was recorded under Deno 2.0.0 and continues under ${now}: `)
      expect(result.summaries[0]).toContain(`, recorded under Deno 2.0.0, now under ${now}`)
    }),
  )

  it.scopedLive("says so where a resumed task goes on in it", () =>
    Effect.gen(function* () {
      const directory = yield* turnedUnder("2.0.0")
      const work = Effect.gen(function* () {
        yield* (yield* Kernel).tasks.resume("open", doing("turn", "slow"), { maxSteps: 3 })
        return (yield* events("EnvironmentRestored")).map(({ payload }) => payload)
      })
      const { result, warned, now } = yield* inNext(directory, work)
      expect(result).toMatchObject([{ plugin: "wheel", engine: { recorded: ["Deno 2.0.0"], now } }])
      expect(warned).toEqual([expect.stringContaining("The world of wheel was recorded under Deno 2.0.0 and")])
    }),
  )

  it.scopedLive("says so where it differs when it is stepped again", () =>
    Effect.gen(function* () {
      const directory = yield* turnedUnder("2.0.0")
      const work = Effect.gen(function* () {
        const at = yield* rightBefore(1, "main", "slipped")
        return yield* Effect.flip((yield* Kernel).fork(doing("slip"), { task: "slipped", at, rewind: "re-execution" }))
      })
      const { result } = yield* inNext(directory, work)
      expect(result).toMatchObject({ _tag: "WorldDiffers" })
      expect(result.message).toMatch(
        /the outcome of wheel\/slip differs .* was recorded under Deno 2\.0\.0 and continues/,
      )
    }),
  )

  it.scopedLive("says that nobody knows where no engine was recorded, in Studio's answer too", () =>
    Effect.gen(function* () {
      const directory = yield* turnedUnder("")
      const order = Effect.gen(function* () {
        const { fork } = yield* Kernel
        const forks = yield* inScope({ agents: new Map([["turning", turning]]), run: fork })
        const at = yield* rightBefore(2)
        return yield* Forks.fork({ timeline: "main", task: "t", at, agent: "turning" }).pipe(
          Effect.provideService(Allowed, {
            answer: false,
            forks,
            write: false,
            annotate: false,
            scenarios: null,
            talk: null,
            by: "ann",
            notes: [],
          }),
        )
      })
      const { result, warned } = yield* inNext(directory, Effect.scoped(order))
      expect(warned).toEqual([expect.stringContaining("was recorded under an engine that the log does not name")])
      expect(result).toEqual({ timeline: "fork-1", task: "t", notes: warned })
    }),
  )
})
