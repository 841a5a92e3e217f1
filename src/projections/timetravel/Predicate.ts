import { Data, Either } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Json } from "../../values/Json.ts"
import type { EnvironmentState } from "../state/EnvironmentState.ts"

/** What a predicate is asked about: a moment of the past. It is looked at while it is asked, and may not be kept. */
export interface PredicateInput {
  /** The environment after the event. */
  readonly state: EnvironmentState
  /** The event; null where the moment is the start of a range, and no event is looked at. */
  readonly event: Event | null
  readonly position: number
  /** What is at the path that is watched; undefined where none is, or nothing is there. */
  readonly value: Json | undefined
}

/**
 * A question about a moment that is answered with yes or no: pure, and quick, for it may be asked at every event. See
 * `kernel/Predicate.ts` for those that are written in CEL; a program may give a function.
 *
 * @example { source: "five tasks", holds: ({ state }) => Object.keys(state.tasks).length >= 5 }
 */
export interface Predicate {
  /** What it is called in messages: its text. */
  readonly source: string
  /** Whether it holds. It may throw, which fails the question: `PredicateFailed`. */
  readonly holds: (seen: PredicateInput) => boolean
  /** The paths (JSON Pointers) that its answer depends on, if it is known that it looks at no other part of the state. */
  readonly reads?: ReadonlyArray<string>
  /** Whether it looks at the event or the position too: then it is about events, not about states. Default: false. */
  readonly mentionsEvent?: boolean
  /** Of one that looks at the event: the only types of events at which it can hold, where that is known. */
  readonly types?: ReadonlyArray<string>
  /** Whether it is known that it goes on holding once it holds. Default: false, for nobody knows. */
  readonly monotone?: boolean
}

/** Fix the predicate: at this moment it has no answer. */
export class PredicateFailed extends Data.TaggedError("PredicateFailed")<{
  readonly predicate: string
  readonly position: number
  readonly reason: string
}> {
  override get message() {
    return `\`${this.predicate}\` cannot be answered at @${this.position}: ${this.reason}. Expected true or false at every moment it is asked about.`
  }
}

/** Asks a predicate. */
export const ask = ({ source, holds }: Predicate, seen: PredicateInput): Either.Either<boolean, PredicateFailed> => {
  const failed = (reason: string) =>
    Either.left(new PredicateFailed({ predicate: source, position: seen.position, reason }))
  try {
    const answer: unknown = holds(seen)
    return typeof answer === "boolean" ? Either.right(answer) : failed(`it gave ${JSON.stringify(answer)}`)
  } catch (cause) {
    return failed(cause instanceof Error ? cause.message : String(cause))
  }
}

/** The events on which its answers depend: those that can change what it reads. */
export const paths = ({ reads, mentionsEvent = false }: Predicate): ReadonlyArray<string> =>
  reads === undefined || mentionsEvent ? [""] : reads
