/** The tools `compare` and `align`: two scorings or models, and two tasks event by event. */
import { Effect, Option, Schema } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import * as Comparison from "../../../projections/comparison/Comparison.ts"
import * as ModelSides from "../../../projections/comparison/ModelSides.ts"
import { TimeTravel } from "../../../projections/timetravel/TimeTravel.ts"
import * as RunOption from "../../command/RunOption.ts"
import * as ComparisonPage from "../../pages/scores/ComparisonPage.ts"
import * as ModelSidesPage from "../../pages/scores/ModelSidesPage.ts"
import * as AlignmentPage from "../../pages/time/AlignmentPage.ts"
import * as RunTablePage from "../../pages/time/RunTablePage.ts"
import * as ComparedSides from "../../score/ComparedSides.ts"
import * as Style from "../../terminal/Style.ts"
import * as Align from "../../time/Align.ts"
import * as Answer from "../server/Answer.ts"
import * as Tool from "../server/Tool.ts"

export const compare = Tool.make({
  name: "compare",
  title: "Compare two scorings or two models",
  description:
    "Whether B scores higher than A on the same tasks, with interval and p, then the tasks that changed most. A and B are scorings (a pointer, a label such as live, or a score set's id), or models with models: true.",
  input: Schema.Struct({
    a: Tool.text("The first scoring or model"),
    b: Tool.text("The second one; differences are B minus A"),
    models: Tool.optional(Schema.Boolean.annotations({ description: "A and B are models: provider/model" })),
    skip: Tool.skip,
  }),
  run: ({ a, b, models = false, skip = 0 }) =>
    Effect.gen(function* () {
      const given = { a: Option.none(), b: Option.none(), model: [], scores: Option.none(), anySeed: false }
      const asked: ComparedSides.Asked = models ? { kind: "models", names: [a, b], given } : { kind: "scorings", a, b }
      const sides = yield* ComparedSides.load(asked, Effect.flatMap(EventLog, ModelSides.tasksOf))
      const compared = yield* Comparison.compare(sides.a, sides.b, {
        groupOf: ComparedSides.groupOf(sides, undefined),
      })
      const own = ComparisonPage.lines(Style.plain, compared)
      const lines = sides.models === null ? own : ModelSidesPage.around(Style.plain, sides.scoring, sides.models, own)
      const args = { a, b, ...(models ? { models } : {}) }
      return Answer.page([...lines], skip, { tool: "compare", args })
    }),
})

export const align = Tool.make({
  name: "align",
  title: "Where two tasks diverge",
  description: `Two runs event by event: the first decision that differs, how much they agree, then their differences. A run is ${RunOption.RUN}.`,
  input: Schema.Struct({
    a: Tool.text("The first run"),
    b: Tool.text("The second run"),
    more: Tool.optional(
      Schema.Array(Schema.NonEmptyString).annotations({
        description: "Further tasks: then a table of all with outcome, score, cost and the first decision that differs",
      }),
    ),
    skip: Tool.skip,
  }),
  run: ({ a, b, more = [], skip = 0 }) =>
    Effect.gen(function* () {
      if (more.length > 0) {
        const table = yield* Align.tableOf([a, b, ...more], Option.none(), undefined)
        return Answer.page([...RunTablePage.lines(Style.plain, table)], skip, { tool: "align", args: { a, b, more } })
      }
      const [runA, runB] = [yield* RunOption.named(a, Option.none()), yield* RunOption.named(b, Option.none())]
      const aligned = yield* (yield* TimeTravel).align(runA, runB)
      const lines = AlignmentPage.lines(Style.plain, { ...aligned, a: runA, b: runB }, Number.MAX_SAFE_INTEGER)
      return Answer.page(lines, skip, { tool: "align", args: { a, b } })
    }),
})
