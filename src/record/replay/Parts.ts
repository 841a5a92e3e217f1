/** The parts of a recorded run, one for each process that recorded it. A replay repeats one part. */

import { Data } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { quoteWord } from "../../values/ShellWord.ts"

/** Several processes recorded the run; name the part to replay. */
export class PartNeeded extends Data.TaggedError("PartNeeded")<{
  readonly taskId: string
  readonly parts: number
  /** The part that the caller named; null if none. */
  readonly named: number | null
}> {
  override get message() {
    const { taskId, parts, named } = this
    const found = named === null ? "none" : String(named)
    const how =
      parts === 1
        ? "Omit `part`"
        : `For the last one, use \`part: ${parts}\` or \`hindcast replay ${quoteWord(taskId)} --part ${parts} -- …\``
    return `Run ${taskId} was recorded by ${parts === 1 ? "1 process" : `${parts} processes, one after the other`}: expected a part from 1 to ${parts}, found ${found}. ${how}.`
  }
}

/** Positions of a part: from its first event up to the next part. */
export interface Part {
  readonly from: number
  /** Infinite for the last part. */
  readonly before: number
}

export const of = (events: ReadonlyArray<Event>): readonly [Part, ...ReadonlyArray<Part>] => {
  const begins = [0, ...events.flatMap((event) => (is(event, "RecorderJoined") ? [event.position] : []))]
  const [first = { from: 0, before: Number.POSITIVE_INFINITY }, ...others] = begins.map((from, index) => ({
    from,
    before: begins[index + 1] ?? Number.POSITIVE_INFINITY,
  }))
  return [first, ...others]
}

/** The part with a number from 1, or the only one if none is named. Throws `PartNeeded`. */
export const named = (taskId: string, events: ReadonlyArray<Event>, part: number | undefined): Part => {
  const parts = of(events)
  const found = part === undefined ? (parts.length === 1 ? parts[0] : undefined) : parts[part - 1]
  if (found === undefined) throw new PartNeeded({ taskId, parts: parts.length, named: part ?? null })
  return found
}

export const at = (events: ReadonlyArray<Event>, position: number): Part => {
  const parts = of(events)
  return parts.find(({ before }) => position < before) ?? parts[0]
}
