/** The command `hindcast effects`: the events that an event caused, directly or indirectly. */
import { Command } from "@effect/cli"
import { Effect, Option } from "effect"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import { common, flag, optionalText } from "../command/CommonOptions.ts"
import * as LimitOption from "../command/LimitOption.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as ConsequencePage from "../pages/time/ConsequencePage.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import * as PastOptions from "./PastOptions.ts"

const limit = LimitOption.limit("Stop after this many events", 100)

const timeline = optionalText("timeline", "The timeline to search. Default: that of the event")

const forks = flag("forks", "Also search the forks of this timeline")

export const effects = Command.make(
  "effects",
  { ...common, event: PastOptions.moment("event"), timeline, forks, limit },
  ({ log, json, event, timeline, forks, limit }) =>
    Effect.gen(function* () {
      const travel = yield* TimeTravel
      const found = yield* ProgressLine.during({ verb: "searched", unit: "positions", json }, (onProgress) =>
        travel.effects(event, {
          limit,
          forks,
          onProgress,
          ...(Option.isNone(timeline) ? {} : { timeline: timeline.value }),
        }),
      )
      yield* Output.show(json, found, (style) => ConsequencePage.lines(style, found, forks))
    }).pipe(Effect.provide(OpenLog.forPast(log))),
).pipe(Command.withDescription("The events that an event caused, directly or indirectly"))
