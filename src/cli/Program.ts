/** The `hindcast` command tree and its entry point: `program` runs one command line as an Effect. */
import { CliConfig, Command } from "@effect/cli"
import { Console, Effect } from "effect"
import { VERSION } from "../kernel/versions.ts"
import type * as Argv from "./command/Argv.ts"
import { BadInput } from "./command/BadInput.ts"
import * as Output from "./command/Output.ts"
import { demo } from "./demo/Demo.ts"
import { exporting } from "./export/ExportCommands.ts"
import { log } from "./log/LogCommands.ts"
import { doctor } from "./plugin/DoctorCommand.ts"
import { plugin } from "./plugin/PluginCommands.ts"
import { audit } from "./score/AuditCommand.ts"
import { rescore } from "./score/RescoreCommand.ts"
import { compare, score } from "./score/ScoreCommands.ts"
import { step } from "./step/StepCommand.ts"
import { confirm } from "./task/ConfirmCommands.ts"
import { run } from "./task/RunCommand.ts"
import { task } from "./task/TaskCommands.ts"
import * as Help from "./terminal/Help.ts"
import * as Overview from "./terminal/Overview.ts"
import { fork } from "./time/ForkCommand.ts"
import { replay } from "./time/ReplayCommand.ts"
import { align, bisect, blame, diff, effects, history, state, watch, why } from "./time/TimeCommands.ts"
import { timeline } from "./time/TimelineCommands.ts"

const hindcast = Command.make("hindcast").pipe(
  Command.withSubcommands([
    demo,
    run,
    plugin,
    log,
    state,
    diff,
    history,
    blame,
    why,
    effects,
    bisect,
    watch,
    align,
    replay,
    fork,
    timeline,
    step,
    task,
    audit,
    confirm,
    rescore,
    score,
    compare,
    exporting,
    doctor,
  ]),
)

const parseAndRun = Command.run(hindcast, { name: "hindcast", version: VERSION })

/** Runs one command line as an Effect. `Argv.arrange` prepares its input from the words that were typed. */
export const program = ({ args, path, overview, lacking }: Argv.Arranged) => {
  if (overview) return writeLines(Overview.lines(Output.styleOf(process.stdout), VERSION, path[0]))
  const unknown = unknownCommand(path)
  if (unknown !== undefined) return unknown
  if (lacking !== undefined) return new BadInput({ input: lacking, expected: "a value", found: "none" })
  return Console.consoleWith((console) =>
    parseAndRun(["node", "hindcast", ...args]).pipe(
      // The parser both prints and returns its errors. The print is dropped, so that all errors are reported by one
      // place.
      Effect.withConsole({ ...console, log: writeParserOutput(path), error: () => Effect.void }),
      Effect.provide(CliConfig.layer({ isCaseSensitive: true, showBuiltIns: false })),
    ),
  )
}

/**
 * The error for an unknown command, with the commands that are possible at that level. The parser's own message would
 * list the commands of another level.
 */
const unknownCommand = (path: ReadonlyArray<string>): BadInput | undefined => {
  const before = path.slice(0, -1)
  const possible = Overview.PATHS.filter((known) => before.every((word, index) => known[index] === word))
  const words = [...new Set(possible.map((known) => known[before.length] ?? ""))]
  const last = path.at(-1)
  if (last === undefined || words.includes(last)) return undefined
  return new BadInput({
    input: ["hindcast", ...before].join(" "),
    expected: `one of ${words.join(", ")}`,
    found: `"${last}"`,
    advice: `\`${["hindcast", ...before, "--help"].join(" ")}\` says what they do.`,
  })
}

/** Prints the output of the parser's built-in options: a command's help, the version, a completion script. */
const writeParserOutput = (path: ReadonlyArray<string>) => (text: unknown) =>
  path.length > 0 ? writeLines(Help.lines(String(text), path)) : Output.write(String(text).trimEnd())

const writeLines = (lines: ReadonlyArray<string>) => Effect.forEach(lines, Output.write, { discard: true })
