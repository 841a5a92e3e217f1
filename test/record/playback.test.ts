import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { NothingReplayed } from "../../src/record/replay/Diverged.ts"
import * as Playback from "../../src/record/replay/Playback.ts"
import type { Interaction, Recording } from "../../src/record/replay/Recording.ts"
import { digest } from "../../src/values/Digest.ts"

/** A call by its line and what it asks: `fetch/a`. */
const call = (name: string): Playback.Call => {
  const [line = "", asks = ""] = name.split("/")
  return { line, digest: digest(asks), difference: ({ digest }) => ({ where: line, recorded: digest, now: asks }) }
}

/** A recording of calls from a position to another one. Positions of several calls may not be equal. */
const recordingOf = (calls: ReadonlyArray<readonly [name: string, from: number, to: number]>): Recording => ({
  taskId: "task",
  events: [],
  end: undefined,
  calls: calls.map(([name, position, answeredAt]): Interaction => {
    const { line, digest } = call(name)
    // A call of a function: what was asked is only told from others by its digest here.
    const asked = { position, type: "IoCalled" } as Event
    return { position, line, digest, asked, answer: { kind: "value", value: name }, answeredAt, within: null }
  }),
})

/** A program that calls one after the other. */
const sequential = (names: ReadonlyArray<string>): Recording =>
  recordingOf(names.map((name, index) => [name, 2 * index + 1, 2 * index + 2]))

/** Makes calls one after the other, and returns whether the playback finds nothing wrong, and how many were made for real. */
const replay = (playback: Playback.Playback, names: ReadonlyArray<string>) => {
  for (const name of names) playback.match(call(name))
  return { isAsRecorded: playback.ended() === undefined, live: playback.counts().live }
}

const names = fc.constantFrom("fetch/a", "fetch/b", "io x/a", "io x/b", "tool y/a")
const programs = fc.array(names, { minLength: 1, maxLength: 6 })

describe("a playback of a program that does one after the other", () => {
  it("finds every other sequence of calls, and no fault in the same", () => {
    fc.assert(
      fc.property(programs, fc.array(names, { maxLength: 7 }), (recorded, replayed) => {
        expect(replay(Playback.of(sequential(recorded)), recorded)).toEqual({ isAsRecorded: true, live: 0 })
        const isSame = JSON.stringify(recorded) === JSON.stringify(replayed)
        expect(replay(Playback.of(sequential(recorded)), replayed)).toEqual({ isAsRecorded: isSame, live: 0 })
      }),
      { numRuns: 1000 },
    )
  })

  it("up to a moment finds every other beginning, makes nothing for real then, and all for real that comes after", () => {
    fc.assert(
      fc.property(programs, fc.array(names, { maxLength: 7 }), fc.nat(), (recorded, forked, chance) => {
        // The moments before, within and after each call.
        const until = chance % (2 * recorded.length + 1)
        const [answered, begun] = [Math.floor(until / 2), Math.ceil(until / 2)]
        const isBegun = (length: number) =>
          JSON.stringify(forked.slice(0, length)) === JSON.stringify(recorded.slice(0, length))
        const { isAsRecorded, live } = replay(Playback.of(sequential(recorded), { until }), forked)
        expect(isAsRecorded).toBe(forked.length > 0 && forked.length >= begun && isBegun(begun))
        expect(live).toBe(isBegun(begun) ? Math.max(forked.length - answered, 0) : 0)
      }),
      { numRuns: 2000 },
    )
  })

  it("compared nothing where no call is made", () => {
    expect(Playback.of(sequential([])).ended()).toMatchObject({ _tag: "NothingReplayed", recorded: 0, first: null })
    expect(Playback.of(sequential(["fetch/a", "io x/a"])).ended()?.message).toContain(
      "expected the 2 recorded calls, the first of which is fetch @1, found the end of the program without a call",
    )
    expect(Playback.of(sequential(["fetch/a"]), { until: 0 }).ended()).toMatchObject({ _tag: "NothingReplayed" })
    // Who runs a program behind a proxy is not told of JavaScript's functions.
    const first = { call: "fetch", position: 3 }
    for (const [means, names] of [
      ["proxy", "OPENAI_BASE_URL"],
      ["intercept", "HTTPS_PROXY"],
    ] as const) {
      const { message } = new NothingReplayed({ taskId: "t", recorded: 2, first, means })
      expect(message).toContain("compared nothing: expected the 2 recorded calls, the first of which is fetch @3")
      expect(message).toContain(names)
      expect(message).not.toMatch(/run\.|`fetch`|node:http/)
    }
  })
})

describe("a playback of a program that does several things at once", () => {
  /** Branches, each of calls that take some time, of which the next begins some time after the one before ended. */
  const branches = fc.array(
    fc.array(fc.tuple(fc.nat({ max: 50 }), fc.integer({ min: 1, max: 50 })), { minLength: 1, maxLength: 5 }),
    { minLength: 1, maxLength: 4 },
  )

  /** The recording of branches that begin at once, and the names of the calls of each. */
  const recordedOf = (lengths: ReadonlyArray<ReadonlyArray<readonly [number, number]>>) => {
    const moments = lengths.flatMap((calls, branch) => {
      let at = 0
      return calls.flatMap(([pause, length], index) => {
        const from = index === 0 ? 0 : at + pause
        at = from + length
        const name = `fetch/${branch}-${index}`
        return [
          { name, at: from, order: [1, branch] },
          { name, at, order: [0, branch] },
        ]
      })
    })
    // Of what happens at one time, answers come first, and each branch goes on right after its answer.
    const inOrder = moments.toSorted(
      (a, b) => a.at - b.at || (a.order[1] ?? 0) - (b.order[1] ?? 0) || (a.order[0] ?? 0) - (b.order[0] ?? 0),
    )
    const positions = new Map<string, Array<number>>()
    inOrder.forEach(({ name }, index) => positions.set(name, [...(positions.get(name) ?? []), index + 1]))
    return recordingOf(
      [...positions].map(([name, [from = 0, to = 0]]) => [name, from, to] as const).toSorted(([, a], [, b]) => a - b),
    )
  }

  it("answers them in any order in which the branches can run", () => {
    fc.assert(
      fc.property(branches, fc.infiniteStream(fc.nat()), (lengths, choices) => {
        const playback = Playback.of(recordedOf(lengths))
        const left = lengths.map((calls, branch) => calls.map((_, index) => `fetch/${branch}-${index}`))
        // All branches begin at once.
        for (const branch of left) expect(playback.match(call(branch.shift() ?? "")).kind).toBe("recorded")
        for (const choice of choices) {
          const open = left.filter((branch) => branch.length > 0)
          const branch = open[choice % Math.max(open.length, 1)]
          if (branch === undefined) break
          expect(playback.match(call(branch.shift() ?? "")).kind).toBe("recorded")
        }
        expect(playback.ended()).toBeUndefined()
      }),
      { numRuns: 500 },
    )
  })

  it("lets a slow branch begin after the next calls of another one, and finds it missing at the end", () => {
    const recording = recordingOf([
      ["fetch/fast", 1, 4],
      ["fetch/slow", 2, 3],
      ["fetch/next", 5, 6],
    ])
    const late = Playback.of(recording)
    expect(["fast", "next", "slow"].map((asks) => late.match(call(`fetch/${asks}`)).kind)).toEqual([
      ...["recorded", "recorded", "recorded"],
    ])
    expect(late.ended()).toBeUndefined()
    const never = Playback.of(recording)
    expect(replay(never, ["fetch/fast", "fetch/next"])).toEqual({ isAsRecorded: false, live: 0 })
    expect(never.divergence()).toMatchObject({ position: 2, difference: { now: "the end of the program" } })
    // What comes after both cannot come before both: it belongs to one of the branches, or to a third.
    expect(Playback.of(recording).match(call("fetch/next"))).toMatchObject({
      kind: "diverged",
      diverged: { position: 1, difference: { where: "the order of the calls" } },
    })
  })

  it("goes on past the moment in one branch while another has calls left before it", () => {
    const recording = recordingOf([
      ["fetch/fast", 1, 3],
      ["fetch/slow", 2, 4],
      ["io x/next", 5, 6],
    ])
    const fork = Playback.of(recording, { until: 4 })
    expect(["fetch/fast", "io x/next", "fetch/slow"].map((name) => fork.match(call(name)).kind)).toEqual([
      ...["recorded", "live", "recorded"],
    ])
    expect(fork.ended()).toBeUndefined()
    // What the program never called is taken for a call too many before the moment.
    const other = Playback.of(recording, { until: 4 })
    expect(["fetch/fast", "io x/other"].map((name) => other.match(call(name)).kind)).toEqual(["recorded", "diverged"])
  })

  it("is asked for what has no duration at any time, in its own order", () => {
    const recording = recordingOf([
      ["fetch/a", 1, 2],
      ["now/", 3, 3],
      ["fetch/b", 4, 5],
    ])
    expect(replay(Playback.of(recording), ["now/", "fetch/a", "fetch/b"])).toEqual({ isAsRecorded: true, live: 0 })
    expect(replay(Playback.of(recording), ["fetch/a", "fetch/b"])).toEqual({ isAsRecorded: false, live: 0 })
  })
})
