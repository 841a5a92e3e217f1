import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type * as Agent from "../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import type { Json } from "../../src/values/Json.ts"
import { events, type Sample } from "./given.ts"
import { testKernel } from "./testKernel.ts"

/** A shelf for each task, which says what was put on it, and refuses what is heavy. */
const shelf: Sample = {
  name: "shelf",
  environment: true,
  actuators: [{ name: "put" }],
  entry: `
    let things = []
    export default {
      actuators: { put: (ctx, { thing }) => {
        if (thing === "anvil") throw new Error("too heavy")
        things.push(thing)
        return { things: [...things] }
      } },
      environment: { reset: () => { things = [] }, state: () => ({ things }) },
    }`,
}

/** Puts the things of its goal on the shelf, one after another, and knows from its history alone which are left. */
const shown: Array<readonly [taskId: string, step: number, history: Agent.DecisionContext["history"]]> = []
const tidy: Agent.DecidingAgent = {
  name: "tidy",
  version: "1",
  decide: async ({ taskId, goal, step, history, lastOutcome }) => {
    shown.push([taskId, step, history])
    expect(history).toHaveLength(step)
    expect(history.findLast(({ outcome }) => outcome !== null)?.outcome ?? null).toEqual(lastOutcome)
    const tried = history.flatMap(({ choice }) => ("act" in choice ? [(choice.args as { thing: string }).thing] : []))
    const next = goal.split(" ").find((thing) => !tried.includes(thing))
    if (next !== undefined) return { act: "shelf/put", args: { thing: next }, rationale: `${next} is left` }
    const failed = history.filter(({ outcome }) => outcome?.status === "failed").length
    return history.at(-1)?.outcome === null ? { done: "achieved" } : { say: `${failed} did not fit` }
  },
}

describe("an agent's history of a task", () => {
  it.scopedLive("keeps its tasks apart, is the same in a replay and in a fork, and cannot be changed", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [shelf] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const goals = ["pen anvil book", "cup plate", "pen"]
        const audits = yield* Effect.all(
          goals.map((goal) => kernel.tasks.run(tidy, { goal })),
          { concurrency: "unbounded" },
        )
        expect(audits.map(({ outcome, steps }) => [outcome, steps])).toEqual([
          ["achieved", 3],
          ["achieved", 2],
          ["achieved", 1],
        ])
        const live = new Map(shown.map(([taskId, step, history]) => [`${taskId} ${step}`, history]))
        const [first] = audits
        expect(live.get(`${first?.taskId} 4`)).toEqual([
          {
            step: 0,
            choice: { act: "shelf/put", args: { thing: "pen" } },
            outcome: {
              status: "succeeded",
              actuator: "shelf/put",
              args: { thing: "pen" },
              result: { things: ["pen"] },
            },
          },
          {
            step: 1,
            choice: { act: "shelf/put", args: { thing: "anvil" } },
            outcome: expect.objectContaining({
              status: "failed",
              error: expect.objectContaining({ message: "too heavy" }),
            }),
          },
          expect.objectContaining({
            step: 2,
            outcome: expect.objectContaining({ result: { things: ["pen", "book"] } }),
          }),
          { step: 3, choice: { say: "1 did not fit" }, outcome: null },
        ])
        expect(deepFrozen(live.get(`${first?.taskId} 4`) as unknown as Json)).toBe(true)

        const again = (taskId: string) => {
          shown.length = 0
          return Effect.map(kernel.replay(taskId, tidy), ({ verdict, complete }) => {
            for (const [id, step, history] of shown) expect(history).toEqual(live.get(`${id} ${step}`))
            return [verdict, complete, shown.length]
          })
        }
        for (const { taskId, steps } of audits) expect(yield* again(taskId)).toEqual(["identical", true, steps + 2])

        const decided = (yield* events("DecisionMade")).filter(({ taskId }) => taskId === first?.taskId)
        shown.length = 0
        const at = Number(decided[3]?.position) - 1
        // The event before it may be another task's.
        const place = { at, task: String(first?.taskId), acceptUnrewound: true }
        const forked = yield* kernel.fork(tidy, place)
        expect(forked.audit).toMatchObject({ taskId: first?.taskId, outcome: "achieved" })
        expect(shown.map(([, step]) => step)).toEqual([0, 1, 2, 3, 4])
        for (const [id, step, history] of shown) expect(history).toEqual(live.get(`${id} ${step}`))
        const report = yield* kernel.replay(forked.taskId, tidy, { timeline: forked.timeline })
        expect(report).toMatchObject({ verdict: "identical", complete: true })

        // A fork that begins fresh has no past.
        shown.length = 0
        yield* kernel.fork(tidy, { ...place, fresh: true, maxSteps: 1 })
        expect(shown.map(([, step, history]) => [step, history])).toEqual([[0, []]])
      }).pipe(Effect.provide(layer))
    }),
  )
})

const deepFrozen = (value: Json): boolean =>
  typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(deepFrozen))
