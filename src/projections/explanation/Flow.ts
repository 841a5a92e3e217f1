/**
 * Finds the results and readings behind a command's arguments, and those that a failure depends on. Values connect
 * them: an argument that occurs in an earlier result was probably taken from it.
 */

import type { Json } from "../../values/Json.ts"
import * as DataFlow from "../timetravel/causes/DataFlow.ts"
import type { Course, Source, Step } from "./Course.ts"
import * as Identifiers from "./Identifiers.ts"

export interface Flow {
  /** The sources of a command's arguments, newest first. */
  readonly usesOf: (step: Step) => ReadonlyArray<Source>
  /** The commands that used values from a position, oldest first. */
  readonly usersOf: (position: number) => ReadonlyArray<Step>
  /** Whether the failure depends on the command or the source at a position. */
  readonly isUsed: (position: number) => boolean
  /** Whether an identifier occurred before a position. */
  readonly isTold: (identifier: string, before: number) => boolean
  /** Whether a number occurred before a position. */
  readonly isNumberTold: (number: number, before: number) => boolean
  /** Whether the failure shows at the command with this position. */
  readonly isSymptom: (position: number) => boolean
  /** Identifiers that occurred before a position. */
  readonly toldBefore: (position: number) => ReadonlyArray<string>
}

/** Sources that a command's arguments are searched in: the newest ones before it. */
const MAX_SEARCHED = 100

/** Characters of sources that one task's searches read. */
const MAX_CHARACTERS = 4_000_000

/** @param symptoms positions that the failure shows at: punished events, failed commands, the last command */
export const of = ({ steps, sources }: Course, symptoms: ReadonlyArray<number>): Flow => {
  const allowance: DataFlow.Allowance = { answers: Number.MAX_SAFE_INTEGER, characters: MAX_CHARACTERS }
  const uses = new Map<Step, ReadonlyArray<Source>>()
  const users = new Map<number, Array<Step>>()
  for (const step of steps) {
    const sought = DataFlow.soughtIn(step.args)
    const before = sources.filter(({ at, from }) => at < step.at && from !== "goal").slice(-MAX_SEARCHED)
    const found = sought.size === 0 ? [] : newestHolders(before, sought, allowance)
    uses.set(step, found)
    for (const { at } of found) users.set(at, [...(users.get(at) ?? []), step])
  }
  const used = new Set<number>()
  const shown = steps.filter((step) => symptoms.some((at) => at >= step.at && at <= (step.end?.at ?? step.at) + 1))
  const shownAt = new Set(shown.map(({ at }) => at))
  const pending = [...shown]
  for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
    if (used.has(step.at)) continue
    used.add(step.at)
    if (step.end !== null) used.add(step.end.at)
    for (const source of uses.get(step) ?? []) {
      used.add(source.at)
      if (source.step !== null) pending.push(source.step)
    }
  }
  const texts = sources.map(({ at, value }) => ({ at, text: JSON.stringify(value).toLowerCase() }))
  return {
    usesOf: (step) => uses.get(step) ?? [],
    usersOf: (position) => users.get(position) ?? [],
    isUsed: (position) => used.has(position),
    isTold: (identifier, before) => {
      const sought = JSON.stringify(identifier).slice(1, -1).toLowerCase()
      return texts.some(({ at, text }) => at < before && text.includes(sought))
    },
    isNumberTold: (number, before) => {
      const sought = new RegExp(`(?<![\\d.])${String(number).replaceAll(".", "\\.")}(?!\\.?\\d)`)
      return texts.some(({ at, text }) => at < before && sought.test(text))
    },
    isSymptom: (position) => shownAt.has(position),
    toldBefore: (position) => [
      ...new Set(sources.flatMap(({ at, value }) => (at < position ? identifiersIn(value) : []))),
    ],
  }
}

/** For each sought value, the newest source that holds it. */
const newestHolders = (
  before: ReadonlyArray<Source>,
  sought: DataFlow.Sought,
  allowance: DataFlow.Allowance,
): ReadonlyArray<Source> => {
  const left = new Map(sought)
  return before.toReversed().filter(({ value }) => {
    if (left.size === 0 || allowance.characters <= 0) return false
    const found = DataFlow.foundIn(value, left, allowance)
    for (const one of found) left.delete(one)
    return found.size > 0
  })
}

/** The identifiers of a value, and those within its longer texts. */
const identifiersIn = (value: Json): ReadonlyArray<string> => [
  ...Identifiers.inValue(value),
  ...JSON.stringify(value)
    .slice(0, 20_000)
    .split(/[\s"',;()[\]{}]+/)
    .filter(Identifiers.isIdentifier),
]
