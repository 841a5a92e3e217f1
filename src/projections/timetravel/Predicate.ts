/** Predicates over the past: yes-or-no questions about the state and the event at a position. */

import { Data, Either } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Json } from "../../values/Json.ts"
import type { Read } from "../patch/PathPattern.ts"
import type { EnvironmentState } from "../state/EnvironmentState.ts"

/**
 * The input of a predicate: the state and the event at one position. The state may be mutated after the call, so that
 * it must not be kept.
 */
export interface PredicateInput {
  /** The environment after the event. */
  readonly state: EnvironmentState
  /** The event; null at the start of a range, where no event is examined. */
  readonly event: Event | null
  readonly position: number
  /** The value at the watched path; undefined if no path is watched or it has no value. */
  readonly value: Json | undefined
}

/**
 * A predicate. It is pure and quick, because it may be evaluated at every event. See `kernel/rules/Predicate.ts` for
 * predicates written in CEL; a program may pass a function.
 *
 * @example { source: "five tasks", holds: ({ state }) => Object.keys(state.tasks).length >= 5 }
 */
export interface Predicate {
  /** The predicate's text, which messages quote. */
  readonly source: string
  /**
   * Whether it holds. If it throws, the query fails with `PredicateFailed`. A predicate may report the paths for want of
   * which it has no answer, each of which alone would make it false. If it holds at no moment, and at one of them none
   * of these paths had ever existed, the query fails with `PredicatePathNeverExisted`.
   */
  readonly holds: (input: PredicateInput, onMissing?: (reads: ReadonlyArray<Read>) => void) => boolean
  /** The paths (JSON Pointers) that it reads, if it is known to read no other part of the state. */
  readonly reads?: ReadonlyArray<string>
  /**
   * Whether it also reads the event or the position; then it is evaluated per event rather than per state. Default:
   * false.
   */
  readonly mentionsEvent?: boolean
  /** For a predicate that reads the event: the only event types at which it can hold, if that is known. */
  readonly types?: ReadonlyArray<string>
  /** Whether it is known to stay true once it is true. Default: false. */
  readonly monotone?: boolean
}

/** Fix the predicate: it has no answer at this position. */
export class PredicateFailed extends Data.TaggedError("PredicateFailed")<{
  readonly predicate: string
  readonly position: number
  readonly reason: string
}> {
  override get message() {
    return `\`${this.predicate}\` cannot be answered at @${this.position}: ${this.reason}. Expected true or false at every moment it is asked about.`
  }
}

/** Evaluates a predicate. */
export const ask = ({ source, holds }: Predicate, input: PredicateInput): Either.Either<boolean, PredicateFailed> => {
  const failed = (reason: string) =>
    Either.left(new PredicateFailed({ predicate: source, position: input.position, reason }))
  try {
    const answer: unknown = holds(input)
    return typeof answer === "boolean" ? Either.right(answer) : failed(`it gave ${JSON.stringify(answer)}`)
  } catch (cause) {
    return failed(cause instanceof Error ? cause.message : String(cause))
  }
}

/** The paths whose changes can change its answer; the root path if that is not known. */
export const paths = ({ reads, mentionsEvent = false }: Predicate): ReadonlyArray<string> =>
  reads === undefined || mentionsEvent ? [""] : reads
