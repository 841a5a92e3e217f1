import { it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { describe, expect } from "vitest"
import * as Agent from "../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { events, type Sample, seen } from "./given.ts"
import { testKernel } from "./testKernel.ts"

const world: Sample = {
  name: "world",
  environment: true,
  sensors: [{ name: "look" }],
  entry: `export default {
    environment: { reset: () => undefined, state: () => ({}) },
    sensors: { look: () => 1 },
  }`,
}

const brief = Agent.fromPolicy({ name: "brief", version: "1", policy: () => ({ done: "achieved" }) })

describe("an interruption", () => {
  it.scoped("an interruption that arrives while a task is being closed ends what would come after it", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [world] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const tasks = yield* Effect.fork(
          Effect.forEach([1, 2, 3], (seed) => kernel.tasks.run(brief, { goal: `run ${seed}`, seed })),
        )
        yield* seen(({ type }) => type === "TaskClosed")
        const exit = yield* Fiber.interrupt(tasks)
        expect(Exit.isInterrupted(exit)).toBe(true)
        // The task that was being closed is closed, its world gone and its score recorded.
        expect((yield* events("TaskOpened")).map(({ payload }) => payload.goal)).toEqual(["run 1"])
        expect(yield* events("PluginExited")).toHaveLength(1)
        expect(yield* events("ScoringFinished")).toHaveLength(1)
      }).pipe(Effect.provide(layer))
    }),
  )
})
