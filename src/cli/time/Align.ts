/** The command `hindcast align`: two tasks or timelines, event by event. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import type { Decision, DecisionSplit, Pair } from "../../projections/timetravel/TimeTravel.ts"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import { argument, common, optionalText } from "../command/CommonOptions.ts"
import * as LimitOption from "../command/LimitOption.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as RunOption from "../command/RunOption.ts"
import * as AlignmentPage from "../pages/time/AlignmentPage.ts"

const run = (name: string) => argument(name, RunOption.RUN)

const task = optionalText("task", "With two timelines: only events of this task")

const limit = LimitOption.limit("Show at most this many lines")

export const align = Command.make(
  "align",
  { ...common, a: run("a"), b: run("b"), task, limit },
  ({ log, json, a, b, task, limit }) =>
    Effect.gen(function* () {
      const [runA, runB] = [yield* RunOption.named(a, task), yield* RunOption.named(b, task)]
      const { pairs, divergence, split, decisions, ...aligned } = yield* (yield* TimeTravel).align(runA, runB)
      const diverging = divergence === null ? undefined : pairs[divergence]
      const document = {
        a: runA,
        b: runB,
        ...aligned,
        decisions: decisionsDocument(decisions),
        divergence: diverging === undefined ? null : pairDocument(diverging),
        pairs: pairs.map(pairDocument),
      }
      yield* Output.show(json, document, (style) =>
        AlignmentPage.lines(style, { a: runA, b: runB, pairs, divergence, split, decisions, ...aligned }, limit),
      )
    }).pipe(Effect.provide(OpenLog.forPast(log))),
).pipe(
  Command.withDescription(
    "Compare two tasks or timelines event by event, matched by their contents: the first decision that differs, and all other differences",
  ),
)

/** The decisions in the JSON output: only the positions of their events. */
const decisionsDocument = ({ same, unreadable, before, worded, split }: DecisionSplit) => ({
  same,
  unreadable,
  before: positionsOf(before),
  worded: positionsOf(worded),
  split: positionsOf(split),
})

const positionsOf = (pair: { readonly a: Decision | null; readonly b: Decision | null } | null) =>
  pair === null ? null : { a: pair.a?.event.position ?? null, b: pair.b?.event.position ?? null }

/** A pair in the JSON output: only the positions of its events. */
const pairDocument = ({ kind, a, b }: Pair) => ({
  kind,
  a: a?.position ?? null,
  b: b?.position ?? null,
  type: (a ?? b)?.type,
})
