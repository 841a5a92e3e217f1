/** Tells a predicate that holds nowhere from one that reads a path which never existed. */

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

/** Fix the predicate: it holds at no moment, and reads a path that existed at none. */
export class PredicatePathNeverExisted extends Data.TaggedError("PredicatePathNeverExisted")<{
  readonly predicate: string
  /** The path in the words of the predicate. */
  readonly path: string
  /** The last position that was searched. */
  readonly until: number
  /** The nearest path that exists, in words; null if it is not known. */
  readonly nearest: string | null
}> {
  override get message() {
    return (
      `\`${this.predicate}\` has no answer: ${neverExisted(this.path, this.nearest, `up to @${this.until}`)} ` +
      'Correct the path. To ask whether it is there, write has(PATH), or "KEY" in PATH.'
    )
  }
}

/** The sentence about a path that never existed, for messages. */
export const neverExisted = (path: string, nearest: string | null, when: string): string =>
  `the path ${path} existed at no moment ${when}${nearest === null ? "" : `; nearest: ${nearest}`}.`

/** A range of a timeline whose events a predicate was asked about. */
interface Asked {
  readonly after: number
  readonly until: number
}

/** A predicate that remembers the paths that it did not find. */
export interface PredicateReads {
  readonly predicate: Predicate
  /** To be called if the predicate held at no moment of the range. Fails if that is because of a path that never existed. */
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
          // Without an event, nothing can be read from it.
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

/** Paths that were not found, and the first event at which they were not. */
interface Missing {
  readonly reads: ReadonlyArray<PathPattern.Read>
  readonly sample: Json
}

const isOfEvent = ({ at }: PathPattern.Read): boolean => at?.variable === "event"

/** A path within the state, of a read of `state` or `value`. */
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
  // Of computed values it is only known whether the predicate ever had an answer.
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
