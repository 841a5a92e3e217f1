/** The commands `hindcast score …` and `hindcast compare`. */
import * as path from "node:path"
import { Command, Options } from "@effect/cli"
import { Data, Effect, Option, Stream } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as ComparisonHtml from "../../html/ComparisonHtml.ts"
import { Scoring } from "../../kernel/scoring/Scoring.ts"
import * as Staleness from "../../kernel/scoring/Staleness.ts"
import { VERSION } from "../../kernel/versions.ts"
import { userAsActor } from "../../platform/user/Machine.ts"
import * as Comparison from "../../projections/comparison/Comparison.ts"
import * as ModelSides from "../../projections/comparison/ModelSides.ts"
import * as SetScores from "../../projections/comparison/SetScores.ts"
import * as SetSummary from "../../projections/comparison/SetSummary.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as PluginRegistry from "../../projections/state/PluginRegistry.ts"
import * as ScoreSets from "../../projections/state/ScoreSets.ts"
import * as TaskList from "../../projections/state/TaskList.ts"
import { oneLine } from "../../values/PlainText.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { argument, common, flag, number, oneOf, text, wholeNumber } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as TimelineOption from "../command/TimelineOption.ts"
import * as OutputFile from "../export/OutputFile.ts"
import * as OutputFormat from "../export/OutputFormat.ts"
import * as ComparisonPage from "../pages/scores/ComparisonPage.ts"
import * as ModelSidesPage from "../pages/scores/ModelSidesPage.ts"
import * as ScoreSetPage from "../pages/scores/ScoreSetPage.ts"
import * as ScoreSetTable from "../pages/scores/ScoreSetTable.ts"
import type { Style } from "../terminal/Style.ts"
import { at, size } from "../terminal/Text.ts"
import * as ComparedSides from "./ComparedSides.ts"

export const ls = Command.make(
  "ls",
  {
    ...common,
    all: flag("all", "One line for each score set, including the live set of each task"),
    timeline: TimelineOption.timeline,
  },
  ({ log, json, all, timeline }) =>
    Effect.gen(function* () {
      const known = yield* (yield* Projector).current(ScoreSets.projection)
      const list = yield* listed(known, Object.keys(known.sets))
      yield* Output.show(json, { scoreSets: list }, (style) =>
        ScoreSetTable.lines(style, list, { all, where: TimelineOption.where(timeline) }),
      )
    }).pipe(TimelineOption.provide(timeline), Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("List the score sets, which pointers name them, and which are stale or unfinished"))

const listed = ({ sets, rubrics, pointers }: ScoreSets.ScoreSets, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const registry = yield* (yield* Projector).current(PluginRegistry.projection)
    return ids.flatMap((scoreSetId): ReadonlyArray<ScoreSetTable.ScoreSetRow> => {
      const set = sets[scoreSetId]
      if (set === undefined) return []
      const { label, rubricDigest, critic, range, finished, startedAt, by } = set
      return [
        {
          scoreSetId,
          label,
          rubric: String(rubrics[rubricDigest]?.name ?? ""),
          rubricDigest,
          critic,
          range,
          stale: Staleness.reasons(set, rubrics, registry),
          tasks: set.taskIds.length,
          finished,
          startedAt,
          by,
          pointers: Object.keys(pointers).filter((pointer) => pointers[pointer] === scoreSetId),
        },
      ]
    })
  })

const showOptions = { ...common, set: argument("set", ComparedSides.SCORE_SET_HELP), timeline: TimelineOption.timeline }

export const show = Command.make("show", showOptions, ({ log, json, set, timeline }) =>
  Effect.gen(function* () {
    const { scoreSetIds } = yield* SetScores.resolve(set)
    const known = yield* (yield* Projector).current(ScoreSets.projection)
    const summary = yield* SetSummary.load(known, scoreSetIds)
    const shown = { scoreSets: yield* listed(known, scoreSetIds), ...summary }
    yield* Output.show(json, shown, (style) => ScoreSetPage.lines(style, shown))
  }).pipe(TimelineOption.provide(timeline), Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("Show a scoring's totals over all of its tasks, by measure, reward and punishment"))

/** The name refers to several score sets, but a pointer names only one. */
export class SeveralScoreSets extends Data.TaggedError("SeveralScoreSets")<{
  readonly name: string
  readonly scoreSetIds: ReadonlyArray<string>
}> {
  override get message() {
    const { length } = this.scoreSetIds
    const listed = this.scoreSetIds.slice(-MAX_IDS).map((id) => `\n  ${id}`)
    const others =
      length > MAX_IDS ? `\n  and ${length - MAX_IDS} earlier ones, which \`hindcast score ls --all\` lists` : ""
    return `set: expected one score set, found that "${this.name}" stands for ${length}; use the end of its id:${listed.join("")}${others}`
  }
}

const MAX_IDS = 10

export const promote = Command.make(
  "promote",
  {
    ...common,
    pointer: argument("pointer", "A name of your choice: `official`, `baseline`"),
    set: argument("set", ComparedSides.SCORE_SET_HELP),
  },
  ({ log, json, pointer, set }) =>
    Effect.gen(function* () {
      const { scoreSetIds } = yield* SetScores.load(set)
      if (scoreSetIds.length > 1) return yield* new SeveralScoreSets({ name: set, scoreSetIds })
      const event = yield* (yield* Scoring).promote({ pointer, scoreSetIds, actor: userAsActor() })
      yield* Output.show(json, event, (style) => [
        `${style.name(oneLine(pointer))} is ${String(event.payload.scoreSetId)} from ${at(event.position)} on.`,
      ])
    }).pipe(Effect.provide(OpenLog.forWriting(log))),
).pipe(Command.withDescription("Point a name such as `official` to a score set; nothing else changes"))

const CLUSTERS = ["goal", "agent"] as const

const writePage = (compared: Comparison.Comparison, target: OutputFile.Target, models?: ModelSides.ModelSides) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { position } = yield* log.head
    const source = { log: path.basename(log.name), head: position, by: `Hindcast ${VERSION}` }
    const chunks = Stream.fromIterable(ComparisonHtml.pieces(compared, source, models))
    return yield* OutputFile.writeAll({ ...target, log: log.name }, chunks)
  })

export const compare = Command.make(
  "compare",
  {
    ...common,
    ...ComparedSides.options,
    by: oneOf("by", ["net", "normalized"]).pipe(
      Options.withDescription("Which value of a score to compare; `normalized` is net / possible. Default: net"),
      Options.withDefault("net"),
    ),
    cluster: oneOf("cluster", CLUSTERS).pipe(
      Options.withDescription(
        "Treat tasks that have this in common as dependent. Default: tasks are independent, except those that two models had more than once",
      ),
      Options.optional,
    ),
    passAbove: number("pass-above").pipe(
      Options.withDescription("A task passes with more than this. Default: 0"),
      Options.withDefault(0),
    ),
    seed: wholeNumber("seed", 0).pipe(
      Options.withDescription("Seed of the resampling. Default: 1"),
      Options.withDefault(1),
    ),
    html: text("html", "Also write an HTML page with charts; - is the standard output").pipe(
      Options.withPseudoName("file"),
      Options.optional,
    ),
    force: flag("force", "Replace the page's file if it exists"),
    decrypt: OpenLog.decrypt,
    timeline: TimelineOption.timeline,
  },
  ({ log, json, by, cluster, passAbove, seed, html, force, decrypt, timeline, ...given }) =>
    Effect.gen(function* () {
      const asked = yield* ComparedSides.asked(given)
      if (Option.isSome(html)) yield* OutputFormat.check("--html", html.value, "html")
      // Goals decide which tasks belong together, so read them with the keys. The output never contains them.
      const readable = <A, E>(read: (log: EventLog.Service) => Effect.Effect<A, E>) =>
        Effect.flatMap(EventLog, read).pipe(TimelineOption.provide(timeline), Effect.provide(OpenLog.forEvents(log)))
      const tasks = yield* readable(TaskList.standings)
      const { a, b, ...sides } = yield* ComparedSides.load(asked, readable(ModelSides.tasksOf))
      const compared = yield* Comparison.compare(a, b, {
        value: by,
        passAbove,
        seed,
        groupOf: ComparedSides.groupOf(
          sides,
          Option.match(cluster, {
            onNone: () => undefined,
            onSome: (family) => (taskId: string) => SafeRecord.get(tasks, taskId)?.[family] ?? taskId,
          }),
        ),
      })
      const shown = sides.models === null ? compared : { ...compared, scoring: sides.scoring, models: sides.models }
      const lines = (style: Style) =>
        sides.models === null
          ? ComparisonPage.lines(style, compared)
          : ModelSidesPage.around(style, sides.scoring, sides.models, ComparisonPage.lines(style, compared))
      if (Option.isNone(html)) return yield* Output.show(json, shown, lines)
      const written = yield* writePage(compared, { file: html.value, force }, sides.models ?? undefined)
      if (html.value === "-") return
      yield* Output.show(json, { ...shown, html: written }, (style) => [
        ...lines(style),
        `Written as a page to ${written.file} (${size(written.bytes)}).`,
      ])
    }).pipe(TimelineOption.provide(timeline), Effect.provide(OpenLog.forSharing(log, { decrypted: decrypt }))),
).pipe(Command.withDescription("Compare two scorings of the same tasks, task by task, or two models on the same tasks"))
