/** The command `hindcast watch`: every event at which a predicate became true. */
import { Args, Command } from "@effect/cli"
import { Effect, Option } from "effect"
import * as Predicate from "../../kernel/rules/Predicate.ts"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import { common } from "../command/CommonOptions.ts"
import * as LimitOption from "../command/LimitOption.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import { when } from "../command/PredicateOption.ts"
import { between, rangeOf } from "../command/RangeOption.ts"
import * as EventLine from "../pages/events/EventLine.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"

const path = Args.text({ name: "path" }).pipe(
  Args.withDescription("A JSON Pointer (RFC 6901) into the environment: ask only when the value there changes"),
  Args.optional,
)

/** `hindcast watch [PATH] --when CEL` */
export const watch = Command.make(
  "watch",
  {
    ...{ ...common, path, when: when("value (what is at the path), state, event and position") },
    ...{ ...between, limit: LimitOption.limit },
  },
  ({ log, json, path, when, since, until, limit }) =>
    Effect.gen(function* () {
      const predicate = yield* Predicate.compile(when, { ofPath: Option.isSome(path) })
      const travel = yield* TimeTravel
      const watched = Option.getOrNull(path)
      const { shown, beyond } = yield* ProgressLine.during(
        { verb: "searched", unit: "positions", json },
        (onProgress) =>
          LimitOption.of(travel.watch(watched, predicate, { ...rangeOf({ since, until }), onProgress }), limit, since),
      )
      const document = { path: watched, predicate: when, events: shown, more: beyond !== undefined }
      yield* Output.show(json, document, (style) =>
        shown.length === 0
          ? ["It never came true in that time."]
          : [...EventLine.lines(style, shown), ...(beyond === undefined ? [] : [style.dim(beyond)])],
      )
    }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("Every event at which something came true: a breakpoint on the past"))
