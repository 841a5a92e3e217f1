/** The command `hindcast effects`: the events that an event caused, directly or indirectly. */
import { Args, Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import { common, wholeNumber } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import { MOMENT } from "../command/RangeOption.ts"
import * as ConsequencePage from "../pages/time/ConsequencePage.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"

/** Default number of events. */
const LIMIT = 100

const limit = wholeNumber("limit", 1).pipe(
  Options.withDescription(`Stop after so many events. Default: ${LIMIT}`),
  Options.withDefault(LIMIT),
)

/** `hindcast effects EVENT` */
export const effects = Command.make(
  "effects",
  { ...common, event: Args.text({ name: "event" }).pipe(Args.withDescription(MOMENT)), limit },
  ({ log, json, event, limit }) =>
    Effect.gen(function* () {
      const travel = yield* TimeTravel
      const found = yield* ProgressLine.during({ verb: "searched", unit: "positions", json }, (onProgress) =>
        travel.effects(event, { limit, onProgress }),
      )
      yield* Output.show(json, found, (style) => ConsequencePage.lines(style, found))
    }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("What came of an event, and of that, and so on"))
