import { it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import { longestCommon, type Tokens } from "../../../src/projections/timetravel/alignment/CommonSubsequence.ts"
import { align, type Pair } from "../../../src/projections/timetravel/TaskAlignment.ts"
import * as TimeTravel from "../../../src/projections/timetravel/TimeTravel.ts"
import { arbitraryEvents } from "../arbitraryEvents.ts"
import { event, inTask, place, sha, type Unplaced } from "../given.ts"
import { append, onLog, read } from "../onLog.ts"

/** How long a longest common subsequence is, by the table of the textbook. */
const naiveLength = (a: Tokens, b: Tokens): number => {
  let row = new Array<number>(b.length + 1).fill(0)
  for (let i = 0; i < a.length; i++) {
    const next = [0]
    for (let j = 0; j < b.length; j++) {
      next.push(a[i] === b[j] ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0))
    }
    row = next
  }
  return row[b.length] ?? 0
}

const isCommon = (a: Tokens, b: Tokens, matches: ReadonlyArray<readonly [number, number]>): boolean =>
  matches.every(([i, j], index) => {
    const [before, beyond] = matches[index - 1] ?? [-1, -1]
    return a[i] === b[j] && i > before && j > beyond && i < a.length && j < b.length
  })

const tokens = fc.array(fc.nat(5), { maxLength: 90 })

describe("the longest common subsequence", () => {
  it("is as long as the textbook's, of any two sequences", () => {
    fc.assert(
      fc.property(tokens, tokens, (a, b) => {
        const matches = longestCommon(a, b)
        expect(isCommon(a, b, matches)).toBe(true)
        expect(matches).toHaveLength(naiveLength(a, b))
      }),
      { numRuns: 500 },
    )
  })

  it("is sought in pieces where the sequences are too long, and what is found is still common to both", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40), { maxLength: 60 }), fc.array(fc.nat(40), { maxLength: 60 }), (a, b) => {
        const matches = longestCommon(a, b, 20)
        expect(isCommon(a, b, matches)).toBe(true)
      }),
      { numRuns: 500 },
    )
    const a = Array.from({ length: 500 }, (_, index) => index)
    expect(longestCommon(a, [...a.slice(200), ...a.slice(0, 200)], 1_000)).toHaveLength(300)
    expect(longestCommon(a, [7, ...a, 9], 1_000)).toHaveLength(500)
  })

  it("the longest common subsequence of two sequences of 10,000 is found in bounded time, however different they are", () => {
    let seed = 1
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed
    }
    const sequence = (kinds: number) => Array.from({ length: 10_000 }, () => random() % kinds)
    const { user } = process.cpuUsage()
    const matches = [2, 300, 1_000_000].map((kinds) => longestCommon(sequence(kinds), sequence(kinds)).length)
    expect(process.cpuUsage().user - user).toBeLessThan(3_000_000)
    // Of random bits, about 81 in 100 are common (the Chvátal–Sankoff constant).
    expect((matches[0] ?? 0) / 10_000).toBeCloseTo(0.81, 2)
  })
})

const some = arbitraryEvents(25).map(place)

const sideOf = (pairs: ReadonlyArray<Pair>, side: "a" | "b"): ReadonlyArray<Event> =>
  pairs.flatMap((pair) => pair[side] ?? [])

const isOfTheRun = ({ type }: Event) =>
  !/^Scor|^Reward|^Punish|^MeasureUn|^Note|^Tag|^TaskBundled|^PayloadSh|^Starred|^Labelled|^Annotation/.test(type)

describe("any two runs, aligned,", () => {
  it("have every event of both once and in order, and say which script makes one into the other", () => {
    fc.assert(
      fc.property(some, some, (a, b) => {
        const { pairs, divergence, ...counts } = align(a, b)
        expect(sideOf(pairs, "a")).toEqual(a.filter(isOfTheRun))
        expect(sideOf(pairs, "b")).toEqual(b.filter(isOfTheRun))
        const rebuilt = pairs.flatMap((pair) => (pair.kind === "onlyInA" ? [] : [pair.b]))
        expect(rebuilt).toEqual(b.filter(isOfTheRun))
        const kinds = pairs.map(({ kind }) => kind)
        expect(divergence).toBe(
          kinds.some((kind) => kind !== "same") ? kinds.findIndex((kind) => kind !== "same") : null,
        )
        for (const kind of ["same", "changed", "onlyInA", "onlyInB"] as const) {
          expect(counts[kind]).toBe(kinds.filter((one) => one === kind).length)
        }
        for (const pair of pairs) if (pair.a !== null && pair.b !== null) expect(pair.a.type).toBe(pair.b.type)
      }),
    )
  })

  it("differ in nothing where they are one", () => {
    fc.assert(
      fc.property(some, (events) => {
        const length = events.filter(isOfTheRun).length
        const own = align(events, events)
        expect(own).toMatchObject({ divergence: null, same: length, changed: 0, onlyInA: 0, onlyInB: 0 })
        expect(own.pairs.every((pair) => pair.a === pair.b)).toBe(true)
      }),
    )
  })
})

const turn = (id: string, direction: string, moved = true): ReadonlyArray<Unplaced> => [
  read(`before ${direction}`),
  event("ActuatorCommanded", {
    commandId: id,
    actuator: "room/go",
    args: { direction },
    argsDigest: sha(direction),
    priority: 0,
  }),
  event("CommandAllowed", { commandId: id, rule: "default" }),
  event("CommandDispatched", { commandId: id }),
  moved
    ? event("CommandSucceeded", { commandId: id, result: null, latencyMs: id.length })
    : event("CommandFailed", { commandId: id, error: { code: "shut", message: "the door is shut" } }),
]

const marks = (pairs: ReadonlyArray<Pair>) =>
  pairs.map(({ kind, a, b }) => {
    const mark = { same: "=", changed: "~", onlyInA: "-", onlyInB: "+" }[kind]
    return `${mark} ${(a ?? b)?.type}`
  })

describe("two runs of one task", () => {
  it("are matched by what happened and not by ids, times or places, and what came of other commands is no difference", () => {
    const a = place([...turn("c1", "north"), ...turn("c2", "east")])
    const b = place([read("elsewhere", "room/smell"), ...turn("x1", "north"), ...turn("x22", "west")])
    const { pairs, divergence } = align(a, b)
    expect(divergence).toBe(0)
    expect(marks(pairs)).toEqual([
      "+ SensorRead",
      ...["= SensorRead", "= ActuatorCommanded", "= CommandAllowed", "= CommandDispatched", "= CommandSucceeded"],
      ...["~ SensorRead", "~ ActuatorCommanded", "= CommandAllowed", "= CommandDispatched", "= CommandSucceeded"],
    ])
  })

  it("show a turn that only one of them took as what it is", () => {
    const a = place([...turn("1", "north"), ...turn("2", "east"), ...turn("3", "south")])
    const b = place([...turn("4", "north"), ...turn("5", "south", false)])
    const { pairs } = align(a, b)
    expect(marks(pairs).slice(5)).toEqual([
      ...["- SensorRead", "- ActuatorCommanded", "- CommandAllowed", "- CommandDispatched", "- CommandSucceeded"],
      ...["= SensorRead", "= ActuatorCommanded", "= CommandAllowed", "= CommandDispatched"],
      ...["- CommandSucceeded", "+ CommandFailed"],
    ])
  })
})

describe("aligning, in a log,", () => {
  it.live("reads tasks by their ids, leaves out what was said of them later, and refuses one that is not there", () =>
    onLog(
      Effect.gen(function* () {
        const travel = yield* TimeTravel.TimeTravel
        yield* append([
          ...inTask("t1", turn("c1", "north")),
          ...inTask("t2", turn("c2", "north")),
          ...inTask("t1", [event("NoteAdded", { about: "t1", text: "well done" })]),
        ])
        expect(yield* travel.align({ taskId: "t1" }, { taskId: "t2" })).toMatchObject({
          divergence: null,
          same: 5,
          shared: 0,
        })
        expect(yield* Effect.flip(travel.align({ taskId: "t1" }, { taskId: "t9" }))).toMatchObject({
          _tag: "TaskNotFound",
          taskId: "t9",
        })
        expect(yield* Effect.flip(travel.align({ timeline: "fork-9" }, {}))).toMatchObject({ _tag: "TimelineNotFound" })
      }),
    ),
  )
})
