import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Halving from "../../../src/workspace/bisect/Halving.ts"
import * as Mark from "../../../src/workspace/bisect/Mark.ts"
import * as Search from "../../../src/workspace/bisect/Search.ts"

interface History {
  /** For each state, what its files are: equal ones are one state. */
  readonly contents: ReadonlyArray<string>
  readonly markOf: (content: string) => Mark.Mark
}

/** Searches a history; counts its tests, which end in a random order. */
const search = async (
  { contents, markOf }: History,
  jobs: number,
  order: () => number,
  more: { readonly endsAtOnce?: boolean; readonly disturbed?: (content: string) => Mark.Mark } = {},
) => {
  const { endsAtOnce = false, disturbed } = more
  const tests: Array<string> = []
  let [atOnce, most] = [0, 0]
  const lanes = new Set<number>()
  const test = (index: number, lane: number) =>
    Effect.gen(function* () {
      const content = contents[index] ?? ""
      expect(lanes.has(lane)).toBe(false)
      lanes.add(lane)
      tests.push(content)
      most = Math.max(most, ++atOnce)
      for (let turn = order(); turn > 0; turn--) yield* Effect.yieldNow()
      return disturbed !== undefined && atOnce > 1 ? disturbed(content) : markOf(content)
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          atOnce--
          lanes.delete(lane)
        }),
      ),
    )
  const keyOf = (index: number) => Effect.succeed(contents[index] ?? "")
  const known = new Map()
  const asked = { count: contents.length, jobs, endsAtOnce, known, keyOf, test }
  const verdicts = await Effect.runPromise(Search.run(asked))
  return { verdicts, bounds: Halving.bounds(verdicts, contents.length), tests, most }
}

const ALONE = { endsAtOnce: false } as const

/** Contents of which those before `bad` are good: some can be skipped, some come again. */
const history = fc
  .record({
    good: fc.array(fc.nat(6), { minLength: 1, maxLength: 40 }),
    bad: fc.array(fc.nat(6), { minLength: 1, maxLength: 40 }),
    skipped: fc.uniqueArray(fc.nat(6), { maxLength: 5 }),
    isDistinct: fc.boolean(),
  })
  .map(({ good, bad, skipped, isDistinct }) => {
    const named = (kind: string) => (content: number, index: number) => `${kind} ${content} ${isDistinct ? index : ""}`
    const contents = ["good", ...good.map(named("good")), ...bad.map(named("bad")), "bad"]
    const markOf = (content: string): Mark.Mark => {
      const [kind, number] = content.split(" ")
      if (number !== undefined && skipped.includes(Number(number))) return "skip"
      return kind === "good" ? "good" : "bad"
    }
    return { contents, markOf }
  })

describe("a search in a monotonic history", () => {
  it("names the step that a linear search names, and tests no state twice, however many run at once", async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.integer({ min: 1, max: 5 }),
        fc.infiniteStream(fc.nat(9)),
        async (one, jobs, delays) => {
          const { markOf, contents } = one
          const verdicts = contents.map(markOf)
          const bad = verdicts.indexOf("bad")
          const good = verdicts.lastIndexOf("good", bad)
          const found = await search(one, jobs, () => delays.next().value ?? 0)
          expect(found.bounds).toEqual({ good, bad })
          for (let index = good + 1; index < bad; index++) expect(found.verdicts.get(index)).toBe("skip")
          expect(Halving.goodAfterBad(found.verdicts)).toEqual([])
          expect(found.most).toBeLessThanOrEqual(jobs)
          if (jobs === 1) expect(new Set(found.tests).size).toBe(found.tests.length)
        },
      ),
    )
  })

  it("takes as many tests as halving does", async () => {
    const contents = Array.from({ length: 257 }, (_, index) => String(index))
    const one = { contents, markOf: (content: string) => (Number(content) < 200 ? "good" : "bad") } as const
    const found = await search(one, 1, () => 0)
    expect(found.bounds).toEqual({ good: 199, bad: 200 })
    expect(found.tests.length).toBe(10)
  })
})

describe("a search that tests both ends at once", () => {
  it("takes as many turns as halving does, and one more", async () => {
    const contents = Array.from({ length: 257 }, (_, index) => String(index))
    const one = { contents, markOf: (content: string) => (Number(content) < 200 ? "good" : "bad") } as const
    const found = await search(one, 1, () => 3, { endsAtOnce: true })
    expect(found.bounds).toEqual({ good: 199, bad: 200 })
    expect([found.tests.slice(0, 2), found.tests.length, found.most]).toEqual([["0", "256"], 10, 2])
  })

  it("finds what a search one by one finds, although tests at once disturb each other in any way", async () => {
    const verdicts = fc.constantFrom<Mark.Mark>("good", "bad", "skip")
    let twice = 0
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(fc.integer({ min: 1, max: 20 }), fc.nat(20)),
        fc.tuple(verdicts, verdicts),
        fc.infiniteStream(fc.nat(9)),
        async ([end, good], [first, last], delays) => {
          const contents = Array.from({ length: end + 1 }, (_, index) => String(index))
          // Some histories have no bad state.
          const markOf = (content: string): Mark.Mark => (Number(content) <= good ? "good" : "bad")
          const disturbed = (content: string): Mark.Mark => (content === "0" ? first : last)
          const order = () => delays.next().value ?? 0
          const alone = await search({ contents, markOf }, 1, order)
          const found = await search({ contents, markOf }, 1, order, { endsAtOnce: true, disturbed })
          expect(found.bounds).toEqual(alone.bounds)
          expect(found.verdicts.get(end)).toBe(alone.verdicts.get(end))
          expect(found.most).toBeLessThanOrEqual(2)
          if (found.tests.length > new Set(found.tests).size) twice++
        },
      ),
    )
    expect(twice).toBeGreaterThan(0)
  })
})

describe("a search", () => {
  const markOf = (content: string) => content as Mark.Mark
  it.each([
    [["bad", "bad"], 0],
    [["good", "good"], 1],
    [["skip", "bad"], 0],
    [["good", "skip"], 1],
  ])("of %j ends at the end that is unfit", async (contents, index) => {
    const { verdicts, bounds } = await search({ contents, markOf }, 1, () => 0)
    expect(bounds).toBeUndefined()
    expect(verdicts.get(index)).toBe(contents[index])
  })

  it("ends at a last state that is unfit while the first one is in test", async () => {
    const keyOf = (index: number) => Effect.succeed(String(index))
    for (const verdict of ["good", "skip"] as const) {
      const test = (index: number) => (index === 8 ? Effect.succeed(verdict) : Effect.never)
      const verdicts = await Effect.runPromise(
        Search.run({ ...ALONE, count: 9, jobs: 2, known: new Map(), keyOf, test }),
      )
      expect(verdicts).toEqual(new Map([[8, verdict]]))
    }
  })

  it("tests equal states once, although both are wanted at the same time", async () => {
    const begun: Array<number> = []
    const test = (index: number) =>
      Effect.sync(() => begun.push(index)).pipe(
        Effect.zipRight(Effect.yieldNow()),
        Effect.as<Mark.Mark>(index === 4 ? "skip" : "good"),
      )
    const keyOf = (index: number) => Effect.succeed(index === 8 ? "0" : String(index))
    const verdicts = await Effect.runPromise(Search.run({ ...ALONE, count: 9, jobs: 2, known: new Map(), keyOf, test }))
    expect(begun.filter((index) => index === 0 || index === 8)).toEqual([0])
    expect([verdicts.get(0), verdicts.get(8)]).toEqual(["good", "good"])
  })

  it("goes on with a test that has become useless for one state, but not for an equal one", async () => {
    const begun: Array<number> = []
    const interrupted: Array<number> = []
    const test = (index: number) =>
      Effect.gen(function* () {
        begun.push(index)
        if (index === 2) for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow()
        return (index === 2 || index > 5 ? "bad" : "good") as Mark.Mark
      }).pipe(Effect.onInterrupt(() => Effect.sync(() => interrupted.push(index))))
    const keyOf = (index: number) => Effect.succeed(String(index === 6 ? 2 : index))
    const known = new Map<number, Mark.Mark>([
      [0, "good"],
      [8, "bad"],
    ])
    const verdicts = await Effect.runPromise(Search.run({ ...ALONE, count: 9, jobs: 3, known, keyOf, test }))
    expect([verdicts.get(4), verdicts.get(6), Halving.bounds(verdicts, 9)]).toEqual([
      "good",
      "bad",
      { good: 1, bad: 2 },
    ])
    expect([begun.filter((index) => index === 2 || index === 6), interrupted.includes(2)]).toEqual([[2], false])
  })

  it("fails with the error of a test, and interrupts the others", async () => {
    const interrupted: Array<number> = []
    const test = (index: number) =>
      index === 0
        ? Effect.fail("no shell")
        : Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted.push(index)))
    const keyOf = (index: number) => Effect.succeed(String(index))
    const failed = Search.run({ ...ALONE, count: 9, jobs: 2, known: new Map(), keyOf, test })
    expect(await Effect.runPromise(Effect.flip(failed))).toBe("no shell")
    expect(interrupted).toEqual([8])
  })

  it("tests the middle meanwhile, where more tests may run than there are ends", async () => {
    const begun: Array<number> = []
    const test = (index: number) =>
      Effect.suspend(() => {
        begun.push(index)
        return begun.length < 3 ? Effect.never : Effect.fail("enough")
      })
    const keyOf = (index: number) => Effect.succeed(String(index))
    await Effect.runPromise(Effect.flip(Search.run({ ...ALONE, count: 9, jobs: 3, known: new Map(), keyOf, test })))
    expect(begun).toEqual([0, 8, 4])
  })

  it("interrupts a test that the others have made useless", async () => {
    const interrupted: Array<number> = []
    const test = (index: number) => {
      if (index === 2) return Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted.push(index)))
      return Effect.succeed<Mark.Mark>(index < 6 ? "good" : "bad")
    }
    const keyOf = (index: number) => Effect.succeed(String(index))
    const verdicts = await Effect.runPromise(Search.run({ ...ALONE, count: 9, jobs: 2, known: new Map(), keyOf, test }))
    expect(Halving.bounds(verdicts, 9)).toEqual({ good: 5, bad: 6 })
    expect(interrupted).toEqual([2])
  })
})

it("reads exit codes as git bisect run does", () => {
  expect([0, 1, 124, 125, 126, 127, 128, 255, -1].map(Mark.ofExitCode)).toEqual([
    ...["good", "bad", "bad", "skip", "bad", "bad"],
    ...["abort", "abort", "abort"],
  ])
})
