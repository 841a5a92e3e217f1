/** The `hindcast` command tree. */
import { CliConfig, Command } from "@effect/cli"
import { Console, Effect } from "effect"
import { VERSION } from "../kernel/versions.ts"
import type * as Catalogue from "./catalogue/Catalogue.ts"
import * as Declared from "./catalogue/Declared.ts"
import type * as Argv from "./command/Argv.ts"
import * as CommandHints from "./command/CommandHints.ts"
import * as NamedTimes from "./command/NamedTimes.ts"
import * as Output from "./command/Output.ts"
import * as Help from "./terminal/Help.ts"
import * as Overview from "./terminal/Overview.ts"

export const program = ({ args, path, overview, problem, json }: Argv.Arranged) => {
  if (overview) return writeLines(Overview.lines(Output.styleOf(process.stdout), VERSION, path[0]))
  if (problem !== undefined) return problem
  return Console.consoleWith((console) =>
    Effect.flatMap(
      Effect.promise(() => Declared.tree(path)),
      (called) => {
        const hindcast = Command.make("hindcast").pipe(Command.withSubcommands(called))
        const run = Command.run(hindcast, { name: "hindcast", version: VERSION })
        return reportingTimes(run(["node", "hindcast", ...args]), path, json)
      },
    ).pipe(
      // The parser prints its errors and returns them too. `Failure` reports all errors, so drop the print.
      Effect.withConsole({ ...console, log: writeParserOutput(path), error: () => Effect.void }),
      Effect.provide(CliConfig.layer({ isCaseSensitive: true, showBuiltIns: false })),
    ),
  )
}

/**
 * Reports how Hindcast understood the times on the command line: in the JSON document, or on the standard error. Studio
 * shows it on its page.
 */
const reportingTimes = <A, E, R>(command: Effect.Effect<A, E, R>, path: Catalogue.Path, json: boolean) =>
  path[0] === "studio"
    ? command
    : NamedTimes.following(command, (text) => (json ? Effect.void : Output.note(CommandHints.inText(text))))

/** Prints the output of the parser's built-in options: help, the version, completion scripts. */
const writeParserOutput = (path: Catalogue.Path) => (text: unknown) =>
  path.length > 0
    ? writeLines(Help.lines(String(text), path))
    : Output.writeWhole(Help.completions(String(text)).trimEnd())

const writeLines = (lines: ReadonlyArray<string>) => Effect.forEach(lines, Output.write, { discard: true })
