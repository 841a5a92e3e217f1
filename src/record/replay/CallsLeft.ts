/** The recorded calls that a program has not made yet. */

import type { Interaction } from "./Recording.ts"

/** Recorded calls that are left to be made. */
export interface CallsLeft {
  /** The first that is alike: of the same line, and asked the same. */
  readonly like: (call: Pick<Interaction, "line" | "digest">) => Interaction | undefined
  /** Takes it, so that it is no longer left. */
  readonly take: (one: Interaction) => void
  /** Takes the calls that its function made as well: they are not made where its answer is given. */
  readonly takeWithin: (one: Interaction) => void
  /**
   * Takes a call that is alike of those within others. A queue that calls share may make a call for one that made another call, so that it
   * was recorded within that one.
   */
  readonly takeSpare: (call: Pick<Interaction, "line" | "digest">) => Interaction | undefined
  /** The first of a line. */
  readonly firstOf: (line: string) => Interaction | undefined
  /** The first that has a beginning and an end, as a request has. */
  readonly first: () => Interaction | undefined
  /** All of them. */
  readonly all: () => ReadonlyArray<Interaction>
  /**
   * The first one that must come before a call, and is still left: its answer was recorded before the program made the call.
   *
   * A program that had `n` calls under way at once has as many branches, and each has an order of its own: while one is slow, the
   * others make their next calls. A call belongs to one of them, so that it may pass what is left of `n - 1` others, and no more. A program
   * that made one call after the other has one branch: nothing passes. What has no duration (the time, chance, a sensor's reading) has no order.
   */
  readonly passedBy: (one: Interaction) => Interaction | undefined
}

/** @param calls in their order */
export const of = (calls: ReadonlyArray<Interaction>): CallsLeft => {
  const made = new Set<Interaction>()
  const byKey = grouped(calls, keyOf)
  const byLine = grouped(calls, ({ line }) => line)
  const lasting = calls.filter(hasDuration)
  const firstIn = firstLeft(made)
  const branches = branchesUpTo(lasting)
  const byMaker = grouped(
    calls.filter(({ within }) => within !== null),
    ({ within }) => String(within),
  )
  const spare: Array<Interaction> = []
  const takeWithin = (one: Interaction) => {
    for (const inner of byMaker.get(String(one.position)) ?? []) {
      if (!made.has(inner)) spare.push(inner)
      made.add(inner)
      takeWithin(inner)
    }
  }
  return {
    like: (call) => firstIn(byKey.get(keyOf(call))),
    take: (one) => made.add(one),
    takeWithin,
    takeSpare: (call) => {
      const index = spare.findIndex((one) => keyOf(one) === keyOf(call))
      return index < 0 ? undefined : spare.splice(index, 1)[0]
    },
    firstOf: (line) => firstIn(byLine.get(line)),
    first: () => firstIn(lasting),
    all: () => calls.filter((one) => !made.has(one)),
    passedBy: (one) => {
      if (!hasDuration(one)) return undefined
      const first = firstIn(lasting)
      if (first === undefined || first === one) return undefined
      const passed: Array<Interaction> = []
      let index = lasting.indexOf(first)
      for (; index < lasting.length; index++) {
        const other = lasting[index]
        if (other === undefined || other.position >= one.position) break
        if (!made.has(other) && other.answeredAt !== null && other.answeredAt < one.position) passed.push(other)
      }
      return mostAtOnce(passed) < (branches[index - 1] ?? 1) ? undefined : passed[0]
    },
  }
}

const grouped = (calls: ReadonlyArray<Interaction>, by: (one: Interaction) => string) => {
  const groups = new Map<string, Array<Interaction>>()
  for (const one of calls) {
    const group = groups.get(by(one))
    if (group === undefined) groups.set(by(one), [one])
    else group.push(one)
  }
  return groups
}

/** The first of calls that is not made. Each list is looked through once in all. */
const firstLeft = (made: ReadonlySet<Interaction>) => {
  const starts = new Map<ReadonlyArray<Interaction>, number>()
  return (calls: ReadonlyArray<Interaction> | undefined): Interaction | undefined => {
    if (calls === undefined) return undefined
    let start = starts.get(calls) ?? 0
    for (let one = calls[start]; one !== undefined && made.has(one); one = calls[start]) start++
    starts.set(calls, start)
    return calls[start]
  }
}

const keyOf = ({ line, digest }: Pick<Interaction, "line" | "digest">): string => `${line}\n${digest}`

const hasDuration = ({ position, answeredAt }: Interaction): boolean => answeredAt !== position

/** How many calls were under way at once at most, from the first up to each. One whose function makes another one waits for that. */
const branchesUpTo = (calls: ReadonlyArray<Interaction>): ReadonlyArray<number> => {
  let open: ReadonlyArray<Interaction> = []
  let most = 0
  return calls.map((one) => {
    open = [...open.filter(({ answeredAt }) => answeredAt === null || answeredAt > one.position), one]
    const makers = new Set(open.map(({ within }) => within))
    most = Math.max(most, open.filter(({ position }) => !makers.has(position)).length)
    return most
  })
}

/** How many of some calls, in their order, were under way at once at most. */
const mostAtOnce = (calls: ReadonlyArray<Interaction>): number => branchesUpTo(calls).at(-1) ?? 0
