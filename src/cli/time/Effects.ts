import { Args, Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { TimeTravel } from "../../projections/TimeTravel.ts"
import { common, wholeNumber } from "../CommonOptions.ts"
import * as OpenLog from "../OpenLog.ts"
import * as Output from "../Output.ts"
import * as ProgressLine from "../ProgressLine.ts"
import * as ConsequencePage from "../render/ConsequencePage.ts"
import { MOMENT } from "./Between.ts"

/** Events that are shown where nobody says otherwise. */
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
