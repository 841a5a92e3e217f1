/** The command `hindcast history`: every value that a path of the environment has had. */
import { Args, Command } from "@effect/cli"
import { Effect } from "effect"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import { common } from "../command/CommonOptions.ts"
import * as LimitOption from "../command/LimitOption.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import { between, rangeOf } from "../command/RangeOption.ts"
import * as HistoryPage from "../pages/time/HistoryPage.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"

const path = Args.text({ name: "path" }).pipe(
  Args.withDescription("A JSON Pointer (RFC 6901) into the environment, such as /tasks/ID/readings/room~1look"),
)

/** `hindcast history PATH` */
export const history = Command.make(
  "history",
  { ...common, path, ...between, limit: LimitOption.limit },
  ({ log, json, path, since, until, limit }) =>
    Effect.gen(function* () {
      const travel = yield* TimeTravel
      const { shown, beyond } = yield* ProgressLine.during(
        { verb: "searched", unit: "positions", json },
        (onProgress) =>
          LimitOption.of(travel.history(path, { ...rangeOf({ since, until }), onProgress }), limit, since),
      )
      const changes = shown.map(({ event, before, value }) => ({
        ...{ event, existed: before !== undefined, before: before ?? null },
        ...{ exists: value !== undefined, value: value ?? null },
      }))
      yield* Output.show(json, { path, turns: changes, more: beyond !== undefined }, (style) =>
        shown.length === 0
          ? [`Nothing changed at ${path || "the top"} in that time.`]
          : [...HistoryPage.lines(style, shown), ...(beyond === undefined ? [] : [style.dim(beyond)])],
      )
    }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("Every value that a part of the environment has had, when, and by which event"))
