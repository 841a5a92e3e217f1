/** Projections whose state is one wide record, such as all tasks by their ids. */

import type { Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import type * as SafeRecord from "../../values/SafeRecord.ts"
import { evolveFrom, type Projection, type StateBuilder } from "./Projection.ts"
import { RecordBuilder } from "./RecordBuilder.ts"

/**
 * Makes a projection of one wide record, which is initially empty.
 *
 * @param apply changes the record by an event
 *
 * @example
 * ```ts
 * recordProjection({ name: "Readings", version: 1, state: Readings, apply: (readings, event) => readings.set(…) })
 * ```
 */
export const recordProjection = <Value>({
  name,
  version,
  state,
  apply,
}: {
  readonly name: string
  readonly version: number
  readonly state: Schema.Schema<SafeRecord.SafeRecord<Value>>
  readonly apply: (record: RecordBuilder<Value>, event: Event) => void
}): Projection<SafeRecord.SafeRecord<Value>> => {
  const builder = (from: SafeRecord.SafeRecord<Value>, own: boolean): StateBuilder<SafeRecord.SafeRecord<Value>> => {
    const record = new RecordBuilder(from, own)
    return { apply: (event) => apply(record, event), state: () => record.record(), chunked: () => record.chunked() }
  }
  return { name, version, state, initial: {}, evolve: evolveFrom(builder), builder }
}
