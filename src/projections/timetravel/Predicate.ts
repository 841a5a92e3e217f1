/** Predicates over the past: yes-or-no questions about the state and the event at a position. */

import { Data, Either } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { at } from "../../values/Formats.ts"
import type { Json } from "../../values/Json.ts"
import type { Read } from "../patch/PathPattern.ts"
import type { EnvironmentState } from "../state/EnvironmentState.ts"

/** The input of a predicate at one position. Do not keep the state: later events may mutate it. */
export interface PredicateInput {
  /** The environment after the event. */
  readonly state: EnvironmentState
  /** The event; null at the start of a range, where no event is examined. */
  readonly event: Event | null
  readonly position: number
  /** The value at the watched path; undefined if no path is watched, or if it has no value. */
  readonly value: Json | undefined
}

/**
 * A predicate. It must be pure and quick, because it may run at every event. `kernel/rules/Predicate.ts` compiles
 * predicates from CEL; a program may pass a function.
 *
 * @example
 * ```ts
 * { source: "five tasks", holds: ({ state }) => Object.keys(state.tasks).length >= 5 }
 * ```
 */
export interface Predicate {
  /** The predicate's text, for messages. */
  readonly source: string
  /**
   * Returns whether the predicate holds. If it throws, the query fails with `PredicateFailed`. The predicate may report
   * the paths that it misses, each of which alone would make it false. The query fails with `PredicatePathNeverExisted`
   * if the predicate holds at no moment, and one report names only paths that never existed.
   */
  readonly holds: (input: PredicateInput, onMissing?: (reads: ReadonlyArray<Read>) => void) => boolean
  /** JSON Pointers of the only parts of the state that it reads, if they are known. */
  readonly reads?: ReadonlyArray<string>
  /**
   * Whether it reads the event or the position, and so must be evaluated at each event instead of at each state.
   * Default: false.
   */
  readonly mentionsEvent?: boolean
  /** For a predicate that reads the event: the only types of events at which it can hold, if they are known. */
  readonly types?: ReadonlyArray<string>
  /** Whether it is known to stay true once it is true. Default: false. */
  readonly monotone?: boolean
}

/** The predicate threw, or returned a value that is not a boolean. */
export class PredicateFailed extends Data.TaggedError("PredicateFailed")<{
  readonly predicate: string
  readonly position: number
  readonly reason: string
}> {
  override get message() {
    return `\`${this.predicate}\` failed at ${at(this.position)}: ${this.reason}. Expected true or false at every moment of the range.`
  }
}

export const ask = ({ source, holds }: Predicate, input: PredicateInput): Either.Either<boolean, PredicateFailed> => {
  const failed = (reason: string) =>
    Either.left(new PredicateFailed({ predicate: source, position: input.position, reason }))
  try {
    const answer: unknown = holds(input)
    return typeof answer === "boolean" ? Either.right(answer) : failed(`it returned ${JSON.stringify(answer)}`)
  } catch (cause) {
    return failed(cause instanceof Error ? cause.message : String(cause))
  }
}

/** The paths whose changes can change the answer; the root if they are unknown. */
export const paths = ({ reads, mentionsEvent = false }: Predicate): ReadonlyArray<string> =>
  reads === undefined || mentionsEvent ? [""] : reads
