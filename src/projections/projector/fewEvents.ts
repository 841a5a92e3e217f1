/** Folds the events of a query from the beginning, if they are few enough to need no snapshot. */

import { Effect } from "effect"
import type { LogError, Query } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import { applyAll, begin, type Projection } from "../fold/Projection.ts"

/** Maximum number of events, which take about 50 ms. Beyond it, a snapshot of the whole log's state is faster. */
export const MAX_EVENTS = 10_000

/** Returns the state after the events that a query selects; undefined for more than `MAX_EVENTS`. */
export const fold = <S>(
  readPage: Pages.ReadPage,
  query: Query,
  projection: Projection<S>,
): Effect.Effect<S | undefined, LogError> =>
  Effect.gen(function* () {
    const builder = begin(projection, projection.initial)
    let after = query.after ?? 0
    for (let events = 0; events < MAX_EVENTS; events += Pages.PAGE_SIZE) {
      const page = yield* readPage({ ...query, after }, Pages.PAGE_SIZE)
      applyAll(projection, builder, page)
      const last = page.at(-1)
      if (last === undefined || page.length < Pages.PAGE_SIZE) return builder.state()
      after = last.position
    }
    return undefined
  })
