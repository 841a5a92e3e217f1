/** Answers `/api/rows`: the rows of all events of a timeline, filtered and folded. */

import { Effect, Schema } from "effect"
import type { Event } from "../../../events/vocabulary/Event.ts"
import type { TimelineHistory } from "../../../projections/timetravel/TimelineHistory.ts"
import * as Entries from "../../course/Entries.ts"
import { StudioLog } from "../../StudioLog.ts"
import { MOST_TURNED, ROWS, type RowOfTimeline, type TimelineRows } from "../../wire/Rows.ts"
import * as Query from "../Query.ts"
import { FILTER } from "./Filter.ts"

const Place = Query.wholeNumber(0, Number.MAX_SAFE_INTEGER)

const Turned = Schema.split(",").pipe(Schema.compose(Schema.Array(Query.Position).pipe(Schema.maxItems(MOST_TURNED))))

export const RowsQuery = Schema.Struct({
  timeline: Query.Timeline,
  ...FILTER,
  folded: Schema.optionalWith(Schema.Literal("true", "false"), { default: () => "false" as const }),
  turned: Schema.optionalWith(Turned, { default: () => [] }),
  row: Schema.optionalWith(Place, { exact: true }),
  at: Schema.optionalWith(Place, { exact: true }),
}).pipe(
  Schema.filter(({ row, at }) =>
    (row === undefined) === (at === undefined) ? "expected one of row and at" : undefined,
  ),
)

export const rows = ({ timeline, folded, turned, row, at = 0, ...filter }: typeof RowsQuery.Type) =>
  Effect.gen(function* () {
    const studio = yield* StudioLog
    const past = yield* studio.past(timeline)
    const { events, isWhole } = yield* studio.listed(past)
    const { length, hidden, indexAt, rowOf } = events.rows({
      ...filter,
      folded: folded === "true",
      turned: new Set(turned),
    })
    const wanted = Math.min(row ?? Math.max(0, rowOf(at)), Math.max(0, length - 1))
    const first = wanted - (wanted % ROWS)
    const until = events.last
    const shown = Array.from({ length: Math.min(ROWS, length - first) }, (_, index) => indexAt(first + index))
    const read = yield* eventsAt(
      past,
      shown.map((index) => events.positionAt(index)),
    )
    const rows: Array<RowOfTimeline> = []
    for (const index of shown) {
      const [position, call, task] = [events.positionAt(index), events.callAt(index), events.taskAt(index)]
      const event = read.get(position)
      // Its segment has been taken away since.
      if (event === undefined) continue
      const span = call === 0 || task === undefined ? undefined : (yield* studio.spans(past, task)).callFrom(call)
      const isPart = span !== undefined && call !== position
      rows.push({ position, brief: Entries.brief(event), call: span ?? null, isPart })
    }
    const { kinds, agents, plugins } = events
    return { length, hidden, until, isWhole, first, rows, kinds, agents, plugins } satisfies TimelineRows
  })

/** Distance between two positions up to which one read fetches both. */
const NEAR = 50

/** The events at ordered positions, in few reads. */
const eventsAt = (past: TimelineHistory, positions: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const found = new Map<number, Event>()
    for (let from = 0; from < positions.length; ) {
      let to = from
      while ((positions[to + 1] ?? Number.POSITIVE_INFINITY) - (positions[to] ?? 0) <= NEAR) to += 1
      const [after, until] = [(positions[from] ?? 1) - 1, positions[to] ?? 0]
      for (const event of yield* past.readPage({ after, until, whole: true }, until - after))
        found.set(event.position, event)
      from = to + 1
    }
    return found
  })
