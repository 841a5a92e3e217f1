import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CourseOfTask } from "../../../src/studio/page/model/Course.ts"
import { twoTalks } from "../../../src/studio/page/model/conversation/sideBySide.ts"
import type { Comparison } from "../../../src/studio/wire/Asking.ts"

/** A task with an event of these roles at every position from 1 on. */
const course = (roles: string): CourseOfTask =>
  new CourseOfTask({
    positions: [...roles].map(() => 1),
    times: [...roles].map(() => 1),
    kinds: "o".repeat(roles.length),
    roles,
    last: null,
  })

const compared = (pairs: Comparison["pairs"], split: number | null, shared = 0) =>
  ({ pairs, split, shared }) as unknown as Comparison

describe("two conversations side by side", () => {
  it("have matched items in one row, and put others next to each other until the next match", () => {
    const pairs: Comparison["pairs"] = [
      ["=", 1, 1],
      ["a", 2, 0],
      ["a", 3, 0],
      ["b", 0, 2],
      ["~", 4, 3],
    ]
    expect(twoTalks(compared(pairs, 1), course("oqqc"), course("oqc"))).toEqual({
      rows: [
        { a: 1, b: 1, isMatched: true },
        { a: 2, b: 2, isMatched: false },
        { a: 3, b: 0, isMatched: false },
        { a: 4, b: 3, isMatched: true },
      ],
      split: 1,
    })
  })

  it("find the split in the item of which its event is a part, and none where none is", () => {
    const pairs: Comparison["pairs"] = [
      ["=", 2, 2],
      ["~", 3, 3],
    ]
    // The answer (a) belongs to the request (q) before it; position 1 is shared history.
    expect(twoTalks(compared(pairs, 1, 1), course("oqa"), course("oqa")).split).toBe(1)
    expect(twoTalks(compared(pairs, null, 1), course("oqa"), course("oqa")).split).toBeNull()
  })

  it("show every item of both once and in order, whatever was aligned", () => {
    const kinds = fc.constantFrom("both", "a", "b")
    const role = fc.constantFrom(..."ogisqcnxae.")
    fc.assert(
      fc.property(fc.array(fc.tuple(kinds, role, role), { maxLength: 40 }), (steps) => {
        let [a, b] = ["", ""]
        const pairs = steps.map(([kind, inA, inB]) => {
          if (kind !== "b") a += inA
          if (kind !== "a") b += inB
          return [kind === "both" ? "~" : kind, kind === "b" ? 0 : a.length, kind === "a" ? 0 : b.length] as const
        })
        const { rows } = twoTalks(compared(pairs as Comparison["pairs"], null), course(a), course(b))
        const items = (roles: string) => [...roles].flatMap((one, at) => ("ogisqcnx".includes(one) ? [at + 1] : []))
        expect(rows.flatMap((row) => (row.a === 0 ? [] : [row.a]))).toEqual(items(a))
        expect(rows.flatMap((row) => (row.b === 0 ? [] : [row.b]))).toEqual(items(b))
      }),
    )
  })
})
