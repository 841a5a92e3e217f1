/** Notes the rules by which causes and places of events were inferred. Anything without a note was recorded. */

import type { Effects, InferredCause, Placed, Why } from "../../wire/CourseSlice.ts"

interface InferredProps {
  /** Undefined if the cause was recorded. */
  readonly by: InferredCause | undefined
  readonly placed?: ReadonlyArray<Placed> | undefined
}

export const Inferred = ({ by, placed = [] }: InferredProps) => (
  <>
    {by === undefined ? null : (
      <small title={`Inferred: ${by.says}`}>
        inferred by {by.rule}
        {by.from === undefined ? null : (
          <>
            : <bdi>{by.from.map((pointer) => pointer || "all of it").join(", ")}</bdi>
          </>
        )}
      </small>
    )}
    {placed.map(({ what, rule, says }) => (
      <small key={what} title={`Inferred: ${says}`}>
        {PLACES[what]} {rule}
      </small>
    ))}
  </>
)

const PLACES = {
  task: "placed in its task by",
  after: "continuation inferred by",
  retryOf: "retry inferred by",
} as const

/** A sentence for each rule that a chain names. */
export const Rules = ({ of }: { readonly of: Why | Effects }) => {
  const rules = new Map(
    of
      .flatMap((event) => [
        ...(event.inferred === undefined ? [] : [event.inferred]),
        ...("placed" in event ? (event.placed ?? []) : []),
      ])
      .map(({ rule, says }) => [rule, says]),
  )
  if (rules.size === 0) return null
  return (
    <ul class="rules">
      {[...rules].map(([rule, says]) => (
        <li key={rule}>
          Inferred by <b>{rule}</b>: {says}.
        </li>
      ))}
    </ul>
  )
}
