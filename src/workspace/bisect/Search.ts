/** Runs a binary search with slow tests: several at once, each distinct state at most once. */

import { Effect, type Exit, Fiber, Queue } from "effect"
import * as Halving from "./Halving.ts"
import type { Mark } from "./Mark.ts"

export interface Searching<E, R> {
  /** The number of states: two or more. */
  readonly count: number
  /** Tests at once. */
  readonly jobs: number
  /**
   * Whether both ends are tested at the same time, even if `jobs` is 1. Tests that share a resource could disturb each
   * other, so if such a mark would end the search, the end is tested again, alone.
   */
  readonly endsAtOnce: boolean
  readonly known: Halving.Marks
  /** Equal for equal states: one test counts for all of them. */
  readonly keyOf: (index: number) => Effect.Effect<string, E, R>
  /** Tests a state. No two tests at once have the same lane, a number below `jobs`, or 1 with `endsAtOnce`. */
  readonly test: (index: number, lane: number) => Effect.Effect<Mark, E, R>
}

interface Test {
  readonly key: string
  readonly indexes: Set<number>
  readonly lane: number
  /** Whether more tests than `jobs` ran at some time. */
  isCrowded: boolean
}

/**
 * Tests until no further test can change the result, and returns all marks. Ends early if the first state is not good
 * or the last one not bad. Interrupts tests that have become useless.
 */
export const run = <E, R>({ count, jobs, endsAtOnce, known, keyOf, test }: Searching<E, R>) =>
  Effect.gen(function* () {
    const marks = new Map(known)
    let width = endsAtOnce ? Math.max(jobs, 2) : jobs
    /** Marks of ends that were tested at the same time. */
    const doubtful = new Map<number, string>()
    const byKey = new Map<string, Mark>()
    const running = new Map<Test, Fiber.Fiber<void>>()
    const lanes = Array.from({ length: width }, (_, lane) => lane)
    const ended = yield* Queue.unbounded<{ readonly one: Test; readonly exit: Exit.Exit<Mark, E> }>()

    const begin = (index: number) =>
      Effect.gen(function* () {
        const key = yield* keyOf(index)
        const mark = byKey.get(key)
        if (mark !== undefined) {
          marks.set(index, mark)
          return
        }
        const same = [...running.keys()].find((one) => one.key === key)
        if (same !== undefined) return void same.indexes.add(index)
        const lane = lanes.pop()
        if (lane === undefined) return
        const one: Test = { key, indexes: new Set([index]), lane, isCrowded: false }
        const told = Effect.flatMap(Effect.exit(test(index, lane)), (exit) => Queue.offer(ended, { one, exit }))
        running.set(one, yield* Effect.forkScoped(Effect.asVoid(told)))
        if (running.size > jobs) for (const each of running.keys()) each.isCrowded = true
      })

    const end = (one: Test) =>
      Effect.gen(function* () {
        const fiber = running.get(one)
        if (fiber !== undefined) yield* Fiber.interrupt(fiber)
        running.delete(one)
        lanes.push(one.lane)
      })

    for (;;) {
      const inTest = { running: indexesOf(running.keys()), busy: running.size }
      const wanted = wantedNow({ count, marks, jobs, width, ...inTest })
      if (wanted === undefined) {
        const again = [0, count - 1].find((index) => doubtful.has(index) && isDecisive(index, marks, count))
        if (again === undefined) return marks as Halving.Marks
        for (const one of [...running.keys()]) yield* end(one)
        byKey.delete(doubtful.get(again) ?? "")
        marks.delete(again)
        doubtful.delete(again)
        width = jobs
        continue
      }
      for (const one of [...running.keys()]) if (![...one.indexes].some(wanted.isOpen)) yield* end(one)
      const before = marks.size
      for (const index of wanted.next) yield* begin(index)
      if (marks.size > before) continue
      const { one, exit } = yield* Queue.take(ended)
      // It was interrupted just after its end.
      if (!running.has(one)) continue
      yield* end(one)
      const mark = yield* exit
      byKey.set(one.key, mark)
      for (const index of one.indexes) {
        marks.set(index, mark)
        if (one.isCrowded) doubtful.set(index, one.key)
      }
    }
  }).pipe(Effect.scoped)

const indexesOf = (tests: Iterable<Test>): ReadonlySet<number> =>
  new Set([...tests].flatMap(({ indexes }) => [...indexes]))

interface Progress {
  readonly count: number
  readonly marks: Halving.Marks
  readonly running: ReadonlySet<number>
  /** Tests at once. */
  readonly jobs: number
  /** The same for ends. */
  readonly width: number
  /** The number of tests in progress. */
  readonly busy: number
}

/** The next tests, and whether a test in progress is still needed; undefined if the search has ended. */
const wantedNow = ({ count, marks, running, jobs, width, busy }: Progress) => {
  const [first, last] = [marks.get(0), marks.get(count - 1)]
  if ((first ?? "good") !== "good" || (last ?? "bad") !== "bad") return undefined
  if (first === undefined || last === undefined) {
    const ends = [0, count - 1].filter((index) => !marks.has(index) && !running.has(index)).slice(0, width - busy)
    // Other lanes do not wait for the ends, whose marks are usually as expected.
    const hoped = new Map<number, Mark>([...marks, [0, "good"], [count - 1, "bad"]])
    const found = Halving.bounds(hoped, count)
    const middles = found === undefined ? [] : Halving.next(found, hoped, running, jobs - busy - ends.length)
    return { isOpen: () => true, next: [...ends, ...middles] }
  }
  const found = Halving.bounds(marks, count)
  if (found === undefined) return undefined
  const isOpen = (index: number) => Halving.isOpen(found, marks, index)
  if (Halving.next(found, marks, new Set(), 1).length === 0) return undefined
  return { isOpen, next: Halving.next(found, marks, running, jobs - busy) }
}

/** Whether the opposite mark on an end would give another result. */
const isDecisive = (index: number, marks: Halving.Marks, count: number): boolean =>
  marks.get(index) !== (index === 0 ? "good" : "bad") || Halving.bounds(marks, count)?.bad === index
