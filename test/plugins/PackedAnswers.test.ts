import { describe, expect, it } from "vitest"
import { unpacker } from "../../src/plugins/process/PackedAnswers.ts"
import { type SlotAnswer, SlotRow } from "../../src/plugins/process/SlotAnswer.ts"
import type { Json } from "../../src/values/Json.ts"

const SHAPE = JSON.stringify({ step: { reward: 0 }, readings: { observation: [0, 1] }, state: { x: 0 } })

const rowsOf = (...numbers: ReadonlyArray<number>) => Buffer.from(Float64Array.from(numbers).buffer).toString("base64")

const isPlain = (value: unknown): value is ReadonlyArray<SlotAnswer> =>
  Array.isArray(value) && value.every((one) => typeof one === "object" && one !== null && "state" in one)

const PACKED = {
  shapes: [SHAPE],
  of: [0, -1],
  texts: ["left"],
  rows: rowsOf(1, 0.5, 0, 3),
  plain: [{ state: 1, readings: {} }],
}

describe("packed answers", () => {
  it("are read as the answers that they stand for", () => {
    const unpack = unpacker()
    for (let time = 0; time < 2; time++) {
      const [row, plain] = unpack(PACKED, 2, isPlain) ?? []
      expect(row instanceof SlotRow ? row.answer() : row).toEqual({
        step: { reward: 1 },
        readings: { observation: [0.5, "left"] },
        state: { x: 3 },
      })
      expect(plain).toEqual({ state: 1, readings: {} })
    }
    expect(unpack([{ state: null, readings: {} }], 1, isPlain)).toEqual([{ state: null, readings: {} }])
  })

  it.each<[string, Json]>([
    ["nothing", null],
    ["too few plain answers", { ...PACKED, plain: [] }],
    ["too many plain answers", { ...PACKED, plain: [PACKED.plain[0], PACKED.plain[0]] as Json }],
    ["a shape that it does not have", { ...PACKED, of: [1, -1] }],
    ["an index that is none", { ...PACKED, of: [0.5, -1] }],
    ["another number of answers", { ...PACKED, of: [0] }],
    ["a shape without a step", { ...PACKED, shapes: [JSON.stringify({ readings: {}, state: 0 })] }],
    ["a shape that is no JSON", { ...PACKED, shapes: ["{"] }],
    ["a shape of another kind", { ...PACKED, shapes: ['{"step":0,"readings":{},"state":0}'] }],
    ["a row that ends early", { ...PACKED, rows: rowsOf(1, 0.5, 0) }],
    ["a row that goes on", { ...PACKED, rows: rowsOf(1, 0.5, 0, 3, 4) }],
    ["a number that is none", { ...PACKED, rows: rowsOf(Number.NaN, 0.5, 0, 3) }],
    ["a number that is infinite", { ...PACKED, rows: rowsOf(1, Number.POSITIVE_INFINITY, 0, 3) }],
    ["a text that it does not have", { ...PACKED, rows: rowsOf(1, 0.5, 1, 3) }],
    ["a text between two", { ...PACKED, rows: rowsOf(1, 0.5, 0.5, 3) }],
    ["a text that is a list", { ...PACKED, texts: [[]] }],
    ["rows that are no base64", { ...PACKED, rows: "é".repeat(43) }],
  ])("are refused with %s", (_, value) => {
    expect(unpacker()(value, 2, isPlain)).toBeUndefined()
  })
})
