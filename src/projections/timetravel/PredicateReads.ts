/** Distinguishes a predicate that holds nowhere from one that reads a path that never existed. */

import { Data, Effect, Option, Stream } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import type { PositionOutOfRange } from "../../events/read/Moment.ts"
import { defined } from "../../values/defined.ts"
import type { Json } from "../../values/Json.ts"
import * as JsonPointer from "../patch/JsonPointer.ts"
import * as PathPattern from "../patch/PathPattern.ts"
import { projection } from "../state/EnvironmentState.ts"
import * as EventFilter from "./EventFilter.ts"
import type { Predicate } from "./Predicate.ts"
import { pages, scan, type TimelineHistory } from "./TimelineHistory.ts"
import * as ValueChanges from "./ValueChanges.ts"

/** The predicate holds at no moment, and reads a path that never existed. */
export class PredicatePathNeverExisted extends Data.TaggedError("PredicatePathNeverExisted")<{
  readonly predicate: string
  /** The path as the predicate writes it. */
  readonly path: string
  /** The last position that was searched. */
  readonly until: number
  /** The nearest path that exists, in words; null if unknown. */
  readonly nearest: string | null
}> {
  override get message() {
    return (
      `\`${this.predicate}\` has no answer: ${neverExisted(this.path, this.nearest, `up to @${this.until}`)} ` +
      'Correct the path. To test whether it exists, write has(PATH), or "KEY" in PATH.'
    )
  }
}

/** The sentence about a path that never existed. */
export const neverExisted = (path: string, nearest: string | null, when: string): string =>
  `the path ${path} existed at no moment ${when}${nearest === null ? "" : `; nearest: ${nearest}`}.`

interface Asked {
  readonly after: number
  readonly until: number
}

/** A predicate that remembers the paths it missed. */
export interface PredicateReads {
  readonly predicate: Predicate
  /** Call it if the predicate held at no moment of the range. Fails if a path that never existed is the reason. */
  readonly check: (
    past: TimelineHistory,
    asked: Asked,
  ) => Effect.Effect<void, PredicatePathNeverExisted | PositionOutOfRange | LogError>
}

/**
 * Observes a predicate during one query.
 *
 * @param watched the path of `value`, if the query watches one
 */
export const observe = (predicate: Predicate, watched: ReadonlyArray<string> = []): PredicateReads => {
  const missing = new Map<string, Missing>()
  let answers = 0
  return {
    predicate: {
      ...predicate,
      holds: (input) => {
        let isAnswered = true
        const holds = predicate.holds(input, (reads) => {
          isAnswered = false
          const key = reads.map(({ text }) => text).join("\n")
          // The start of a range has no event to read from.
          if (missing.has(key) || (input.event === null && reads.some(isOfEvent))) return
          missing.set(key, { reads, sample: { ...input.event } as Json })
        })
        if (isAnswered) answers += 1
        return holds
      },
    },
    check: (past, asked) =>
      Effect.gen(function* () {
        const existed = new Map<string, boolean>()
        for (const { reads, sample } of missing.values()) {
          for (const read of reads) {
            if (existed.has(read.text)) continue
            existed.set(read.text, yield* existedIn(past, asked, predicate, read, watched, answers))
          }
          const [first] = reads
          if (first === undefined || reads.some(({ text }) => existed.get(text))) continue
          const nearest = yield* nearestTo(past, asked, first, watched, sample)
          const { until } = asked
          return yield* new PredicatePathNeverExisted({ predicate: predicate.source, path: first.text, until, nearest })
        }
      }),
  }
}

/** Missed paths, with the first event at which they were missing. */
interface Missing {
  readonly reads: ReadonlyArray<PathPattern.Read>
  readonly sample: Json
}

const isOfEvent = ({ at }: PathPattern.Read): boolean => at?.variable === "event"

/** The path within the state of a read of `state` or `value`. */
const stepsInState = (
  { variable, steps }: NonNullable<PathPattern.Read["at"]>,
  watched: ReadonlyArray<string>,
): PathPattern.PathPattern | undefined =>
  variable === "state" ? steps : variable === "value" ? [...watched, ...steps] : undefined

const existedIn = (
  past: TimelineHistory,
  { after, until }: Asked,
  { types }: Predicate,
  { at }: PathPattern.Read,
  watched: ReadonlyArray<string>,
  answers: number,
): Effect.Effect<boolean, PositionOutOfRange | LogError> => {
  // For computed values, only the existence of an answer is known.
  if (at === undefined) return Effect.succeed(answers > 0)
  const steps = stepsInState(at, watched)
  if (steps !== undefined) return existedInState(past, until, steps)
  if (at.variable !== "event") return Effect.succeed(true)
  return pages(past, { after, until, ...defined({ types }) }).pipe(
    Stream.flattenChunks,
    Stream.filter((event) => PathPattern.exists({ ...event } as Json, at.steps)),
    Stream.runHead,
    Effect.map(Option.isSome),
  )
}

const existedInState = (past: TimelineHistory, until: number, steps: PathPattern.PathPattern) =>
  Effect.gen(function* () {
    const keys = PathPattern.keysOf(steps)
    if (keys !== undefined) {
      if (EventFilter.ofPath(keys) === undefined) return false
      if (JsonPointer.valueAt(yield* past.stateAt(until), keys) !== undefined) return true
      const text = JsonPointer.write(keys)
      return Option.isSome(yield* ValueChanges.last(past, { text, keys }, until))
    }
    if (PathPattern.exists(yield* past.stateAt(until), steps)) return true
    const whole = { from: { position: 0, state: projection.initial }, until, filter: EventFilter.everything }
    const found = scan(past, whole, (_, change) =>
      change !== undefined && PathPattern.exists(change.after, steps) ? true : undefined,
    )
    return Option.isSome(yield* Stream.runHead(found))
  })

const nearestTo = (
  past: TimelineHistory,
  { until }: Asked,
  { at }: PathPattern.Read,
  watched: ReadonlyArray<string>,
  sample: Json,
) =>
  Effect.gen(function* () {
    if (at === undefined) return null
    const steps = stepsInState(at, watched)
    if (steps === undefined) return PathPattern.nearest(at.variable, sample, at.steps)
    return PathPattern.nearest("state", yield* past.stateAt(until), steps)
  })
