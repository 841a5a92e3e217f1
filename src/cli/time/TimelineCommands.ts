/** The command `hindcast timeline ls`: the forks of a log. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import * as ForkedTasks from "../../projections/state/ForkedTasks.ts"
import * as Outcome from "../../projections/summary/Outcome.ts"
import { asObject } from "../../values/JsonObjects.ts"
import { oneLine } from "../../values/PlainText.ts"
import * as CommandHints from "../command/CommandHints.ts"
import { common } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as AuditPage from "../pages/audit/AuditPage.ts"
import * as Table from "../terminal/Table.ts"
import { at, time, value } from "../terminal/Text.ts"

export const ls = Command.make("ls", common, ({ log, json }) =>
  Effect.gen(function* () {
    const forks = yield* ForkedTasks.list
    yield* Output.show(json, { timelines: forks }, (style) =>
      forks.length === 0
        ? [
            CommandHints.inText(
              "This log has only the timeline main: nothing was forked. `hindcast fork MOMENT --agent FILE` creates a fork.",
            ),
          ]
        : Table.lines(
            style,
            ["timeline", "from", "forked", "task", "outcome", ...Table.right("steps"), "agent", "io", "overrides"],
            forks.map(({ timeline, parent, at: shared, overrides, forkedAt, taskId, task }) => {
              // The recorder of a forked program does not matter here.
              const { agent: _agent, recorder: _recorder, io, changes, ...rest } = overrides
              const others = { ...asObject(changes), ...rest }
              return [
                style.name(oneLine(timeline)),
                `${oneLine(parent)}${at(shared)}`,
                time(forkedAt),
                oneLine(taskId),
                AuditPage.outcome(style, Outcome.of(task)),
                String(task.steps),
                oneLine(task.agent),
                oneLine(String(io ?? "live")),
                Object.keys(others).length === 0 ? "" : value(others),
              ]
            }),
          ),
    )
  }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("List the forked timelines and the state of their tasks"))
