/** Answers `/api/locate` and `/api/history`. */

import { Effect, Schema, Stream } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import * as TimeSearch from "../../events/read/TimeSearch.ts"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import { defined } from "../../values/defined.ts"
import type { Located, PathHistory } from "../wire/Asking.ts"
import * as Query from "./Query.ts"

export const LocateQuery = Schema.Struct({ moment: Schema.NonEmptyString })

export const locate = ({ moment }: typeof LocateQuery.Type) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { timeline, position, time } = yield* Moment.locate(moment)
    const [event] = position === 0 ? [] : yield* log.readPage({ after: position - 1, until: position }, 1)
    const said = time === undefined ? {} : { said: TimeSearch.describe(time) }
    return { timeline, position, task: event?.taskId ?? null, ...said } satisfies Located
  })

export const HistoryQuery = Schema.Struct({
  timeline: Query.Timeline,
  task: Query.OptionalText,
  path: Schema.String,
})

const MAX_VALUES = 2_000

/** Every value that a path had. Ignores `task`, since the path names the task. */
export const history = ({ timeline, path }: typeof HistoryQuery.Type) =>
  Effect.gen(function* () {
    const travel = yield* TimeTravel
    let values: Array<PathHistory["values"][number]> = []
    let cut = false
    yield* Stream.runForEach(travel.history(path, { until: `${timeline}@now` }), ({ event, value }) =>
      Effect.sync(() => {
        const { position, type, actor } = event
        values.push({ position, type, actor, ...defined({ value }) })
        if (values.length < 2 * MAX_VALUES) return
        values = values.slice(-MAX_VALUES)
        cut = true
      }),
    )
    return { path, values: values.slice(-MAX_VALUES), cut: cut || values.length > MAX_VALUES } satisfies PathHistory
  })
