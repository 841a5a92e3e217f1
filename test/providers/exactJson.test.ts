import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Arguments from "../../src/agents/models/Arguments.ts"
import * as ExactJson from "../../src/providers/ExactJson.ts"

const LONG = "12345678901234567890"

describe("JSON with numbers that JavaScript does not hold", () => {
  it("has the text of whatever holds one", () => {
    const value = ExactJson.parse(`{"a": {"id": ${LONG}, "n": 1}, "b": {"id": 7}, "c": [ ${LONG} ]}`) as Record<
      string,
      unknown
    >
    expect(ExactJson.exactTextOf(value.a)).toBe(`{"id": ${LONG}, "n": 1}`)
    expect(ExactJson.exactTextOf(value.c)).toBe(`[ ${LONG} ]`)
    expect(ExactJson.exactTextOf(value.b)).toBeUndefined()
  })

  it("is the value that JSON.parse reads", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(2), (json, space) => {
        const text = JSON.stringify([JSON.parse(json), 0], null, space).replace(/0\s*\]$/, `${LONG}]`)
        expect(ExactJson.parse(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  it("refuses what JSON.parse refuses, and is read at any depth", () => {
    expect(() => ExactJson.parse(`{"id": ${LONG}`)).toThrow(SyntaxError)
    const deep = `${"[".repeat(20_000)}${LONG}${"]".repeat(20_000)}`
    expect(Array.isArray(ExactJson.parse(deep))).toBe(true)
  })
})

describe("the arguments of a call", () => {
  it.each([
    [`{"id":${LONG}}`, true],
    ['{"a":1.0}', true],
    ['{"a":1,"a":2}', true],
    ['{ "a" : "x  y" }', false],
    ['{"a":1}', false],
    ["", false],
  ])("keep their text where their value does not say it: %s", (text, isKept) => {
    expect(Arguments.read(text).text).toBe(isKept ? text : undefined)
  })

  it.each([
    [`{"a":[1,-${LONG}]}`, `-${LONG}`],
    [`{"a":"${LONG}","b \\" ${LONG}":1}`, undefined],
    ['{"a":10000000000000000}', undefined],
    ['{"a":0.12345678901234567890,"b":1e20}', undefined],
  ])("name the number that was lost: %s", (text, lost) => {
    expect(JSON.parse(text)).toBeTypeOf("object")
    expect(Arguments.lostNumberIn(text)).toBe(lost)
  })

  it("are text where they are no JSON", () => {
    expect(Arguments.read("{bad")).toEqual({ args: "{bad", invalid: true })
  })

  it("lose nothing: the text, or the value written again, is what the model wrote", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const { args, text: kept, invalid } = Arguments.read(text)
        if (invalid !== true) expect(kept ?? JSON.stringify(args)).toBe(kept ?? text.trim())
      }),
    )
  })
})
