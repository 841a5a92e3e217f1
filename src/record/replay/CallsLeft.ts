/** The recorded calls that a replayed program has not made yet. */

import type { Interaction } from "./Recording.ts"

export interface CallsLeft {
  /** The first call with the same line and digest. */
  readonly like: (call: Pick<Interaction, "line" | "digest">) => Interaction | undefined
  readonly take: (one: Interaction) => void
  /** Takes the calls that a call's function made; they do not occur again when its answer is replayed. */
  readonly takeWithin: (one: Interaction) => void
  /**
   * Takes an equal call from among those nested calls. A queue shared between calls may have recorded a call inside
   * another one's function.
   */
  readonly takeSpare: (call: Pick<Interaction, "line" | "digest">) => Interaction | undefined
  readonly firstOf: (line: string) => Interaction | undefined
  readonly first: () => Interaction | undefined
  readonly all: () => ReadonlyArray<Interaction>
  /**
   * The first remaining call that must precede this one: its answer was recorded before the program made this call.
   *
   * A program with up to `n` concurrent calls has `n` branches, each in its own order. So a call may overtake remaining
   * calls of up to `n - 1` other branches, and in a sequential program none. Calls without duration (clock, random
   * numbers, sensors) have no order.
   */
  readonly passedBy: (one: Interaction) => Interaction | undefined
}

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

/** The first call not made yet. Amortized: scans each list once. */
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

/** The maximum concurrency from the first call up to each one. A call whose function makes another counts once. */
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

const mostAtOnce = (calls: ReadonlyArray<Interaction>): number => branchesUpTo(calls).at(-1) ?? 0
