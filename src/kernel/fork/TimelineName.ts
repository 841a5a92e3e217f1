/** Names of new timelines. */

import { Data, Effect } from "effect"
import { MAIN } from "../../events/log/EventLog.ts"

/** The name is invalid or in use. Choose another one. */
export class TimelineNameInvalid extends Data.TaggedError("TimelineNameInvalid")<{
  readonly timeline: string
  readonly found: string
}> {
  override get message() {
    return (
      `Timeline ${JSON.stringify(this.timeline).slice(0, MAX_LENGTH)}: expected a new name of 1 to ${MAX_LENGTH} of the characters A-Z, a-z, 0-9, ".", "_" and "-", ` +
      `the first a letter or digit, not all of them digits; found ${this.found}. Nothing was recorded.`
    )
  }
}

const MAX_LENGTH = 100
const PATTERN = new RegExp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,${MAX_LENGTH - 1}}$`)

/** Checks a caller's name, which must be unused and fit before an `@` or a `/`. */
export const checked = (timeline: string, known: ReadonlyArray<string>): Effect.Effect<string, TimelineNameInvalid> => {
  const refuse = (found: string) => new TimelineNameInvalid({ timeline, found })
  if (timeline === MAIN) return refuse("the name of the timeline that every log has")
  if (!PATTERN.test(timeline) || /^\d+$/.test(timeline)) return refuse("another one")
  return known.includes(timeline) ? taken(timeline) : Effect.succeed(timeline)
}

export const taken = (timeline: string): TimelineNameInvalid =>
  new TimelineNameInvalid({ timeline, found: "one that a timeline of this log has" })

/** The default name of a fork: `fork-1`, `fork-2` …, one above the highest in use. */
export const next = (known: ReadonlyArray<string>): string => {
  const numbers = known.map((name) => Number(/^fork-(\d{1,9})$/.exec(name)?.[1] ?? 0))
  let number = numbers.reduce((most, one) => Math.max(most, one), 0) + 1
  while (known.includes(`fork-${number}`)) number += 1
  return `fork-${number}`
}
