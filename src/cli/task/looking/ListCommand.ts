/** The command `hindcast task ls`. */
import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { EventLog, MAIN } from "../../../events/log/EventLog.ts"
import * as AnnotationList from "../../../projections/annotations/AnnotationList.ts"
import * as Annotations from "../../../projections/annotations/Annotations.ts"
import * as OwnWork from "../../../projections/state/files/OwnWork.ts"
import * as Activity from "../../../projections/summary/Activity.ts"
import * as Outcome from "../../../projections/summary/Outcome.ts"
import { NothingListed } from "../../command/BadInput.ts"
import { common, flag, repeatedText, someOf } from "../../command/CommonOptions.ts"
import * as LimitOption from "../../command/LimitOption.ts"
import * as OpenLog from "../../command/OpenLog.ts"
import * as Output from "../../command/Output.ts"
import * as ScoreOption from "../../export/ScoreOption.ts"
import * as TaskListPage from "../../pages/audit/TaskListPage.ts"
import * as ListedTasks from "./ListedTasks.ts"
import * as ShownTasks from "./ShownTasks.ts"
import * as TaskTrees from "./TaskTrees.ts"

const listOptions = {
  ...common,
  limit: LimitOption.limit("List at most this many tasks, and as many forked ones: the newest"),
  tree: flag("tree", "Show each task above the ones that it started, with the sums of all below it"),
  all: flag("all", "List all tasks, also those in which Hindcast itself searched or restored files"),
  tag: repeatedText("tag", "Only tasks with this tag"),
  outcome: someOf("outcome", [...Outcome.OUTCOMES, ...Activity.OPEN_STATES]).pipe(
    Options.withDescription("Only tasks with this outcome; open ones, or those of them that are in this state"),
  ),
  scores: ScoreOption.scores,
}

export const ls = Command.make("ls", listOptions, ({ log, json, limit, tree, all, outcome, tag, scores }) =>
  Effect.gen(function* () {
    const isFiltered = outcome.length > 0 || tag.length > 0
    const hasTag = tag.length === 0 ? () => true : yield* tagged(tag)
    const isListed = (task: ShownTasks.ListedTask & { readonly activity: Activity.Activity | null }) =>
      outcome.length === 0 ||
      outcome.includes(Outcome.of(task)) ||
      (task.outcome === null && outcome.some((state) => state === Activity.stateOf(task)))
    const some = yield* all || isFiltered ? ListedTasks.all : ListedTasks.newest(limit)
    const named = isFiltered ? some.tasks.filter((task) => hasTag(task) && (all || !OwnWork.isOwn(task))) : some.tasks
    // Only a filter by state needs the activities of tasks that the list does not show.
    const isByState = outcome.some((state) => state !== "open")
    const found = (isByState ? yield* ShownTasks.looked(named) : unlooked(named)).filter(isListed)
    const chosen = !isFiltered || all ? found : found.slice(-limit)
    const shown = yield* ShownTasks.scored(isByState ? chosen : yield* ShownTasks.looked(chosen), { scores, all })
    const tasks = tree ? TaskTrees.arranged(shown) : shown
    const earlier = some.earlier || tasks.length < found.length
    const none = tasks.length === 0 && some.tasks.length > 0
    if (none && !json) return yield* noneOf(outcome, tag, some.tasks.length)
    yield* Output.show(json, { tasks, earlier }, (style) => [
      ...TaskListPage.lines(style, tasks, Output.columnsOf(process.stdout)),
      ...(earlier ? [style.dim(`These are the newest ${limit}; --limit N shows more, --all shows all.`)] : []),
    ])
    if (none) return yield* noneOf(outcome, tag, some.tasks.length)
  }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(
  Command.withDescription(
    "List the tasks: outcome or current activity, score, steps, tokens and cost of models, positions, goal",
  ),
)

const unlooked = (tasks: ReadonlyArray<ShownTasks.ListedTask>) =>
  tasks.map((task) => ({ ...task, activity: null as Activity.Activity | null }))

/** Tells whether a task has one of these tags, on the timeline on which it goes its own way. */
const tagged = (tags: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const all = Annotations.listed(yield* AnnotationList.state(yield* EventLog))
    const having = new Set(
      all.flatMap(({ kind, text = "", subject: { timeline, task } }) =>
        kind === "tag" && tags.includes(text) ? [JSON.stringify([timeline, task])] : [],
      ),
    )
    return ({ timeline = MAIN, id }: ShownTasks.ListedTask) => having.has(JSON.stringify([timeline, id]))
  })

const noneOf = (outcome: ReadonlyArray<string>, tag: ReadonlyArray<string>, among: number) =>
  new NothingListed({ expected: `a task with ${filters(outcome, tag)}`, found: `none among ${among}` })

const filters = (outcome: ReadonlyArray<string>, tag: ReadonlyArray<string>): string =>
  [
    ...(outcome.length === 0 ? [] : [`--outcome ${outcome.join(" or ")}`]),
    ...(tag.length === 0 ? [] : [`--tag ${tag.join(" or ")}`]),
  ].join(" and ")
