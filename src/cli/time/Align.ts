import { Args, Command, Options } from "@effect/cli"
import { Effect } from "effect"
import type { Pair } from "../../projections/TimeTravel.ts"
import { TimeTravel } from "../../projections/TimeTravel.ts"
import { common, wholeNumber } from "../CommonOptions.ts"
import * as OpenLog from "../OpenLog.ts"
import * as Output from "../Output.ts"
import * as AlignmentPage from "../render/AlignmentPage.ts"
import * as Run from "./Run.ts"

/** Lines that are shown where nobody says otherwise. */
const LIMIT = 50

const run = (name: string) => Args.text({ name }).pipe(Args.withDescription(Run.RUN))

const task = Options.text("task").pipe(
  Options.withDescription("Of two timelines: only what belongs to this task"),
  Options.optional,
)

const limit = wholeNumber("limit", 1).pipe(
  Options.withDescription(`Show at most so many lines, from the first divergence on. Default: ${LIMIT}`),
  Options.withDefault(LIMIT),
)

/** `hindcast align A B` */
export const align = Command.make(
  "align",
  { ...common, a: run("a"), b: run("b"), task, limit },
  ({ log, json, a, b, task, limit }) =>
    Effect.gen(function* () {
      const [runA, runB] = [yield* Run.named(a, task), yield* Run.named(b, task)]
      const { pairs, divergence, ...aligned } = yield* (yield* TimeTravel).align(runA, runB)
      const diverging = divergence === null ? undefined : pairs[divergence]
      const document = {
        ...{ a: runA, b: runB, ...aligned },
        divergence: diverging === undefined ? null : briefly(diverging),
        pairs: pairs.map(briefly),
      }
      yield* Output.show(json, document, (style) =>
        AlignmentPage.lines(style, { a: runA, b: runB, pairs, divergence, ...aligned }, limit),
      )
    }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(
  Command.withDescription("Two tasks or timelines event by event, matched by what happened: where they part, and how"),
)

/** A pair for programs: the events themselves are in the log. */
const briefly = ({ kind, a, b }: Pair) => ({
  kind,
  a: a?.position ?? null,
  b: b?.position ?? null,
  type: (a ?? b)?.type,
})
