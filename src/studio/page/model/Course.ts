/** The course of a task: the positions, times and kinds of all its events. */

import { NO_ROLE, roleOf } from "../../../projections/conversation/Role.ts"
import * as OwnTime from "../../../values/time/OwnTime.ts"
import type { Entry } from "../../wire/CourseSlice.ts"
import { CODES, decodeKind, encodeKind, type Kind } from "../../wire/Kind.ts"
import type { Course as WireCourse } from "../../wire/Task.ts"

export class CourseOfTask {
  readonly positions: Array<number>
  readonly times: Array<number>
  #kinds: string
  #roles: string
  #last: WireCourse["last"]

  constructor({ positions, times, kinds, roles, last }: WireCourse) {
    this.positions = summed(positions)
    this.times = summed(times)
    this.#kinds = kinds
    this.#roles = roles
    this.#last = last
  }

  get length(): number {
    return this.positions.length
  }

  kindAt(index: number): { readonly kind: Kind; readonly bad: boolean } {
    return decodeKind(this.#kinds[index] ?? CODES.other) ?? { kind: "other", bad: false }
  }

  /** Its role in the conversation (`conversation/Role`). */
  roleAt(index: number): string {
    return this.#roles[index] ?? NO_ROLE
  }

  /** The index of the last event at or before a position, or -1. */
  indexAt(position: number): number {
    return lastNotAbove(this.positions, position)
  }

  /** Appends the next event, with its time by the task's own clock, which skips the time before a fork or a resume. */
  append(entry: Entry): void {
    const last = this.#last
    const next = last === null ? OwnTime.start(entry) : OwnTime.after(last, entry)
    this.positions.push(entry.position)
    this.times.push((this.times[0] ?? entry.occurredAt) + next.elapsedMs)
    this.#last = next
    this.#kinds += encodeKind(entry.kind, entry.bad)
    this.#roles += roleOf(entry.type)
  }
}

/** The index of the last of these ordered numbers that is at most `limit`, or -1. */
export const lastNotAbove = (numbers: ReadonlyArray<number>, limit: number): number => {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1
    else high = middle
  }
  return low - 1
}

const summed = (differences: ReadonlyArray<number>): Array<number> => {
  let sum = 0
  return differences.map((difference) => {
    sum += difference
    return sum
  })
}
