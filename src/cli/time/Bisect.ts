/** The command `hindcast bisect`: the first moment at which a predicate holds. */
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import * as Predicate from "../../kernel/rules/Predicate.ts"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import { common } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import { when } from "../command/PredicateOption.ts"
import { MOMENT } from "../command/RangeOption.ts"
import * as BisectionPage from "../pages/time/BisectionPage.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"

const from = Options.text("from").pipe(
  Options.withDescription("Where to begin, a moment. Default: before the first event"),
  Options.optional,
)

const to = Options.text("to").pipe(Options.withDescription(`Where to end: ${MOMENT}. Default: now`), Options.optional)

const scan = Options.boolean("scan").pipe(
  Options.withDescription("Look at every moment: it takes longer, and what it finds is certainly the first"),
)

/** `hindcast bisect --when CEL` */
export const bisect = Command.make(
  "bisect",
  { ...common, when: when('state (such as state.tasks["ID"].open), event and position'), from, to, scan },
  ({ log, json, when, from, to, scan }) =>
    Effect.gen(function* () {
      const predicate = yield* Predicate.compile(when)
      const travel = yield* TimeTravel
      const range = {
        ...(Option.isNone(from) ? {} : { from: from.value }),
        ...(Option.isNone(to) ? {} : { to: to.value }),
      }
      const found = yield* ProgressLine.during({ verb: "searched", unit: "positions", json }, (onProgress) =>
        travel.bisect(predicate, { ...range, scan, onProgress }),
      )
      yield* Output.show(json, found, (style) => BisectionPage.lines(style, found))
    }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("The first moment at which something holds, and the event that made it so"))
