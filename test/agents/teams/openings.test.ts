import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { TaskBudget } from "../../../src/events/vocabulary/Tasks.ts"
import * as ChildTasks from "../../../src/kernel/teams/ChildTasks.ts"
import * as Spending from "../../../src/projections/tree/Spending.ts"

describe("a child that opens", () => {
  it.live("keeps its part when its opening ends while the next child's budget is computed", () =>
    Effect.gen(function* () {
      const members: Record<string, object> = {
        top: { agent: "top@1", from: 1, outcome: null, budget: { tokens: 100 } },
      }
      const firstMayOpen = yield* Deferred.make<void>()
      const firstOpened = yield* Deferred.make<void>()
      let sums = 0
      const children = ChildTasks.make({
        log: { readPage: () => Effect.succeed([]) } as never,
        // As of its call, like the projector's.
        projector: { current: () => Effect.sync(() => ({ ...members })) } as never,
        running: { has: () => true, budgetOf: () => undefined },
        spending: {
          of: () =>
            Effect.gen(function* () {
              sums += 1
              if (sums === 2) {
                yield* Deferred.succeed(firstMayOpen, undefined)
                yield* Deferred.await(firstOpened)
              }
              return Spending.none
            }),
          forget: () => undefined,
        },
        limits: {},
        left: [],
      })
      const parts: Record<string, TaskBudget | undefined> = {}
      const open = (id: string, mayOpen: Effect.Effect<void>) =>
        children.open({ taskId: "top" }, { id, goal: "x", limits: { budget: { tokens: 60 } } } as never, ({ limits }) =>
          Effect.gen(function* () {
            yield* mayOpen
            parts[id] = limits?.budget
            const from = Object.keys(members).length + 1
            members[id] = { agent: "a@1", from, outcome: null, budget: limits?.budget, parent: { taskId: "top" } }
            return { id } as never
          }),
        )
      const first = yield* Effect.fork(
        Effect.zipRight(open("first", Deferred.await(firstMayOpen)), Deferred.succeed(firstOpened, undefined)),
      )
      yield* Effect.yieldNow()
      yield* open("second", Effect.void)
      yield* Fiber.join(first)
      expect(parts).toEqual({ first: { tokens: 60 }, second: { tokens: 40 } })
    }),
  )
})
