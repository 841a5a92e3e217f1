/** The command `hindcast gate try`: applies a file of gate rules to recorded commands. */
import * as path from "node:path"
import { Command } from "@effect/cli"
import { Effect } from "effect"
import * as Gate from "../../kernel/gate/Gate.ts"
import * as GateFile from "../../kernel/gate/GateFile.ts"
import { json, text } from "../command/CommonOptions.ts"
import { log } from "../command/HooksLog.ts"
import * as LimitOption from "../command/LimitOption.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as TrialPage from "../pages/gate/TrialPage.ts"
import * as GateOptions from "./GateOptions.ts"

export const tryRules = Command.make(
  "try",
  {
    log,
    json,
    rules: text("rules", "A file of gate rules: hindcast.gate.yaml"),
    ...GateOptions.options,
    limit: LimitOption.limit("Show at most this many examples of each rule and of each difference", 5),
  },
  ({ log, json, rules, limit, ...chosen }) =>
    Effect.gen(function* () {
      const file = path.resolve(rules)
      const gate = yield* GateFile.read(file)
      const found = yield* GateOptions.tried(gate, chosen)
      const { commands, tasks, after, until } = found
      const document = {
        rules: file,
        after,
        until,
        tasks,
        commands: commands.map(({ position, taskId, actuator, args, ruling, past, by }) => ({
          position,
          taskId,
          actuator,
          past,
          by: by ?? null,
          decision: ruling.decision,
          rule: ruling.rule,
          argsKnown: args !== undefined,
        })),
        warnings: Gate.warnings(gate),
      }
      yield* Output.show(json, document, (style) =>
        TrialPage.lines(style, { ...found, file: rules, warnings: document.warnings, limit }),
      )
    }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(
  Command.withDescription(
    "Show which recorded commands gate rules would have allowed, asked about and denied, next to the real decisions",
  ),
)
