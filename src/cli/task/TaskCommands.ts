/** The commands `hindcast task ls|show|bundle`: lists tasks, shows one, and copies one into a log of its own. */
import * as path from "node:path"
import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import { Bundles } from "../../events/maintenance/Bundles.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import type { CoreName } from "../../events/vocabulary/Vocabulary.ts"
import * as TaskAudit from "../../projections/audit/TaskAudit.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as ForkedTasks from "../../projections/state/ForkedTasks.ts"
import * as TaskList from "../../projections/state/TaskList.ts"
import * as Tasks from "../../projections/state/Tasks.ts"
import { BadInput, NothingListed } from "../command/BadInput.ts"
import { argument, common, flag, someOf, TASK, text } from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"
import * as LimitOption from "../command/LimitOption.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as TimelineOption from "../command/TimelineOption.ts"
import * as OutputFormat from "../export/OutputFormat.ts"
import * as TaskListPage from "../pages/audit/TaskListPage.ts"
import * as TaskPage from "../pages/audit/TaskPage.ts"
import { at, count } from "../terminal/Text.ts"

const listOptions = {
  ...common,
  limit: LimitOption.limit("List at most this many tasks, and as many forked ones: the newest"),
  all: flag("all", "List all tasks"),
  outcome: someOf("outcome", [...TaskOutcome.literals, "open"]).pipe(
    Options.withDescription("Only tasks that ended like this, or are open"),
  ),
}

/** `hindcast task ls` */
export const ls = Command.make("ls", listOptions, ({ log, json, limit, all, outcome }) =>
  Effect.gen(function* () {
    const isListed = ({ outcome: ended }: TaskListPage.ListedTask) => outcome.includes(ended ?? "open")
    const some = all || outcome.length > 0 ? yield* allTasks : yield* newestTasks(limit)
    const found = outcome.length === 0 ? some.tasks : some.tasks.filter(isListed)
    const tasks = outcome.length === 0 || all ? found : found.slice(-limit)
    const earlier = some.earlier || tasks.length < found.length
    const none = tasks.length === 0 && some.tasks.length > 0
    if (none && !json) return yield* noneOf(outcome, some.tasks.length)
    yield* Output.show(json, { tasks, earlier }, (style) => [
      ...TaskListPage.lines(style, tasks, Output.columnsOf(process.stdout)),
      ...(earlier ? [style.dim(`These are the newest ${limit}; --limit N shows more, --all shows all.`)] : []),
    ])
    if (none) return yield* noneOf(outcome, some.tasks.length)
  }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("List the tasks: outcome, steps, tokens and cost of models, positions, goal"))

const noneOf = (outcome: ReadonlyArray<string>, among: number) =>
  new NothingListed({ expected: `a task with --outcome ${outcome.join(" or ")}`, found: `none among ${among}` })

/** Tasks of a list, those of `main` first, and whether there are earlier ones. */
interface ListedTasks {
  readonly tasks: ReadonlyArray<TaskListPage.ListedTask>
  readonly earlier: boolean
}

const allTasks = Effect.gen(function* () {
  const tasks = yield* (yield* Projector).current(Tasks.projection)
  return listed(Object.entries(tasks), yield* ForkedTasks.list, false)
})

const newestTasks = (limit: number) =>
  Effect.gen(function* () {
    const { tasks, earlier } = yield* TaskList.newest(yield* EventLog, yield* Projector, limit)
    const forks = yield* ForkedTasks.list
    return listed(tasks, forks.slice(-limit), earlier || forks.length > limit)
  })

const listed = (
  tasks: ReadonlyArray<readonly [id: string, task: Tasks.Task]>,
  forks: ReadonlyArray<ForkedTasks.ForkedTask>,
  earlier: boolean,
): ListedTasks => ({
  tasks: [
    ...tasks.map(([id, task]) => ({ id, ...task })),
    ...forks.map(({ taskId, timeline, task }) => ({ id: taskId, timeline, ...task })),
  ],
  earlier,
})

/** Events that say what went wrong in a task. */
const ERRORS: ReadonlyArray<CoreName> = [
  ...(["CommandFailed", "CommandDenied", "CommandOutcomeUnknown", "ModelFailed", "SensorFailed"] as const),
]

const showOptions = { ...common, task: argument("task", TASK), timeline: TimelineOption.timeline }

/** `hindcast task show TASK` */
export const show = Command.make("show", showOptions, ({ log: named, json, task, timeline }) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const taskId = yield* Ids.task(task)
    const audit = yield* TaskAudit.load(taskId)
    let last: Event | undefined
    yield* Pages.forEach(log.readPage, { timeline: log.timeline, taskId, types: ERRORS }, (page) => {
      last = page.at(-1) ?? last
    })
    const error = last ?? null
    const next = TaskPage.next(audit, error)
    yield* Output.show(json, { audit, error, next }, (style) => TaskPage.lines(style, audit, error, next))
  }).pipe(TimelineOption.provide(timeline), Effect.provide(OpenLog.forEvents(named))),
).pipe(Command.withDescription("One task on a screen: goal, outcome, times, cost, scores, last error, next commands"))

const NOTHING = "Nothing was written."

/** `hindcast task bundle TASK --out FILE` */
export const bundle = Command.make(
  "bundle",
  {
    ...common,
    task: argument("task", TASK),
    out: text("out", "The log to create, a file that must not exist"),
  },
  ({ log, json, task, out }) =>
    Effect.gen(function* () {
      yield* OutputFormat.check("--out", out, "log")
      const bundled = yield* (yield* Bundles)
        .bundle({ taskId: yield* Ids.task(task), file: path.resolve(out) })
        .pipe(
          Effect.catchTag(
            "NotBundled",
            ({ expected, found }) => new BadInput({ input: `--out ${out}`, expected, found, advice: NOTHING }),
          ),
        )
      const { events, file, head } = bundled
      const added = count(head.position - events, "event")
      yield* Output.show(json, bundled, (style) => [
        `${style.good("Bundled")} ${count(events, "event")} in ${file}: a log of its own, for every command that takes --log.`,
        `Positions are its own, ${at(1)} to ${at(head.position)}. Where the other events are in the source is recorded in ${added} (TaskBundled) before them.`,
      ])
    }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(
  Command.withDescription(
    "Copy one task, with its scores and the events that it depends on, into a small log of its own",
  ),
)
