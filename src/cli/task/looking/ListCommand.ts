/** The command `hindcast task ls`. */
import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { EventLog, MAIN } from "../../../events/log/EventLog.ts"
import * as AnnotationList from "../../../projections/annotations/AnnotationList.ts"
import * as Annotations from "../../../projections/annotations/Annotations.ts"
import * as OwnWork from "../../../projections/state/files/OwnWork.ts"
import * as Outcome from "../../../projections/summary/Outcome.ts"
import { NothingListed } from "../../command/BadInput.ts"
import { common, flag, repeatedText, someOf } from "../../command/CommonOptions.ts"
import * as LimitOption from "../../command/LimitOption.ts"
import * as OpenLog from "../../command/OpenLog.ts"
import * as Output from "../../command/Output.ts"
import * as TaskListPage from "../../pages/audit/TaskListPage.ts"
import * as ListedTasks from "./ListedTasks.ts"

const listOptions = {
  ...common,
  limit: LimitOption.limit("List at most this many tasks, and as many forked ones: the newest"),
  all: flag("all", "List all tasks, also those in which Hindcast itself searched or restored files"),
  tag: repeatedText("tag", "Only tasks with this tag"),
  outcome: someOf("outcome", Outcome.OUTCOMES).pipe(
    Options.withDescription("Only tasks with this outcome, or open ones"),
  ),
}

export const ls = Command.make("ls", listOptions, ({ log, json, limit, all, outcome, tag }) =>
  Effect.gen(function* () {
    const isFiltered = outcome.length > 0 || tag.length > 0
    const hasTag = tag.length === 0 ? () => true : yield* tagged(tag)
    const isListed = (task: TaskListPage.ListedTask) =>
      (outcome.length === 0 || outcome.includes(Outcome.of(task))) && hasTag(task) && (all || !OwnWork.isOwn(task))
    const some = yield* all || isFiltered ? ListedTasks.all : ListedTasks.newest(limit)
    const found = isFiltered ? some.tasks.filter(isListed) : some.tasks
    const tasks = !isFiltered || all ? found : found.slice(-limit)
    const earlier = some.earlier || tasks.length < found.length
    const none = tasks.length === 0 && some.tasks.length > 0
    if (none && !json) return yield* noneOf(outcome, tag, some.tasks.length)
    yield* Output.show(json, { tasks, earlier }, (style) => [
      ...TaskListPage.lines(style, tasks, Output.columnsOf(process.stdout)),
      ...(earlier ? [style.dim(`These are the newest ${limit}; --limit N shows more, --all shows all.`)] : []),
    ])
    if (none) return yield* noneOf(outcome, tag, some.tasks.length)
  }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("List the tasks: outcome, steps, tokens and cost of models, positions, goal"))

/** Tells whether a task has one of these tags, on the timeline on which it goes its own way. */
const tagged = (tags: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const all = Annotations.listed(yield* AnnotationList.state(yield* EventLog))
    const having = new Set(
      all.flatMap(({ kind, text = "", subject: { timeline, task } }) =>
        kind === "tag" && tags.includes(text) ? [JSON.stringify([timeline, task])] : [],
      ),
    )
    return ({ timeline = MAIN, id }: TaskListPage.ListedTask) => having.has(JSON.stringify([timeline, id]))
  })

const noneOf = (outcome: ReadonlyArray<string>, tag: ReadonlyArray<string>, among: number) =>
  new NothingListed({ expected: `a task with ${filters(outcome, tag)}`, found: `none among ${among}` })

const filters = (outcome: ReadonlyArray<string>, tag: ReadonlyArray<string>): string =>
  [
    ...(outcome.length === 0 ? [] : [`--outcome ${outcome.join(" or ")}`]),
    ...(tag.length === 0 ? [] : [`--tag ${tag.join(" or ")}`]),
  ].join(" and ")
