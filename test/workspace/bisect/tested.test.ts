import { describe, expect, it } from "vitest"
import * as Tested from "../../../src/workspace/bisect/Tested.ts"

const told = (last: number, ...indexes: ReadonlyArray<number>) => {
  const inOrder = Tested.endsInOrder<{ readonly index: number }>(last)
  return indexes.map((index) => inOrder({ index }).map((one) => one.index))
}

describe("the progress of a bisection", () => {
  it("tells the first state before the last, whichever ends first", () => {
    expect(told(9, 0, 9, 4, 6)).toEqual([[0], [9], [4], [6]])
    expect(told(9, 9, 0, 4, 6)).toEqual([[], [0, 9], [4], [6]])
  })

  it("holds nothing else back", () => {
    expect(told(9, 3, 9, 0)).toEqual([[3], [], [0, 9]])
    expect(told(0, 0)).toEqual([[0]])
    expect(told(0, 5, 0)).toEqual([[5], [0]])
  })
})
