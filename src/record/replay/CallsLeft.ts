/** The recorded calls that a program has not made yet. */

import type { Interaction } from "./Recording.ts"

/** Recorded calls that are left to be made. */
export interface CallsLeft {
  /** The first that is alike: of the same line, and asked the same. */
  readonly like: (call: Pick<Interaction, "line" | "digest">) => Interaction | undefined
  /** Takes it, so that it is no longer left. */
  readonly take: (one: Interaction) => void
  /** The first of a line. */
  readonly firstOf: (line: string) => Interaction | undefined
  /** The first that has a beginning and an end, as a request has. */
  readonly first: () => Interaction | undefined
  /** All of them. */
  readonly all: () => ReadonlyArray<Interaction>
  /**
   * The first one that must come before a call, and is still left: its answer was recorded before the program made the call.
   *
   * Calls that were under way at the same time may come in another order, and with them the calls that came of them: while one branch
   * of a program is slow, another one makes its next calls. So a call may also pass one that was under way together with a call
   * that was made already. What has no duration (the time, chance, a sensor's reading) has no order.
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
  const isPassable = (one: Interaction) => lasting.some((other) => made.has(other) && overlap(one, other))
  return {
    like: (call) => firstIn(byKey.get(keyOf(call))),
    take: (one) => made.add(one),
    firstOf: (line) => firstIn(byLine.get(line)),
    first: () => firstIn(lasting),
    all: () => calls.filter((one) => !made.has(one)),
    passedBy: (one) => {
      if (!hasDuration(one)) return undefined
      const first = firstIn(lasting)
      if (first === undefined || first === one) return undefined
      const from = lasting.indexOf(first)
      for (let index = from; index < lasting.length; index++) {
        const other = lasting[index]
        if (other === undefined || other.position >= one.position) return undefined
        const isBefore = other.answeredAt !== null && other.answeredAt < one.position
        if (isBefore && !made.has(other) && !isPassable(other)) return other
      }
      return undefined
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

/** Whether two calls were under way at the same time. */
const overlap = (one: Interaction, other: Interaction): boolean =>
  (one.answeredAt === null || one.answeredAt > other.position) &&
  (other.answeredAt === null || other.answeredAt > one.position)
