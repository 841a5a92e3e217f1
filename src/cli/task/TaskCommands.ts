/** The command group `hindcast task`: lists tasks, copies one into a log of its own, and pauses or cancels one. */
import * as path from "node:path"
import { Command } from "@effect/cli"
import { Effect } from "effect"
import { MAIN } from "../../events/log/EventLog.ts"
import { Bundles } from "../../events/maintenance/Bundles.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as ForkedTasks from "../../projections/state/ForkedTasks.ts"
import * as Tasks from "../../projections/state/Tasks.ts"
import { oneLine } from "../../values/PlainText.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, common, TASK, text } from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as AuditPage from "../pages/audit/AuditPage.ts"
import * as Table from "../terminal/Table.ts"
import { at, count, shorten, time } from "../terminal/Text.ts"
import { cancel, continueTask, pause } from "./ControlCommands.ts"

/** Maximum characters of a goal in the list. */
const GOAL_LENGTH = 50

const ls = Command.make("ls", common, ({ log, json }) =>
  Effect.gen(function* () {
    const tasks = yield* (yield* Projector).current(Tasks.projection)
    const forks = yield* ForkedTasks.list
    const list: ReadonlyArray<Tasks.Task & { readonly id: string; readonly timeline?: string }> = [
      ...Object.entries(tasks).map(([id, task]) => ({ id, ...task })),
      ...forks.map(({ taskId, timeline, task }) => ({ id: taskId, timeline, ...task })),
    ]
    // Without forks, the column `timeline` is left out.
    const onTimeline = (cell: string) => (forks.length === 0 ? [] : [cell])
    yield* Output.show(json, { tasks: list }, (style) =>
      list.length === 0
        ? ["No task was opened in this log."]
        : Table.lines(
            style,
            [
              "task",
              ...onTimeline("timeline").map((heading) => ({ heading })),
              "outcome",
              ...Table.right("steps", "from", "to"),
              "opened",
              "agent",
              "goal",
            ],
            list.map(({ id, goal, agent, outcome, asked, steps, from, to, openedAt, timeline = MAIN }) => [
              style.name(id),
              ...onTimeline(oneLine(timeline)),
              outcome === null && asked !== undefined ? style.warn(asked.what) : AuditPage.outcome(style, outcome),
              String(steps),
              at(from),
              at(to),
              time(openedAt),
              oneLine(agent),
              shorten(oneLine(goal), GOAL_LENGTH),
            ]),
          ),
    )
  }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("List the tasks: outcome, steps, positions, goal"))

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

/** `hindcast task ls|bundle|pause|continue|cancel` */
export const task = Command.make("task").pipe(
  Command.withDescription("The tasks of a log"),
  Command.withSubcommands([ls, bundle, pause, continueTask, cancel]),
)
