import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { MapBuilder } from "../../src/projections/fold/MapBuilder.ts"
import * as SafeRecord from "../../src/values/SafeRecord.ts"

const key = fc.constantFrom("a", "b", "2", "1", "__proto__", "constructor")
const change = fc.oneof(
  fc.record({ what: fc.constant("set" as const), key, value: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ what: fc.constant("remove" as const), key }),
  fc.record({ what: fc.constant("give" as const) }),
)

describe("a record whose keys come and go", () => {
  it("is what setting and removing make of the record, key by key and in the same order", () => {
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        let expected: SafeRecord.SafeRecord<number> = { a: 0, constructor: 1 }
        const draft = new MapBuilder(expected)
        for (const each of changes) {
          if (each.what === "set") {
            expected = SafeRecord.set(expected, each.key, each.value)
            draft.set(each.key, each.value)
            expect(draft.get(each.key)).toBe(each.value)
          } else if (each.what === "remove") {
            expected = SafeRecord.remove(expected, each.key)
            draft.remove(each.key)
            expect(draft.get(each.key)).toBeUndefined()
          } else expect(Object.entries(draft.record())).toEqual(Object.entries(expected))
        }
        expect(Object.entries(draft.record())).toEqual(Object.entries(expected))
      }),
    )
  })

  it("stays as it was given out, whatever changes later", () => {
    const draft = new MapBuilder<number>({})
    draft.set("a", 1)
    const given = draft.record()
    draft.set("a", 2)
    draft.remove("a")
    expect(given).toEqual({ a: 1 })
    expect(draft.record()).toEqual({})
  })

  it("is the very same one where nothing has changed it", () => {
    const record = { a: 1 }
    const draft = new MapBuilder<number>(record)
    draft.set("a", 1)
    draft.remove("b")
    expect(draft.record()).toBe(record)
  })
})
