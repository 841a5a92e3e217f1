import * as fc from "fast-check"
import { expect, it } from "vitest"
import { defined } from "../../src/values/defined.ts"

it("leaves out exactly the members that are undefined", () => {
  const members = fc.dictionary(
    fc.string(),
    fc.oneof(fc.constant(undefined), fc.constant(null), fc.integer(), fc.string()),
  )
  fc.assert(
    fc.property(members, (given) => {
      const present = Object.entries(given).filter(([, value]) => value !== undefined)
      expect(Object.entries(defined(given))).toEqual(present)
    }),
  )
})

it("has a type that an object with optional members takes", () => {
  const cause: string | undefined = undefined
  const event: { readonly type: string; readonly cause?: string } = { ...defined({ cause }), type: "Note" }
  expect(event).toEqual({ type: "Note" })
  // @ts-expect-error a member of another type does not fit
  const wrong: { readonly cause?: number } = defined({ cause: "text" as string | undefined })
  expect(wrong).toEqual({ cause: "text" })
})
