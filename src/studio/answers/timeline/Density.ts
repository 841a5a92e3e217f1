/** Answers `/api/density`: how many events of each kind there are along a range of positions. */

import { Data, Effect, Schema } from "effect"
import { StudioLog } from "../../StudioLog.ts"
import type { Density } from "../../wire/Log.ts"
import { isFiltering } from "../../wire/Rows.ts"
import * as Query from "../Query.ts"
import { FILTER } from "./Filter.ts"

const MAX_BINS = 4_000

export const DensityQuery = Schema.Struct({
  timeline: Query.Timeline,
  from: Query.Position,
  to: Query.Position,
  bins: Query.wholeNumber(1, MAX_BINS),
  ...FILTER,
})

export class RangeEmpty extends Data.TaggedError("RangeEmpty")<{ readonly from: number; readonly to: number }> {
  override get message() {
    return `Expected a range of positions whose end is not before its beginning, found @${this.from} to @${this.to}.`
  }
}

export const density = ({ timeline, kind, agent, plugin, ...range }: typeof DensityQuery.Type) =>
  Effect.gen(function* () {
    if (range.to < range.from) return yield* new RangeEmpty(range)
    const studio = yield* StudioLog
    const past = yield* studio.past(timeline)
    const filter = { kind, agent, plugin }
    if (!isFiltering(filter)) {
      const isWhole = studio.index.isComplete()
      return { ...studio.index.density(past.spans, range), isWhole } satisfies Density
    }
    const { events, isWhole } = yield* studio.listed(past)
    return { ...events.density(range, filter), isWhole } satisfies Density
  })
