import { Either } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Score } from "../../../src/projections/audit/Scores.ts"
import * as ModelSides from "../../../src/projections/comparison/ModelSides.ts"

const [A, B] = ["acme/great", "acme/small"] as const

const tasks = fc
  .array(
    fc.record({
      models: fc.subarray([A, B, "acme/other"]).map((models) => new Set(models)),
      given: fc.option(
        fc.record({ digest: fc.constantFrom("x", "y"), seed: fc.option(fc.integer({ min: 1, max: 2 })) }),
      ),
      isScored: fc.boolean(),
    }),
    { maxLength: 40, size: "max" },
  )
  .map((tasks) => tasks.map((task, index) => ({ taskId: `task-${index}`, ...task })))

/** No score is looked into. */
const scoringOf = (of: ReadonlyArray<{ readonly taskId: string; readonly isScored: boolean }>) => ({
  name: "live",
  label: "live",
  scoreSetIds: ["set"],
  scores: new Map(of.flatMap(({ taskId, isScored }) => (isScored ? [[taskId, {} as Score] as const] : []))),
})

describe("two models as sides of a comparison", () => {
  it("account for each task of either once, and pair as many like ones as there are of both", () => {
    fc.assert(
      fc.property(tasks, fc.boolean(), (known, anySeed) => {
        const keyOf = ({ given }: (typeof known)[number]) => `${given?.digest} ${anySeed ? "" : given?.seed}`
        const own = (one: string, other: string) => known.filter(({ models }) => models.has(one) && !models.has(other))
        const usable = (all: typeof known) => all.filter(({ isScored, given }) => isScored && given !== null)
        const [ofA, ofB] = [own(A, B), own(B, A)]
        const counted = (all: typeof known, key: string) => usable(all).filter((task) => keyOf(task) === key).length
        const possible = [...new Set(known.map(keyOf))].reduce(
          (sum, key) => sum + Math.min(counted(ofA, key), counted(ofB, key)),
          0,
        )
        const found = ModelSides.of(known, scoringOf(known), [A, B], { anySeed })
        const sides = Either.isRight(found) ? found.right.models : found.left
        expect(sides.askedBoth).toBe(known.filter(({ models }) => models.has(A) && models.has(B)).length)
        for (const [side, all] of [
          [sides.a, ofA],
          [sides.b, ofB],
        ] as const) {
          expect(side.tasks).toBe(all.length)
          expect(side.paired + side.unpaired + side.unscored + side.unreadable).toBe(all.length)
          expect(side.paired).toBe(possible)
          expect(side.unreadable).toBe(all.filter(({ given }) => given === null).length)
        }
        expect(Either.isRight(found)).toBe(possible > 0)
        if (Either.isLeft(found)) return
        const { a, b, models, groupOf } = found.right
        const byId = new Map(known.map((task) => [task.taskId, task]))
        const keyOfId = (taskId: string) => keyOf(byId.get(taskId) ?? expect.unreachable(taskId))
        for (const pair of models.pairs) {
          expect(keyOfId(pair.a)).toBe(keyOfId(pair.b))
          expect(models.pairs.filter((other) => groupOf(other.a) === groupOf(pair.a))).toEqual(
            models.pairs.filter((other) => keyOfId(other.a) === keyOfId(pair.a)),
          )
        }
        expect(new Set(models.pairs.flatMap((pair) => [pair.a, pair.b])).size).toBe(2 * possible)
        expect([...a.scores.keys()].filter((name) => b.scores.has(name))).toEqual(models.pairs.map((pair) => pair.a))
        expect([a.scores.size, b.scores.size]).toEqual([ofA, ofB].map((all) => usable(all).length))
        // What `compare` tells as scored on one side only.
        const alone = (one: typeof a, other: typeof a) =>
          [...one.scores.keys()].filter((taskId) => !other.scores.has(taskId)).length
        expect([alone(a, b), alone(b, a)]).toEqual([models.a.unpaired, models.b.unpaired])
      }),
    )
  })
})
