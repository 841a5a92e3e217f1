import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Space } from "../../../src/plugins/author.ts"
import { seeded } from "../../../src/plugins/numpy/Generator.ts"
import { contains, sample } from "../../../src/plugins/spaces/Space.ts"
import type { Json } from "../../../src/values/Json.ts"
import { exclusions } from "../../../src/worlds/conformance/masks.ts"

type Masked = readonly [space: Space, mask: Json]

const flags = (n: number) => fc.array(fc.constantFrom(0, 1), { minLength: n, maxLength: n })

const small = fc.integer({ min: 1, max: 4 })

const leaf: fc.Arbitrary<Masked> = fc.oneof(
  small.chain((n) => flags(n).map((mask): Masked => [{ type: "Discrete", n, start: -1 }, mask])),
  fc
    .array(small, { minLength: 1, maxLength: 3 })
    .chain((nvec) =>
      fc.tuple(...nvec.map(flags)).map((mask): Masked => [{ type: "MultiDiscrete", nvec }, mask as Json]),
    ),
  small.chain((n) =>
    fc
      .array(fc.constantFrom(0, 1, 2), { minLength: n, maxLength: n })
      .map((mask): Masked => [{ type: "MultiBinary", n }, mask]),
  ),
  small.map((n): Masked => [{ type: "Discrete", n }, null]),
  fc.constant<Masked>([{ type: "Text", max_length: 3 }, null]),
)

const masked: fc.Arbitrary<Masked> = fc.oneof(
  leaf,
  fc
    .array(leaf, { minLength: 1, maxLength: 3 })
    .map(
      (parts): Masked => [{ type: "Tuple", subspaces: parts.map(([space]) => space) }, parts.map(([, mask]) => mask)],
    ),
  fc.tuple(leaf, leaf).map(([[a, left], [b, right]]): Masked => [{ type: "OneOf", subspaces: [a, b] }, [left, right]]),
  fc.tuple(leaf, leaf).map(
    ([[a, left], [b, right]]): Masked => [
      { type: "Dict", subspaces: { a, b } },
      { a: left, b: right },
    ],
  ),
)

/** Whether a mask leaves an action. */
const leaves = (space: Space, mask: Json, action: Json): boolean => {
  if (mask === null) return true
  const part = (value: Json, key: string | number): Json => (value as { readonly [key: string]: Json })[key] ?? null
  switch (space.type) {
    case "Discrete":
      return part(mask, Number(action) - (space.start ?? 0)) === 1
    case "MultiDiscrete":
      return (space.nvec as ReadonlyArray<number>).every(
        (_, at) => part(part(mask, at), part(action, at) as number) === 1,
      )
    case "MultiBinary":
      return (action as ReadonlyArray<number>).every((bit, at) => part(mask, at) === 2 || part(mask, at) === bit)
    case "Tuple":
      return space.subspaces.every((its, at) => leaves(its, part(mask, at), part(action, at)))
    case "OneOf": {
      const [index, value] = action as readonly [number, Json]
      const chosen = space.subspaces[index]
      return chosen !== undefined && leaves(chosen, part(mask, index), value)
    }
    case "Dict":
      return Object.entries(space.subspaces).every(([key, its]) => leaves(its, part(mask, key), part(action, key)))
    default:
      return true
  }
}

describe("what a mask leaves out", () => {
  it("is of the same space, and nothing that the mask leaves", () => {
    fc.assert(
      fc.property(masked, fc.nat(), ([space, mask], seed) => {
        for (const draw of exclusions(space, mask)) {
          const action = draw(seeded(seed))
          expect(contains(space, action)).toBe(undefined)
          expect(leaves(space, mask, action)).toBe(false)
        }
      }),
    )
  })

  it("is nothing only where the mask leaves every action", () => {
    fc.assert(
      fc.property(masked, fc.nat(), ([space, mask], seed) => {
        if (exclusions(space, mask).length > 0) return
        expect(leaves(space, mask, sample(space, seeded(seed)))).toBe(true)
      }),
    )
  })
})
