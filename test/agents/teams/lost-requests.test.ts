import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import * as fc from "fast-check"
import * as Agent from "../../../src/agents/Agent.ts"
import { type AppendRequest, EventLog } from "../../../src/events/log/EventLog.ts"
import { is } from "../../../src/events/vocabulary/Vocabulary.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as Tool from "../../../src/kernel/program/Tool.ts"
import * as ChildSpending from "../../../src/kernel/teams/ChildSpending.ts"
import * as TaskList from "../../../src/projections/state/TaskList.ts"
import * as TreeAudit from "../../../src/projections/tree/TreeAudit.ts"
import { loseLease } from "../../kernel/lostLease.ts"
import { stoppingAt } from "../../kernel/stopping.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { call, eventsOf, text, typesOf } from "../given.ts"
import { answering } from "./given.ts"

/** Tokens of each answer. */
const EACH = 110

/** The most that an answer has. */
const MOST = 10

/** An agent that calls another one twice, each with a tool of its own, and a provider that counts what it answered. */
const team = (budget: { readonly tokens?: number; readonly steps?: number }) => {
  const note = Tool.make({ description: "Notes", risk: "none", idempotent: true, run: () => "noted" })
  const below = answering([[call("n", "program__note")], [text("Worked.")]])
  const worker = Agent.fromModel({
    ...{ name: "worker", version: "1", tools: ["program/note"], maxOutputTokens: MOST },
    model: below.model,
  })
  const above = answering([
    [call("a", "program__ask", { goal: "1" })],
    [call("b", "program__ask", { goal: "2" })],
    [call("c", "program__note")],
    [text("All done.")],
  ])
  const top = Agent.fromModel({
    ...{ name: "top", version: "1", tools: ["program/ask", "program/note"], maxOutputTokens: MOST, budget },
    model: above.model,
  })
  const tools = { ask: Agent.asTool(worker), note }
  return { top, tools, served: () => above.requests.length + below.requests.length }
}

const begun = (top: Agent.Agent) =>
  Effect.gen(function* () {
    const { tasks } = yield* Kernel
    const standing = yield* TaskList.standing(yield* EventLog, "top")
    if (standing === undefined) return yield* tasks.run(top, { id: "top", goal: "x" })
    return standing.outcome === null ? yield* tasks.resume("top", top) : undefined
  })

/** A kernel's death, right before or after an append. */
interface Death {
  readonly at: (request: AppendRequest, appends: number) => boolean
  readonly isStored: boolean
}

/**
 * Kernels that work on one tree after another: each dies its death, and the last one works to the end. Returns what the provider answered, what the budget counts, and the tree's audit.
 */
const killedAt = (deaths: ReadonlyArray<Death>, budget: Parameters<typeof team>[0]) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const { top, tools, served } = team(budget)
    const options = { directory, tools: tools as never, onOpenTasks: "resume" as const }
    const dead: Array<Effect.Effect<unknown>> = []
    for (const { at, isStored } of deaths) {
      const life = yield* stoppingAt(at, options, isStored)
      const living = yield* Effect.forkDaemon(
        Effect.exit(Effect.scoped(Effect.flatMap(life.start, ({ run }) => run(begun(top))))),
      )
      const stopped = yield* Effect.raceFirst(Effect.option(life.stopped), Effect.as(Fiber.join(living), Option.none()))
      dead.push(Effect.zipRight(life.goOn, Fiber.join(living)))
      if (Option.isSome(stopped)) loseLease(life.log)
    }
    const { run } = yield* (yield* testKernel(options)).start
    // The next kernel has the lease: nothing of these reaches the log any more.
    yield* Effect.all(dead)
    return yield* run(
      Effect.gen(function* () {
        yield* begun(top)
        const log = yield* EventLog
        const { replay } = yield* Kernel
        return {
          served: served(),
          counted: yield* ChildSpending.of(log, "top"),
          total: (yield* TreeAudit.load("top")).total,
          events: yield* eventsOf("top"),
          replayed: yield* replay("top", top),
        }
      }),
    )
  }).pipe(Effect.scoped)

const death = fc
  .record({ most: fc.integer({ min: 2, max: 40 }), isStored: fc.boolean() })
  .map(({ most, isStored }): Death => ({ at: (_, appends) => appends === most, isStored }))

const deaths = fc.array(death, { minLength: 1, maxLength: 4 })

describe("a tree whose kernels are killed anywhere", () => {
  it.live(
    "never uses more than its budget, and counts at least what was paid",
    () =>
      Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(deaths, async (all) => {
            const found = await Effect.runPromise(killedAt(all, { tokens: 8 * EACH, steps: 7 }))
            expect(found.served).toBeLessThanOrEqual(7)
            expect(found.counted.steps).toBeGreaterThanOrEqual(found.served)
            expect(found.counted.tokens).toBeGreaterThanOrEqual(found.served * EACH)
            expect(found.replayed).toMatchObject({ verdict: "identical", complete: true })
          }),
          { numRuns: 4 },
        ),
      ),
    { timeout: 120_000 },
  )
})

/** The death of a kernel that has just sent a request. */
const asks: Death = { at: ({ events }) => events.some(({ type }) => type === "ModelCalled"), isStored: true }

describe("a request that was under way when its kernel died", () => {
  it.scopedLive("is paid for again by the budget, is unknown in the audit, and may be what uses the budget up", () =>
    Effect.gen(function* () {
      const { events } = yield* killedAt([], {})
      const first = typesOf(events).indexOf("ModelCalled")
      expect(events[first]?.payload).not.toHaveProperty("reserves")
      const whole = yield* killedAt([asks], { tokens: 10 * EACH })
      const types = typesOf(whole.events)
      expect(types.slice(0, types.indexOf("TaskResumed"))).not.toContain("ModelResponded")
      const called = whole.events.find((event) => is(event, "ModelCalled"))
      const reserved = (called !== undefined && is(called, "ModelCalled") && called.payload.reserves?.tokens) || 0
      expect(reserved).toBeGreaterThan(MOST)
      expect(whole.total).toMatchObject({ tokens: null, calls: 9, knownTokens: 8 * EACH })
      expect(whole.counted).toMatchObject({ steps: 9, tokens: 8 * EACH + Math.max(EACH, reserved) })
      expect(whole.replayed).toMatchObject({ verdict: "identical", complete: true })
    }),
  )
})
