/** The command group `hindcast task`: lists tasks, copies one into a log of its own, and pauses or cancels one. */
import * as path from "node:path"
import { Command } from "@effect/cli"
import { Effect } from "effect"
import { Bundles } from "../../events/maintenance/Bundles.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as ForkedTasks from "../../projections/state/ForkedTasks.ts"
import * as Tasks from "../../projections/state/Tasks.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, common, TASK, text } from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as TaskListPage from "../pages/audit/TaskListPage.ts"
import { at, count } from "../terminal/Text.ts"
import { cancel, continueTask, pause } from "./ControlCommands.ts"
import { watch } from "./TaskWatch.ts"

const ls = Command.make("ls", common, ({ log, json }) =>
  Effect.gen(function* () {
    const tasks = yield* (yield* Projector).current(Tasks.projection)
    const forks = yield* ForkedTasks.list
    const list: ReadonlyArray<TaskListPage.ListedTask> = [
      ...Object.entries(tasks).map(([id, task]) => ({ id, ...task })),
      ...forks.map(({ taskId, timeline, task }) => ({ id: taskId, timeline, ...task })),
    ]
    yield* Output.show(json, { tasks: list }, (style) =>
      TaskListPage.lines(style, list, Output.columnsOf(process.stdout)),
    )
  }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("List the tasks: outcome, steps, tokens and cost of models, positions, goal"))

const NOTHING = "Nothing was written."

const bundle = Command.make(
  "bundle",
  {
    ...common,
    task: argument("task", TASK),
    out: text("out", "The log to create, a file that must not exist"),
  },
  ({ log, json, task, out }) =>
    Effect.gen(function* () {
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

/** `hindcast task ls|watch|bundle|pause|continue|cancel` */
export const task = Command.make("task").pipe(
  Command.withDescription("The tasks of a log"),
  Command.withSubcommands([ls, watch, bundle, pause, continueTask, cancel]),
)
