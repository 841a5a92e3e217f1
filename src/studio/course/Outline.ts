/** The outline of a task: for each of its events where, when and of which kind it is, and nothing that it says. */

import type { Envelope } from "../../events/read/Records.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { type CoreName, is, isStep } from "../../events/vocabulary/Vocabulary.ts"
import * as TaskClock from "../../projections/state/TaskClock.ts"
import { encodeKind } from "../wire/Kind.ts"
import type { Course } from "../wire/Task.ts"
import { isAlwaysBad, isBad, kindOf, SOMETIMES_BAD } from "./EventKind.ts"

/** What an outline reads of an event. */
export interface Outlined extends TaskClock.Timed {
  readonly position: number
  readonly taskId: string | null
  /** A character of `Kind.CODES`. */
  readonly code: string
  /** Whether an agent took a step by it. */
  readonly isStep: boolean
}

/** Types of which an outline has to read the payload. */
export const TELLING: ReadonlyArray<string> = [
  ...(["ActuatorCommanded", "ClockChanged"] satisfies ReadonlyArray<CoreName>),
  ...SOMETIMES_BAD,
]

const telling: ReadonlySet<string> = new Set(TELLING)

/** Whether an outline has to read an event's payload. */
export const isTelling = ({ type }: Pick<Event, "type">): boolean => telling.has(type)

/** What an outline keeps of an event, of which it has the payload if its type is `TELLING`. */
export const outlined = (
  { position, taskId, timeline, occurredAt, recordedAt, type }: Envelope,
  event: Event | undefined,
): Outlined => ({
  position,
  taskId,
  timeline,
  occurredAt,
  recordedAt,
  type,
  code: encodeKind(kindOf(type), event === undefined ? isAlwaysBad(type) : isBad(event)),
  isStep: event !== undefined && isStep(event),
  payload: event !== undefined && is(event, "ClockChanged") ? event.payload : null,
})

/** The events of a task in their order. It grows while the task goes on. */
export class Outline {
  readonly positions: Array<number> = []
  /** Milliseconds since 1970 by the task's own time. */
  readonly times: Array<number> = []
  steps = 0
  #codes: Array<string> = []
  #clock: TaskClock.TaskClock | undefined
  #begunAt = 0

  /** Takes the next event of the task. */
  take(event: Outlined): void {
    if (this.#clock === undefined) {
      this.#clock = TaskClock.start(event)
      this.#begunAt = event.occurredAt
    } else this.#clock = TaskClock.after(this.#clock, event)
    this.positions.push(event.position)
    this.times.push(this.#begunAt + this.#clock.elapsedMs)
    this.#codes.push(event.code)
    if (event.isStep) this.steps += 1
  }

  get length(): number {
    return this.positions.length
  }

  /** The last position; 0 if there is none. */
  get last(): number {
    return this.positions.at(-1) ?? 0
  }

  /** The task's own time after the last event; null if there is none. */
  get ownTime(): Course["last"] {
    return this.#clock ?? null
  }

  /** One character for each event. */
  kinds(): string {
    const joined = this.#codes.join("")
    this.#codes = [joined]
    return joined
  }

  /** How many events come before a position. */
  countBefore(position: number): number {
    let [from, to] = [0, this.positions.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((this.positions[middle] ?? 0) < position) from = middle + 1
      else to = middle
    }
    return from
  }
}

/** An outline as it is sent: numbers are differences. */
export const course = (outline: Outline): Course => ({
  positions: differences(outline.positions),
  times: differences(outline.times),
  kinds: outline.kinds(),
  last: outline.ownTime,
})

const differences = (numbers: ReadonlyArray<number>): ReadonlyArray<number> =>
  numbers.map((number, index) => number - (index === 0 ? 0 : (numbers[index - 1] ?? 0)))
