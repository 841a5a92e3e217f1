import { Either } from "effect"
import { describe, expect, it } from "vitest"
import * as Moves from "../../../src/cli/play/Moves.ts"

const key = (name: string, text = "") => ({ name, text })

describe("the moves of a person", () => {
  it("gives arrows to directions, and to other names the first letter that is free", () => {
    const names = ["turn left", "turn right", "forward", "pick up", "drop", "toggle", "done"]
    const moves = Moves.of({ type: "Discrete", n: 7 }, names)
    expect(moves.keyed.map(({ keys }) => keys[0])).toEqual(["left", "right", "up", "p", "d", "t", "o"])
    expect(Moves.ofKey(moves, key("left"))).toBe(0)
    expect(Moves.ofKey(moves, key("p", "p"))).toBe(3)
    expect(Moves.ofKey(moves, key("6", "6"))).toBe(6)
    expect(Moves.ofKey(moves, key("q", "q"))).toBeUndefined()
  })

  it("takes the manifest's keys first, and counts from the start of the space", () => {
    const moves = Moves.of({ type: "Discrete", n: 2, start: -1 }, ["wait", { name: "go", key: "w" }])
    expect(Moves.ofKey(moves, key("w", "w"))).toBe(0)
    expect(Moves.ofKey(moves, key("a", "a"))).toBe(-1)
    expect(moves.byKeys).toBe(true)
  })

  it("lets more actions than there are digits be typed, unless they are named", () => {
    expect(Moves.of({ type: "Discrete", n: 101 })).toMatchObject({ byKeys: false, keyed: [] })
    // Options made it another space than the one that the names are for.
    expect(Moves.of({ type: "Discrete", n: 3 }, ["left", "right"]).keyed[2]).toMatchObject({ name: undefined })
  })

  it("reads a line as a name, as JSON of the space, or as a text", () => {
    const named = Moves.of({ type: "Discrete", n: 2 }, ["back", "forward"])
    expect(Moves.ofLine(named, " forward ")).toEqual(Either.right(1))
    expect(Moves.ofLine(named, "0")).toEqual(Either.right(0))
    expect(Moves.ofLine(named, "up")).toEqual(
      Either.left({ expected: "an action: back, forward, or its number", found: "up" }),
    )
    const box = Moves.of({ type: "Box", dtype: "float32", shape: [1], low: -2, high: 2 })
    expect(Moves.ofLine(box, "[0.5]")).toEqual(Either.right([0.5]))
    expect(Either.isLeft(Moves.ofLine(box, "[3]"))).toBe(true)
    const text = Moves.of({ type: "Text", min_length: 0, max_length: 5 })
    expect(Moves.ofLine(text, "12")).toEqual(Either.right("12"))
    expect(Moves.ofLine(text, '"a\\nb"')).toEqual(Either.right("a\nb"))
    expect(Either.isLeft(Moves.ofLine(text, "too long"))).toBe(true)
  })
})
