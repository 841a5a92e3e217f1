/** The command `hindcast history`: every value that a path of the environment has had. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import { common, given } from "../command/CommonOptions.ts"
import * as LimitOption from "../command/LimitOption.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as HistoryPage from "../pages/time/HistoryPage.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import * as PastOptions from "./PastOptions.ts"

export const history = Command.make(
  "history",
  { ...common, path: PastOptions.path, ...PastOptions.range, limit: LimitOption.lastOrFirst("since") },
  ({ log, json, path, limit, ...range }) =>
    Effect.gen(function* () {
      const travel = yield* TimeTravel
      const some = yield* ProgressLine.during({ verb: "searched", unit: "positions", json }, (onProgress) =>
        LimitOption.of(travel.history(path, { ...given(range), onProgress }), limit, range.since),
      )
      const changes = some.shown.map(({ event, before, value }) => ({
        event,
        existed: before !== undefined,
        before: before ?? null,
        exists: value !== undefined,
        value: value ?? null,
      }))
      yield* Output.show(json, { path, turns: changes, more: some.beyond !== undefined }, (style) =>
        LimitOption.lines(style, some, HistoryPage.lines, `Nothing changed at ${path || "the top"} in that time.`),
      )
    }).pipe(Effect.provide(OpenLog.forPast(log))),
).pipe(Command.withDescription("Every value of a part of the environment so far, with its time and event"))
