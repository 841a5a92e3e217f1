import { Schema } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { checkedJson, copyJson, NonJson } from "../../src/events/append/CopiedJson.ts"
import { EventId, isEventId, newId } from "../../src/events/vocabulary/Event.ts"
import { findNonJson, type Json } from "../../src/values/Json.ts"
import { EARLIEST, isMoment, LATEST, Moment } from "../../src/values/Time.ts"

/** Values as programs have them: JSON, and everything that is not. */
const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSparseArray: true,
  withTypedArray: true,
})

/** Keys that JavaScript treats in a way of its own, and texts that UTF-8 cannot hold. */
const hostile = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(0, -0, Number.NaN, null, undefined, "\ud800", "", true, Symbol("s"), () => 1),
    fc.array(tie("value"), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.constantFrom("__proto__", "constructor", "toString", "2", "1", "a", "\udc00"), tie("value")))
      .map((entries) =>
        JSON.parse(`{${entries.map(([key]) => `${JSON.stringify(key)}:0`).join()}}`, (key, value) =>
          typeof value === "object" ? value : entries.find(([name]) => name === key)?.[1],
        ),
      ),
  ),
})).value

describe("a copy of JSON", () => {
  it("is what the text of the value is read as, and says of all others what findNonJson says", () => {
    const check = (value: unknown) => {
      const copied = copyJson(value as Json)
      const bad = findNonJson(value)
      if (copied instanceof NonJson) {
        expect({ path: copied.path, found: copied.found }).toEqual(bad)
        return
      }
      expect(bad).toBeUndefined()
      const text = JSON.stringify(value)
      // The same text: also the same order of keys, and each of them an own one.
      expect(JSON.stringify(copied)).toBe(text)
      expect(copied).toEqual(JSON.parse(text))
    }
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 5 }), check), { numRuns: 500 })
    fc.assert(fc.property(anything, check), { numRuns: 1000 })
    fc.assert(fc.property(hostile, check), { numRuns: 1000 })
  })

  it("shares nothing with the value, and reads each property once", () => {
    const inner = { list: [1, { a: 1 }] }
    let reads = 0
    const value = {
      inner,
      get changing() {
        reads += 1
        return reads === 1 ? "once" : Number.NaN
      },
    }
    const copied = copyJson(value as unknown as Json)
    inner.list.push(2)
    expect(copied).toEqual({ inner: { list: [1, { a: 1 }] }, changing: "once" })
    expect(reads).toBe(1)
  })

  it("does not take an own key __proto__ for the prototype", () => {
    const copied = copyJson(JSON.parse('{"__proto__": {"polluted": true}}'))
    expect(Object.getPrototypeOf(copied)).toBe(Object.prototype)
    expect(JSON.stringify(copied)).toBe('{"__proto__":{"polluted":true}}')
  })

  it("refuses a cycle", () => {
    const value: { self?: unknown } = {}
    value.self = { value }
    expect(copyJson(value as Json)).toMatchObject({ found: expect.stringContaining("a cycle or more than") })
  })
})

describe("what is asked of every event", () => {
  it("answers as its schema does", () => {
    const [momentBySchema, idBySchema] = [Schema.is(Moment), Schema.is(EventId)]
    const times = fc.oneof(
      fc.double(),
      fc.maxSafeInteger(),
      fc.constantFrom(EARLIEST, EARLIEST - 1, LATEST, LATEST + 1, -0, "1"),
    )
    fc.assert(fc.property(times, (time) => isMoment(time) === momentBySchema(time)))
    const ids = fc.oneof(
      fc.uuid(),
      fc.uuid().map((id) => id.toUpperCase()),
      fc.uuid().map((id) => `${id}\n`),
      fc.string(),
      fc.constantFrom(null, 7),
    )
    fc.assert(fc.property(ids, (id) => isEventId(id) === idBySchema(id)))
  })

  it("gives ids of version 7 that are all different and rise", () => {
    const ids = Array.from({ length: 5000 }, newId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.every((id) => isEventId(id) && id[14] === "7" && "89ab".includes(id[19] ?? ""))).toBe(true)
    expect([...ids].sort()).toEqual(ids)
  })
})

describe("a value that is given away", () => {
  it("is itself where a copy would be made, and is refused where a copy is, for the same reason", () => {
    fc.assert(
      fc.property(fc.oneof(anything, hostile), (value) => {
        const [copied, checked] = [copyJson(value as Json), checkedJson(value as Json)]
        if (copied instanceof NonJson) expect(checked).toEqual(copied)
        else expect(checked).toBe(value)
      }),
    )
  })
})
