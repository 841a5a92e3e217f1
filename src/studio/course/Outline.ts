/** The outline of a task: position, time and kind of each of its events, without payloads. */

import type { Envelope } from "../../events/read/Records.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { type CoreName, is, isStep } from "../../events/vocabulary/Vocabulary.ts"
import { roleOf } from "../../projections/conversation/Role.ts"
import * as TaskClock from "../../projections/state/TaskClock.ts"
import { encodeKind } from "../wire/Kind.ts"
import type { Course } from "../wire/Task.ts"
import { isAlwaysBad, isBad, kindOf, SOMETIMES_BAD } from "./EventKind.ts"

export interface Outlined extends TaskClock.Timed {
  readonly position: number
  readonly taskId: string | null
  /** A character of `Kind.CODES`. */
  readonly code: string
  /** Its role in a conversation (`conversation/Role`). */
  readonly role: string
  /** Whether the event is a step of an agent. */
  readonly isStep: boolean
}

/** Types whose payload an outline reads. */
export const TELLING: ReadonlyArray<string> = [
  ...(["ActuatorCommanded", "ClockChanged"] satisfies ReadonlyArray<CoreName>),
  ...SOMETIMES_BAD,
]

const telling: ReadonlySet<string> = new Set(TELLING)

export const isTelling = ({ type }: Pick<Event, "type">): boolean => telling.has(type)

/** Reduces an event to its outline. `event` is present if its type is in `TELLING`. */
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
  role: roleOf(type),
  isStep: event !== undefined && isStep(event),
  payload: event !== undefined && is(event, "ClockChanged") ? event.payload : null,
})

/** The events of a task in order. Grows while the task runs. */
export class Outline {
  readonly positions: Array<number> = []
  /** Milliseconds since 1970 by the task's own time. */
  readonly times: Array<number> = []
  steps = 0
  #codes: Array<string> = []
  #roles: Array<string> = []
  #clock: TaskClock.TaskClock | undefined
  #begunAt = 0

  take(event: Outlined): void {
    if (this.#clock === undefined) {
      this.#clock = TaskClock.start(event)
      this.#begunAt = event.occurredAt
    } else this.#clock = TaskClock.after(this.#clock, event)
    this.positions.push(event.position)
    this.times.push(this.#begunAt + this.#clock.elapsedMs)
    this.#codes.push(event.code)
    this.#roles.push(event.role)
    if (event.isStep) this.steps += 1
  }

  get length(): number {
    return this.positions.length
  }

  get last(): number {
    return this.positions.at(-1) ?? 0
  }

  /** The task's own time after the last event, if any. */
  get ownTime(): Course["last"] {
    return this.#clock ?? null
  }

  /** One character for each event. */
  kinds(): string {
    const joined = this.#codes.join("")
    this.#codes = [joined]
    return joined
  }

  /** The role of each event in a conversation, one character for each. */
  roles(): string {
    const joined = this.#roles.join("")
    this.#roles = [joined]
    return joined
  }

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

/** An outline for the wire, with numbers as differences. */
export const course = (outline: Outline): Course => ({
  positions: differences(outline.positions),
  times: differences(outline.times),
  kinds: outline.kinds(),
  roles: outline.roles(),
  last: outline.ownTime,
})

const differences = (numbers: ReadonlyArray<number>): ReadonlyArray<number> =>
  numbers.map((number, index) => number - (index === 0 ? 0 : (numbers[index - 1] ?? 0)))
