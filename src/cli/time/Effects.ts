/** The command `hindcast effects`: the events that an event caused, directly or indirectly. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import { common } from "../command/CommonOptions.ts"
import * as LimitOption from "../command/LimitOption.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as ConsequencePage from "../pages/time/ConsequencePage.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import * as PastOptions from "./PastOptions.ts"

const limit = LimitOption.limit("Stop after so many events", 100)

/** `hindcast effects EVENT` */
export const effects = Command.make(
  "effects",
  { ...common, event: PastOptions.moment("event"), limit },
  ({ log, json, event, limit }) =>
    Effect.gen(function* () {
      const travel = yield* TimeTravel
      const found = yield* ProgressLine.during({ verb: "searched", unit: "positions", json }, (onProgress) =>
        travel.effects(event, { limit, onProgress }),
      )
      yield* Output.show(json, found, (style) => ConsequencePage.lines(style, found))
    }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("The events that an event caused, directly or indirectly"))
