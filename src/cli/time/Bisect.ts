/** The command `hindcast bisect`: the first moment at which a predicate holds. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import * as Predicate from "../../kernel/rules/Predicate.ts"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import { common, flag, given, MOMENT, optionalText } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as BisectionPage from "../pages/time/BisectionPage.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import * as PastOptions from "./PastOptions.ts"

const from = optionalText("from", "The moment to begin at. Default: before the first event")

const to = optionalText("to", `The moment to end at: ${MOMENT}. Default: now`)

const scan = flag("scan", "Examine every moment: this takes longer, but certainly finds the first")

export const bisect = Command.make(
  "bisect",
  { ...common, when: PastOptions.when('state (such as state.tasks["ID"].open), event and position'), from, to, scan },
  ({ log, json, when, from, to, scan }) =>
    Effect.gen(function* () {
      const predicate = yield* Predicate.compile(when)
      const travel = yield* TimeTravel
      const found = yield* ProgressLine.during({ verb: "searched", unit: "positions", json }, (onProgress) =>
        travel.bisect(predicate, { ...given({ from, to }), scan, onProgress }),
      )
      yield* Output.show(json, found, (style) => BisectionPage.lines(style, found))
    }).pipe(Effect.provide(OpenLog.forPast(log))),
).pipe(Command.withDescription("The first moment at which a predicate holds, and the event that made it true"))
