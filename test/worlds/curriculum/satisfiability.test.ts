import { Either } from "effect"
import * as FastCheck from "fast-check"
import { describe, expect, it } from "vitest"
import * as Criterion from "../../../src/worlds/curriculum/document/Criterion.ts"
import * as Satisfiability from "../../../src/worlds/curriculum/document/Satisfiability.ts"

const compiled = (source: string) => Either.getOrThrowWith(Criterion.compile(source), (reason) => new Error(reason))

const number = FastCheck.integer({ min: -3, max: 8 })

/** Criteria over two numbers: `attempt`, from 1 to 4, and `steps.mean`, from 0 to 3. */
const criterion: FastCheck.Memo<string> = FastCheck.memo((depth) =>
  depth <= 1
    ? FastCheck.tuple(
        FastCheck.constantFrom("attempt", "steps.mean"),
        FastCheck.constantFrom("<", "<=", ">", ">=", "==", "!="),
        number,
        FastCheck.boolean(),
      ).map(([name, op, value, isTurned]) => (isTurned ? `${value} ${op} ${name}` : `${name} ${op} ${value}`))
    : FastCheck.oneof(
        criterion(),
        FastCheck.tuple(criterion(), FastCheck.constantFrom("&&", "||"), criterion()).map(
          ([left, op, right]) => `(${left} ${op} ${right})`,
        ),
        criterion().map((inner) => `!(${inner})`),
        FastCheck.tuple(criterion(), criterion(), criterion()).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      ),
)

const rangeOf: Satisfiability.RangeOf = ([first]) =>
  first === "attempt" ? { kind: "number", low: 1, high: 4 } : { kind: "number", low: 0, high: 3 }

const place = { attempts: {}, episodes: 1, stage: "s", level: "", outcomes: {}, scores: {}, previous: {} }
const guidance = { hints: 0, demonstrations: 0, feedback: 0 }

describe("criteria that can never hold", () => {
  it("never hold: whatever is called impossible does not happen, and whatever is called sure does", () => {
    FastCheck.assert(
      FastCheck.property(criterion(4), (source) => {
        const { ast, evaluate } = compiled(source)
        const { mayHold, mayFail } = Satisfiability.of(ast, rangeOf)
        for (let attempt = 1; attempt <= 4; attempt++)
          for (let mean = 0; mean <= 3; mean += 0.5) {
            const { result } = evaluate({ ...place, guidance, attempt, steps: { mean } })
            if (result === "held") expect(mayHold, `${source} at ${attempt}, ${mean}`).toBe(true)
            else expect(mayFail, `${source} at ${attempt}, ${mean}`).toBe(true)
          }
      }),
      { numRuns: 300 },
    )
  })

  it("are found among comparisons of one value", () => {
    expect(Satisfiability.of(compiled("attempt > 4").ast, rangeOf)).toMatchObject({ mayHold: false })
    expect(Satisfiability.of(compiled("attempt >= 1").ast, rangeOf)).toMatchObject({ mayFail: false })
    expect(Satisfiability.of(compiled("attempt > 2 && 2 >= attempt").ast, rangeOf)).toMatchObject({ mayHold: false })
    expect(Satisfiability.of(compiled("attempt >= 2 && 2 >= attempt").ast, rangeOf)).toMatchObject({ mayHold: true })
  })

  it("hold only over values that are there: a missing one is unknown, not false", () => {
    const context = { ...place, guidance, attempt: 1, steps: {} }
    expect(compiled("steps.mean > 1").evaluate(context)).toEqual({
      result: "unknown",
      reason: expect.stringContaining("mean"),
    })
    expect(compiled("!(steps.mean > 1)").evaluate(context)).toMatchObject({ result: "unknown" })
    expect(compiled("attempt == 1 || steps.mean > 1").evaluate(context)).toEqual({ result: "held" })
  })

  it("are stopped when they take too many steps", () => {
    const long = compiled(`${"scores.live == scores.live && ".repeat(50)}attempt > 9`)
    const live = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`m${index}`, index]))
    expect(long.evaluate({ ...place, guidance, attempt: 1, steps: {}, scores: { live } })).toMatchObject({
      result: "unknown",
      reason: expect.stringContaining("steps"),
    })
  })
})
