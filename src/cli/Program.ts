import { CliConfig, Command } from "@effect/cli"
import { Console, Effect } from "effect"
import { VERSION } from "../kernel/versions.ts"
import type * as Argv from "./Argv.ts"
import { BadInput } from "./BadInput.ts"
import * as Output from "./Output.ts"
import * as Help from "./render/Help.ts"
import * as Overview from "./render/Overview.ts"

/** The commands by their first word. Each is loaded with what it needs when it is called. */
const COMMANDS = {
  demo: async () => (await import("./Demo.ts")).demo,
  run: async () => (await import("./RunCommand.ts")).run,
  plugin: async () => (await import("./PluginCommands.ts")).plugin,
  log: async () => (await import("./LogCommands.ts")).log,
  state: async () => (await import("./TimeCommands.ts")).state,
  diff: async () => (await import("./TimeCommands.ts")).diff,
  history: async () => (await import("./TimeCommands.ts")).history,
  blame: async () => (await import("./TimeCommands.ts")).blame,
  why: async () => (await import("./TimeCommands.ts")).why,
  effects: async () => (await import("./TimeCommands.ts")).effects,
  bisect: async () => (await import("./TimeCommands.ts")).bisect,
  watch: async () => (await import("./TimeCommands.ts")).watch,
  align: async () => (await import("./TimeCommands.ts")).align,
  replay: async () => (await import("./ReplayCommand.ts")).replay,
  fork: async () => (await import("./ForkCommand.ts")).fork,
  timeline: async () => (await import("./TimelineCommands.ts")).timeline,
  step: async () => (await import("./StepCommand.ts")).step,
  task: async () => (await import("./TaskCommands.ts")).task,
  audit: async () => (await import("./AuditCommand.ts")).audit,
  confirm: async () => (await import("./ConfirmCommands.ts")).confirm,
  rescore: async () => (await import("./RescoreCommand.ts")).rescore,
  score: async () => (await import("./ScoreCommands.ts")).score,
  compare: async () => (await import("./ScoreCommands.ts")).compare,
  export: async () => (await import("./ExportCommands.ts")).exporting,
  doctor: async () => (await import("./DoctorCommand.ts")).doctor,
}

type Name = keyof typeof COMMANDS

const NAMES: ReadonlyArray<string> = Object.keys(COMMANDS)

const isName = (word: string | undefined): word is Name => word !== undefined && NAMES.includes(word)

/** The parser of the command that is called; of all of them where none is, which a shell's completion is made of. */
const parserFor = (path: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const [called] = path
    const [first, ...others] = await Promise.all(
      (isName(called) ? [COMMANDS[called]] : Object.values(COMMANDS)).map((load) => load()),
    )
    if (first === undefined) throw new Error("no command was loaded")
    const hindcast = Command.make("hindcast").pipe(Command.withSubcommands([first, ...others]))
    return Command.run(hindcast, { name: "hindcast", version: VERSION })
  })

/** The command line as one effect, from what was typed after the program's name. */
export const program = ({ args, path, overview, lacking }: Argv.Arranged) => {
  if (overview) return writeLines(Overview.lines(Output.styleOf(process.stdout), VERSION, path[0]))
  const misspelt = misspeltIn(path)
  if (misspelt !== undefined) return misspelt
  if (lacking !== undefined) return new BadInput({ input: lacking, expected: "a value", found: "none" })
  return Console.consoleWith((console) =>
    Effect.flatMap(parserFor(path), (parseAndRun) => parseAndRun(["node", "hindcast", ...args])).pipe(
      // What the parser writes of its errors is dropped: it fails with them as well, and all errors are reported alike.
      Effect.withConsole({ ...console, log: writeParsers(path), error: () => Effect.void }),
      Effect.provide(CliConfig.layer({ isCaseSensitive: true, showBuiltIns: false })),
    ),
  )
}

/** The parser's own message would list the commands of another level. */
const misspeltIn = (path: ReadonlyArray<string>): BadInput | undefined => {
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

/** What the parser answers by itself: a command's help, the version, a completion script. */
const writeParsers = (path: ReadonlyArray<string>) => (text: unknown) =>
  path.length > 0 ? writeLines(Help.lines(String(text), path)) : Output.write(String(text).trimEnd())

const writeLines = (lines: ReadonlyArray<string>) => Effect.forEach(lines, Output.write, { discard: true })
