/** The command `hindcast watch`: every event at which a predicate became true. */
import { Args, Command } from "@effect/cli"
import { Effect, Option } from "effect"
import * as Predicate from "../../kernel/rules/Predicate.ts"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import { argument, common, given } from "../command/CommonOptions.ts"
import * as LimitOption from "../command/LimitOption.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as EventLine from "../pages/events/EventLine.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import * as PastOptions from "./PastOptions.ts"

const path = argument(
  "path",
  "A JSON Pointer (RFC 6901) into the environment: evaluate only when the value there changes",
).pipe(Args.optional)

export const watch = Command.make(
  "watch",
  {
    ...common,
    path,
    when: PastOptions.when("value (the value at the path), state, event and position"),
    ...PastOptions.range,
    limit: LimitOption.lastOrFirst("since"),
  },
  ({ log, json, path, when, limit, ...range }) =>
    Effect.gen(function* () {
      const predicate = yield* Predicate.compile(when, { ofPath: Option.isSome(path) })
      const travel = yield* TimeTravel
      const watched = Option.getOrNull(path)
      const some = yield* ProgressLine.during({ verb: "searched", unit: "positions", json }, (onProgress) =>
        LimitOption.of(travel.watch(watched, predicate, { ...given(range), onProgress }), limit, range.since),
      )
      const document = { path: watched, predicate: when, events: some.shown, more: some.beyond !== undefined }
      yield* Output.show(json, document, (style) =>
        LimitOption.lines(style, some, EventLine.lines, "The predicate never became true in that range."),
      )
    }).pipe(Effect.provide(OpenLog.forPast(log))),
).pipe(Command.withDescription("Every event at which a predicate became true: a breakpoint on the past"))
