/** Policies of an actuator: how its commands are ordered, tried again, cached and shown. Tools of a program share them. */

import { Schema } from "effect"
import { optional } from "../../../events/vocabulary/EventType.ts"

/** Maximum number of retries of a command. */
const MOST_RETRIES = 10

/** Longest wait before a first retry, in milliseconds: 10 minutes. */
const LONGEST_WAIT_MS = 600_000

/** Shortest limit of a result, in bytes: less shows nothing useful. */
const SHORTEST_RESULT = 64

/** How often a command that failed is tried again. */
export const Retry = Schema.Struct({
  times: Schema.Number.pipe(
    Schema.int(),
    Schema.between(1, MOST_RETRIES),
    Schema.annotations({ description: `a whole number of retries, from 1 to ${MOST_RETRIES}` }),
  ),
  waitMs: optional(
    Schema.Number.pipe(
      Schema.between(0, LONGEST_WAIT_MS),
      Schema.annotations({
        description:
          "the wait before the first retry in milliseconds, at most 10 minutes; each further wait is twice as long (default: 1000)",
      }),
    ),
  ),
}).annotations({ identifier: "Retry", description: "an object with times, and waitMs if you choose it" })

/** Retries of a command that failed. */
export interface Retry extends Schema.Schema.Type<typeof Retry> {}

/** Longest result that a model sees at once, in bytes. */
export const MaxResultBytes = Schema.Number.pipe(
  Schema.int(),
  Schema.greaterThanOrEqualTo(SHORTEST_RESULT),
  Schema.annotations({ description: `a whole number of bytes, at least ${SHORTEST_RESULT}` }),
)

/** A time in milliseconds for which a result may be used again. */
export const CacheFor = Schema.Positive.pipe(Schema.annotations({ description: "a number of milliseconds above 0" }))

/** The policies in a manifest. */
export const policyFields = {
  sequential: optional(
    Schema.Boolean.annotations({ description: "whether its commands in one task never run at the same time" }),
  ),
  idempotencyKey: optional(
    Schema.Boolean.annotations({
      description: "whether repeating a command with the same context.commandId has no further effect",
    }),
  ),
  retry: optional(Retry),
  maxResultBytes: optional(MaxResultBytes),
  cacheFor: optional(CacheFor),
} as const

/** Policies that contradict each other. */
export interface Contradiction {
  readonly field: "sequential" | "retry"
  readonly expected: string
  readonly found: string
}

/**
 * The contradictions in the declaration of an actuator or tool: it cannot be both `sequential` and `concurrent`, and
 * only a command that can be repeated without further effect may be retried.
 *
 * @param field reads a field of the declaration
 */
export const contradictions = (field: (name: string) => unknown): ReadonlyArray<Contradiction> => [
  ...(field("sequential") === true && field("concurrent") === true
    ? [{ field: "sequential", expected: "sequential or concurrent", found: "both" } as const]
    : []),
  ...(field("retry") === undefined || field("idempotent") === true || isKeyed(field("idempotencyKey"))
    ? []
    : [
        {
          field: "retry",
          expected: "retry only beside idempotent: true or an idempotencyKey",
          found: "neither",
        } as const,
      ]),
]

const isKeyed = (key: unknown): boolean => key === true || typeof key === "function"
