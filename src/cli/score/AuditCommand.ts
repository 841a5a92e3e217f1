/** The command `hindcast audit`: the audit of one task, a table of many tasks, or the trend of their scores. */
import { Args, Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import { Records } from "../../events/read/Records.ts"
import type { CoreName } from "../../events/vocabulary/Vocabulary.ts"
import * as TaskPresent from "../../kernel/recovery/TaskPresent.ts"
import * as Chosen from "../../kernel/scoring/TaskSelection.ts"
import * as Rewards from "../../projections/audit/Rewards.ts"
import * as TaskAudit from "../../projections/audit/TaskAudit.ts"
import * as CollectiveAudit from "../../projections/collective/CollectiveAudit.ts"
import * as AuditTable from "../../projections/comparison/AuditTable.ts"
import * as SetScores from "../../projections/comparison/SetScores.ts"
import * as Trend from "../../projections/comparison/Trend.ts"
import * as Projection from "../../projections/fold/Projection.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as CountingScore from "../../projections/report/CountingScore.ts"
import * as TaskScores from "../../projections/report/TaskScores.ts"
import * as ScoreSets from "../../projections/state/ScoreSets.ts"
import * as TaskList from "../../projections/state/TaskList.ts"
import * as Tasks from "../../projections/state/Tasks.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { adviceOf, BadInput } from "../command/BadInput.ts"
import {
  argument,
  common,
  flag,
  isGiven,
  oneOf,
  optionalText,
  repeatedText,
  TASK,
  text,
  wholeNumber,
} from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as TimelineOption from "../command/TimelineOption.ts"
import * as AuditMarkdown from "../pages/audit/AuditMarkdown.ts"
import * as AuditPage from "../pages/audit/AuditPage.ts"
import * as AuditTablePage from "../pages/audit/AuditTablePage.ts"
import * as TrendPage from "../pages/scores/TrendPage.ts"
import * as AuditParts from "../parts/AuditParts.ts"
import * as PartOption from "../parts/PartOption.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import * as V8Tuning from "../terminal/V8Tuning.ts"
import * as AuditMode from "./AuditMode.ts"
import * as AuditTree from "./AuditTree.ts"
import * as TaskSelection from "./TaskSelection.ts"

const options = {
  all: flag("all", "All tasks, or those selected, as a table"),
  trend: flag("trend", "Whether later tasks score higher than earlier ones, agent by agent"),
  markdown: flag("markdown", "Write Markdown: for a pull request, or a file"),
  tree: flag(
    "tree",
    "With a task: what it and the tasks that its agents started did together, with outcomes, costs and rewards",
  ),
  collective: flag(
    "collective",
    "With a task of several agents: who spoke to whom, who acted differently after hearing whom, and rewards and cooperation over time",
  ),
  cooperative: repeatedText(
    "cooperative",
    "With --collective: an action that counts as cooperation, such as `prisoners-dilemma/step 0`",
  ),
  scores: optionalText(
    "scores",
    "With --all, --trend: a pointer, a score set's id or the end of it, or a label. Default: official, else live, else the newest",
  ),
  sort: text("sort", "With --all: the column to sort by, such as `score:desc`. Rows without a value come last").pipe(
    Options.withPseudoName("column[:desc]"),
    Options.optional,
  ),
  group: oneOf("group", AuditTable.GROUPINGS).pipe(
    Options.withDescription("With --all: one line for all tasks that have this in common"),
    Options.optional,
  ),
  parts: PartOption.parts,
  limit: wholeNumber("limit", 1).pipe(Options.withDescription("With --all: at most this many lines"), Options.optional),
  measure: optionalText("measure", "With --trend: only this measure, `plugin/measure`. Default: all measures"),
  by: oneOf("by", ["net", "normalized"]).pipe(
    Options.withDescription("With --trend: which value of a score; `normalized` is net / possible. Default: net"),
    Options.optional,
  ),
}

export const audit = Command.make(
  "audit",
  {
    ...common,
    ...options,
    ...TaskSelection.options,
    timeline: TimelineOption.timeline,
    name: argument("task", TASK).pipe(Args.optional),
  },
  (given) =>
    // Reject contradictory options before opening the log.
    Effect.flatMap(AuditMode.of(given), (mode) =>
      (mode._tag === "One" && given.tree
        ? AuditTree.show(mode.task, given)
        : TimelineOption.provide(given.timeline)(runMode(mode, given))
      ).pipe(Effect.provide(OpenLog.forEvents(given.log))),
    ),
).pipe(
  Command.withDescription("The audit of one task or of many: readings, commands, confirmations, changes and scores"),
)

type Given = AuditMode.AuditInput & { readonly log: Option.Option<string> }

const runMode = (mode: AuditMode.Mode, given: Given) =>
  Effect.gen(function* () {
    if (mode._tag === "One") return yield* one(mode.task, given)
    yield* V8Tuning.disablePretenuring
    return yield* mode._tag === "All" ? all(given) : trend(given)
  })

const one = (text: string, { json, markdown, collective, cooperative }: Given) =>
  Effect.gen(function* () {
    const taskId = yield* Ids.task(text)
    if (collective) return yield* together(taskId, { json, markdown, cooperative })
    const document = yield* TaskAudit.load(taskId)
    if (json) return yield* Output.show(true, document, () => [])
    const times = yield* Rewards.times(document)
    if (markdown) return yield* Output.showDocument(false, document, AuditMarkdown.lines(document, times))
    return yield* Output.show(false, document, (style) => AuditPage.lines(style, document, times))
  })

const together = (taskId: string, { json, markdown, cooperative }: Pick<Given, "json" | "markdown" | "cooperative">) =>
  Effect.gen(function* () {
    const given = cooperative.length === 0 ? {} : { cooperative }
    const found = yield* CollectiveAudit.load(taskId, given).pipe(
      Effect.catchTags({
        OfOneAgent: ({ found }) =>
          new BadInput({ input: "--collective", expected: "a task with several agents", found }),
        NoSuchAction: ({ action, known, expected }) =>
          new BadInput({ input: "--cooperative", expected, found: `"${action}"`, ...adviceOf(action, known) }),
      }),
    )
    if (markdown) return yield* Output.showDocument(json, found, AuditMarkdown.collective(found))
    return yield* Output.show(json, found, (style) => AuditPage.collective(style, found))
  })

const all = (given: Given) =>
  Effect.gen(function* () {
    const { json, markdown, group } = given
    const sort = yield* AuditMode.sorting(given)
    const { openedAt, chosen } = yield* isSelecting(given) ? selectedTasks(given) : listed(given)
    const { scores, setsOf, isScored } = yield* scoresOf(given, chosen)
    const rows: Array<AuditTable.Row> = []
    // In order of opening, the first tasks are known without reading the others.
    const first = Option.isNone(given.sort) && Option.isNone(group) ? firstOf(openedAt, chosen, given.limit) : chosen
    yield* ProgressLine.during({ verb: "read", unit: "events", json }, (onProgress) =>
      AuditParts.forEach((audit) => rows.push(AuditTable.rowOf(audit, setsOf(audit))), first, { ...given, onProgress }),
    )
    const unscored =
      first.length === chosen.length
        ? rows.filter(({ score }) => score === null).length
        : chosen.filter((taskId) => !isScored(taskId)).length
    const named = scores === null ? null : { name: scores.name, label: scores.label }
    const width = Output.columnsOf(process.stdout)
    const inOrder = AuditTable.sorted(rows, ({ from }) => from)
    const shownOf = <Item>(items: ReadonlyArray<Item>) => {
      const kept = Option.match(given.limit, { onNone: () => items, onSome: (limit) => items.slice(0, limit) })
      const left = items.length - kept.length + chosen.length - first.length
      const where = TimelineOption.where(given.timeline)
      return { kept, shown: { scores: named, tasks: chosen.length, unscored, left, where } }
    }
    const { timeline } = yield* EventLog
    if (Option.isSome(group)) {
      const standing = yield* TaskPresent.ofRows(inOrder, () => timeline)
      const groups = AuditTable.group(standing, group.value)
      if (groups.length === 0 && rows.length > 0) {
        return yield* new AuditTable.NothingGrouped({ by: group.value, among: rows.length })
      }
      const ungrouped = standing.filter((row) => AuditTable.groupsOf(row, group.value).length === 0).length
      const { kept, shown: table } = shownOf(sort.groups(groups))
      const shown = { ...table, ungrouped }
      const document = { scores, group: group.value, tasks: rows.length, unscored, ungrouped, groups: kept }
      if (markdown)
        return yield* Output.showDocument(json, document, AuditTablePage.groupsMarkdown(shown, group.value, kept))
      return yield* Output.show(json, document, (style) =>
        AuditTablePage.groups(style, shown, group.value, kept, width),
      )
    }
    const { kept: audited, shown } = shownOf(sort.rows(inOrder))
    const kept = yield* TaskPresent.ofRows(audited, () => timeline)
    const document = { scores, tasks: chosen.length, unscored, rows: kept }
    if (markdown) return yield* Output.showDocument(json, document, AuditTablePage.rowsMarkdown(shown, kept))
    return yield* Output.show(json, document, (style) =>
      AuditTablePage.rows(style, shown, kept, [...openedAt.keys()], width),
    )
  })

const firstOf = (
  openedAt: ReadonlyMap<string, number>,
  chosen: ReadonlyArray<string>,
  limit: Option.Option<number>,
): ReadonlyArray<string> =>
  Option.match(limit, {
    onNone: () => chosen,
    onSome: (most) => AuditTable.sorted(chosen, (taskId) => openedAt.get(taskId) ?? null).slice(0, most),
  })

const trend = (given: Given) =>
  Effect.gen(function* () {
    const { json, markdown, measure, by, agent } = given
    const { known, chosen } = yield* selected(given)
    const scoring = yield* SetScores.load(Option.getOrUndefined(given.scores) ?? (yield* trendScoring))
    const tasks = chosen.flatMap((taskId) => {
      const task = known[taskId]
      return task === undefined ? [] : [{ taskId, ...task }]
    })
    const found = yield* Trend.trend(tasks, scoring, {
      ...Option.match(by, { onNone: () => ({}), onSome: (value) => ({ value }) }),
      ...Option.match(measure, { onNone: () => ({}), onSome: (measure) => ({ measure }) }),
      // An agent named without a version includes all its versions.
      agentOf: (task) => agent.find((name) => task.agent !== name && nameOf(task.agent) === name) ?? task.agent,
    })
    if (markdown) return yield* Output.showDocument(json, found, TrendPage.markdown(found))
    yield* Output.show(json, found, (style) =>
      TrendPage.lines(style, found, Output.columnsOf(process.stdout, DEFAULT_COLUMNS)),
    )
  })

const DEFAULT_COLUMNS = 80

const nameOf = (agent: string): string => agent.split("@")[0] ?? agent

/** All tasks, or the named ones, if no option asks about their contents. Reads no payloads. */
const listed = (given: Given) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const openedAt = yield* TaskList.openings(log, yield* Records)
    const named = yield* TaskSelection.named(given.task, [...openedAt.keys()])
    return { openedAt, chosen: named.length === 0 ? [...openedAt.keys()] : named }
  })

const selectedTasks = (given: Given) =>
  Effect.map(selected(given, typesFor(given)), ({ known, chosen }) => ({
    openedAt: new Map(Object.entries(known).map(([id, { from }]) => [id, from])),
    chosen,
  }))

const isSelecting = ({ agent, plugin, outcome, since, until, where }: Given): boolean =>
  [agent, plugin, outcome, since, until, where].some(isGiven)

const selected = (given: TaskSelection.TaskSelectionInput, types: ReadonlyArray<CoreName> = TASKS) =>
  Effect.gen(function* () {
    const known = yield* tasksOf(types)
    const { tasks = Object.keys(known), ...selection } = yield* TaskSelection.selectedAmong(given, known)
    const chosen = tasks.length === 0 ? [] : yield* Chosen.of(yield* EventLog, known, { tasks, ...selection })
    return { known, chosen }
  })

/**
 * All tasks, folded from these event types only. An open task's `to` is its last command, and its steps are its
 * commands.
 */
const tasksOf = (types: ReadonlyArray<CoreName>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const builder = Projection.begin(Tasks.projection, Tasks.projection.initial)
    yield* Pages.forEach(log.readPage, { timeline: log.timeline, types }, (page) =>
      Projection.applyAll(Tasks.projection, builder, page),
    )
    return builder.state()
  })

/** The event types that the selection of tasks needs. The rows themselves come from audits. */
const typesFor = (given: Given): ReadonlyArray<CoreName> => {
  if (Option.isSome(given.where)) return TASKS
  const { agent, outcome, since, until } = given
  return [agent, outcome, since, until].some(isGiven) ? WITHOUT_STEPS : OPENINGS
}

const OPENINGS: ReadonlyArray<CoreName> = ["TaskOpened"]
const WITHOUT_STEPS: ReadonlyArray<CoreName> = [...OPENINGS, "TaskResumed", "TimelineForked", "TaskClosed"]
const TASKS: ReadonlyArray<CoreName> = [...WITHOUT_STEPS, "ActuatorCommanded"]

/** The scores of `--scores`, else those that count for the tasks. `scores` is null if there are none. */
const scoresOf = ({ scores }: Given, tasks: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const known = yield* knownSets
    if (Option.isSome(scores)) {
      const named = yield* SetScores.resolve(scores.value)
      const sets = new Set(named.scoreSetIds)
      return {
        scores: named,
        setsOf: () => sets,
        isScored: (taskId: string) => TaskScores.setsOf(known, taskId).some(({ set }) => sets.has(set)),
      }
    }
    const choice = yield* SetScores.choiceIn(known, undefined)
    const chosen = tasks.flatMap((taskId) => TaskScores.of(known, taskId, choice) ?? [])
    return {
      scores: chosen.length === 0 ? null : namedAfter(chosen, SafeRecord.get(known.pointers, CountingScore.OFFICIAL)),
      setsOf: ({ scores: all }: TaskAudit.TaskAudit) => new Set([choice.pick(all)?.scoreSetId ?? ""]),
      isScored: (taskId: string) => TaskScores.of(known, taskId, choice) !== null,
    }
  })

/** Names the scores that count: `official`, `live`, or several after each other. */
const namedAfter = (chosen: ReadonlyArray<TaskScores.TaskScore>, official: string | undefined) => {
  const names = new Set(chosen.map(({ set, label }) => (set === official ? CountingScore.OFFICIAL : label)))
  return {
    name: [...names].join(", "),
    label: [...new Set(chosen.map(({ label }) => label))].join(", "),
    scoreSetIds: [...new Set(chosen.map(({ set }) => set))],
  }
}

/** The scoring of a trend, which needs one: official, else live, else the newest. */
const trendScoring = Effect.map(
  Effect.suspend(() => knownSets),
  ({ sets, pointers }) => {
    if (Object.hasOwn(pointers, CountingScore.OFFICIAL)) return CountingScore.OFFICIAL
    const labels = Object.values(sets).flatMap(({ finished, label }) => (finished ? [label] : []))
    return labels.includes(CountingScore.LIVE) ? CountingScore.LIVE : (labels.at(-1) ?? CountingScore.LIVE)
  },
)

const knownSets = Effect.flatMap(Projector, (projector) => projector.current(ScoreSets.projection))
