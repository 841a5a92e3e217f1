import { Args, Command } from "@effect/cli"
import { Effect } from "effect"
import { TimeTravel } from "../../projections/TimeTravel.ts"
import { common } from "../CommonOptions.ts"
import * as OpenLog from "../OpenLog.ts"
import * as Output from "../Output.ts"
import * as ProgressLine from "../ProgressLine.ts"
import * as HistoryPage from "../render/HistoryPage.ts"
import { between, rangeOf } from "./Between.ts"
import * as Some from "./Some.ts"

const path = Args.text({ name: "path" }).pipe(
  Args.withDescription("A JSON Pointer (RFC 6901) into the environment, such as /tasks/ID/readings/room~1look"),
)

/** `hindcast history PATH` */
export const history = Command.make(
  "history",
  { ...common, path, ...between, limit: Some.limit },
  ({ log, json, path, since, until, limit }) =>
    Effect.gen(function* () {
      const travel = yield* TimeTravel
      const { shown, beyond } = yield* ProgressLine.during(
        { verb: "searched", unit: "positions", json },
        (onProgress) => Some.of(travel.history(path, { ...rangeOf({ since, until }), onProgress }), limit, since),
      )
      const turns = shown.map(({ event, before, value }) => ({
        ...{ event, existed: before !== undefined, before: before ?? null },
        ...{ exists: value !== undefined, value: value ?? null },
      }))
      yield* Output.show(json, { path, turns, more: beyond !== undefined }, (style) =>
        shown.length === 0
          ? [`Nothing changed at ${path || "the top"} in that time.`]
          : [...HistoryPage.lines(style, shown), ...(beyond === undefined ? [] : [style.dim(beyond)])],
      )
    }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("Every value that a part of the environment has had, when, and by which event"))
