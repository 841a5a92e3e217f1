import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { RowRun, type StepShape } from "../../../src/events/steps/RowRun.ts"
import { decode, encoder, type Step } from "../../../src/events/steps/StepColumns.ts"
import * as JsonPatch from "../../../src/projections/patch/JsonPatch.ts"
import type { Json, JsonObject } from "../../../src/values/Json.ts"
import { type Node, partOf, RowShape, type Text } from "../../../src/values/rows/RowShape.ts"

/** A step as a world's process answers it. */
interface Answer {
  readonly step: JsonObject
  readonly readings: JsonObject
  readonly state: JsonObject
}

const shapeOf = (answer: Answer): StepShape => {
  const row = RowShape.of(answer)
  if (row === undefined) throw new Error("expected a value with a shape")
  const [step, readings, state] = ["step", "readings", "state"].map((key) => partOf(row.root, key)) as Array<Node>
  const textPlaces: Array<number> = []
  const visit = (node: Node): void => {
    if (node.kind === "text") textPlaces.push(node.at)
    else if (node.kind === "list") for (const item of node.items) visit(item)
    else if (node.kind === "object") for (const part of node.parts) visit(part)
  }
  visit(row.root)
  if (step === undefined || readings === undefined || state === undefined) throw new Error("expected three parts")
  return { row, step, readings, state, textPlaces }
}

const push = (run: RowRun, action: Json, answer: Answer): boolean => {
  const numbers = new Float64Array(run.shape.row.width + 1)
  const texts: Array<Text> = []
  if (!run.shape.row.write(answer, numbers, 1, (text) => texts.push(text) - 1)) return false
  run.push(action, numbers, 1, texts)
  return true
}

const stepsOf = (before: Json, answers: ReadonlyArray<readonly [Json, Answer]>): ReadonlyArray<Step> => {
  let document = before
  return answers.map(([action, { step, readings, state }]) => {
    const patch = JsonPatch.diff(document, state)
    document = state
    return { action, result: step, patch, readings }
  })
}

const number = fc
  .oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(0, 1, 0.1))
  .map((n) => n + 0)
const text = fc.constantFrom("a", "b", "", "ü\u0000", true, false, null)
const answers = fc.tuple(number, number, number, text, text).map(
  ([x, y, z, said, flag]): Answer => ({
    step: { reward: x, rewards: { reward: x }, terminated: false, info: {}, list: [] },
    readings: { observation: [Number.isFinite(Math.fround(y)) ? Math.fround(y) + 0 : 0, z], said },
    state: { place: [y, z], "a/b~": flag, deep: { x, said, empty: [], none: {} } },
  }),
)
const action = fc.oneof(fc.integer(), text, fc.array(number, { minLength: 2, maxLength: 2 })) as fc.Arbitrary<Json>
const first: Answer = {
  step: { reward: 0, rewards: { reward: 0 }, terminated: false, info: {}, list: [] },
  readings: { observation: [0, 0], said: "a" },
  state: { place: [0, 0], "a/b~": "a", deep: { x: 0, said: "a", empty: [], none: {} } },
}

describe("a run of rows", () => {
  it("has the columns of its steps, and of steps of other shapes after it", () => {
    const last = fc.record({ action, result: fc.constantFrom<JsonObject>({ outcome: "failed" }, { reward: "no" }, {}) })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(action, answers), { minLength: 1, maxLength: 200 }),
        fc.array(last, { maxLength: 3 }),
        (taken, ends) => {
          const run = RowRun.after(first.state, shapeOf(first))
          if (run === undefined) throw new Error("expected a run")
          for (const [chosen, answer] of taken) expect(push(run, chosen, answer)).toBe(true)
          const rest = ends.map(({ action: chosen, result }): Step => {
            const observation = [1, 2]
            return { action: chosen, result, patch: [{ op: "add", path: "/x", value: 1 }], readings: { observation } }
          })
          const steps = [...stepsOf(first.state, taken), ...rest]
          const found = encoder().encodeRun(run, rest)
          if (found !== undefined) expect(decode({ steps: steps.length, ...found })).toEqual(steps)
          // Only a value of another kind than before needs the values as a whole.
          else expect(ends.some(({ result }) => result.reward === "no")).toBe(true)
          const values = [...run.values()].map(({ action: chosen, result, readings, state }) => [
            chosen,
            { step: result, readings, state },
          ])
          expect(values).toEqual(taken)
        },
      ),
    )
  })

  it("does not begin after a document of another shape", () => {
    expect(RowRun.after({ ...first.state, more: 1 }, shapeOf(first))).toBeUndefined()
    expect(RowRun.after({ ...first.state, place: ["x", 0] }, shapeOf(first))).toBeUndefined()
  })

  it("leaves long texts to the values as a whole, whose patches may replace more than leaves", () => {
    const run = RowRun.after(first.state, shapeOf(first))
    if (run === undefined) throw new Error("expected a run")
    push(run, 0, { ...first, state: { ...first.state, "a/b~": "x".repeat(11_000) } })
    expect(encoder().encodeRun(run, [])).toBeUndefined()
  })
})

describe("the shape of a row", () => {
  it("refuses what JSON cannot hold, and values of another shape", () => {
    const shape = RowShape.of({ a: 1, b: ["x", null], ["__proto__"]: { c: 2 } })
    const row = new Float64Array(8)
    const write = (value: unknown) => shape?.write(value, row, 0, () => 0)
    expect(shape?.width).toBe(4)
    expect(write({ a: -0, b: [true, "y"], ["__proto__"]: { c: 3 } })).toBe(true)
    expect(Object.is(row[0], 0)).toBe(true)
    const read = shape?.read(row, 0, () => "t")
    expect(JSON.stringify(read)).toBe('{"a":0,"b":["t","t"],"__proto__":{"c":3}}')
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
    for (const other of [
      { a: Number.NaN, b: ["x", null], ["__proto__"]: { c: 2 } },
      { b: ["x", null], a: 1, ["__proto__"]: { c: 2 } },
      { a: 1, b: ["x"], ["__proto__"]: { c: 2 } },
      { a: 1, b: ["x", undefined], ["__proto__"]: { c: 2 } },
      { a: 1, b: ["x", null], ["__proto__"]: { c: 2 }, d: 1 },
      Object.assign(new Map(), { a: 1 }),
      null,
    ]) {
      expect(write(other)).toBe(false)
    }
    expect(RowShape.of({ a: new Date() })).toBeUndefined()
    expect(RowShape.of(Array.from({ length: 600 }, () => 0))).toBeUndefined()
    expect(RowShape.parse("[2]")).toBeUndefined()
    expect(RowShape.parse("{")).toBeUndefined()
    expect(RowShape.parse("[".repeat(50) + "]".repeat(50))).toBeUndefined()
  })
})
