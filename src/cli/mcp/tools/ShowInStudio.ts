/** The tool `show_in_studio`: shows a task in Studio's page next to the conversation, where the client can. */
import { Effect, Schema } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import * as TaskAudit from "../../../projections/audit/TaskAudit.ts"
import * as Outcome from "../../../projections/summary/Outcome.ts"
import * as Text from "../../terminal/Text.ts"
import * as StudioApp from "../server/StudioApp.ts"
import * as TaskArgument from "../server/TaskArgument.ts"
import * as Tool from "../server/Tool.ts"

export const showInStudio = Tool.make({
  name: "show_in_studio",
  title: "Show a task in Studio",
  description:
    "Shows a person a task in Studio, a time-travel debugger, if the client shows MCP Apps. You read tasks with the other tools.",
  input: Schema.Struct({ task: Tool.task }),
  meta: StudioApp.TOOL_META,
  run: ({ task }) =>
    Effect.gen(function* () {
      const { taskId, log } = yield* TaskArgument.named(task)
      const { goal, range, ...ended } = yield* TaskAudit.load(taskId).pipe(Effect.provideService(EventLog, log))
      const on = log.timeline === "main" ? "" : log.timeline
      return {
        lines: [`${on}@${range.from}–@${range.to} ${taskId}  ${Outcome.of(ended)}: ${Text.oneLine(goal)}`],
        foot: [
          "A client that shows MCP Apps now shows this task in Studio. For any other client, the person can run `hindcast studio TASK`.",
        ],
        structured: { uri: StudioApp.uriOf(`${on}@${range.from}`) },
      }
    }),
})
