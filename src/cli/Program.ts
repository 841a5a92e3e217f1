/** The `hindcast` command tree and its entry point: `program` runs one command line as an Effect. */
import { CliConfig, Command, CommandDescriptor as Descriptor, type Usage } from "@effect/cli"
import { Console, Effect, HashMap, Option } from "effect"
import { VERSION } from "../kernel/versions.ts"
import type * as Argv from "./command/Argv.ts"
import { adviceOf, BadInput } from "./command/BadInput.ts"
import * as CommandHints from "./command/CommandHints.ts"
import * as NamedTimes from "./command/NamedTimes.ts"
import * as Output from "./command/Output.ts"
import * as Help from "./terminal/Help.ts"
import * as Overview from "./terminal/Overview.ts"

/** The commands by their first word. Each is loaded with what it needs when it is called. */
const COMMANDS = {
  demo: async () => (await import("./demo/Demo.ts")).demo,
  run: async () => (await import("./task/RunCommand.ts")).run,
  chat: async () => (await import("./chat/ChatCommand.ts")).chat,
  play: async () => (await import("./play/PlayCommand.ts")).play,
  record: async () => (await import("./record/RecordCommand.ts")).record,
  resume: async () => (await import("./task/ResumeCommand.ts")).resume,
  cassette: async () => (await import("./task/CassetteCommands.ts")).cassette,
  stop: async () => (await import("./task/ControlCommands.ts")).stop,
  plugin: async () => (await import("./plugin/PluginCommands.ts")).plugin,
  log: async () => (await import("./log/LogCommands.ts")).log,
  state: async () => (await import("./time/TimeCommands.ts")).state,
  diff: async () => (await import("./time/TimeCommands.ts")).diff,
  history: async () => (await import("./time/History.ts")).history,
  blame: async () => (await import("./time/TimeCommands.ts")).blame,
  why: async () => (await import("./time/TimeCommands.ts")).why,
  effects: async () => (await import("./time/Effects.ts")).effects,
  bisect: async () => (await import("./time/Bisect.ts")).bisect,
  watch: async () => (await import("./time/Watch.ts")).watch,
  align: async () => (await import("./time/Align.ts")).align,
  replay: async () => (await import("./time/ReplayCommand.ts")).replay,
  fork: async () => (await import("./time/ForkCommand.ts")).fork,
  timeline: async () => (await import("./time/TimelineCommands.ts")).timeline,
  step: async () => (await import("./step/StepCommand.ts")).step,
  studio: async () => (await import("./studio/StudioCommand.ts")).studio,
  task: async () => (await import("./task/TaskCommands.ts")).task,
  audit: async () => (await import("./score/AuditCommand.ts")).audit,
  confirm: async () => (await import("./task/ConfirmCommands.ts")).confirm,
  rescore: async () => (await import("./score/RescoreCommand.ts")).rescore,
  score: async () => (await import("./score/ScoreCommands.ts")).score,
  compare: async () => (await import("./score/ScoreCommands.ts")).compare,
  import: async () => (await import("./log/ImportRunsCommand.ts")).importRuns,
  export: async () => (await import("./export/ExportCommands.ts")).exporting,
  doctor: async () => (await import("./plugin/DoctorCommand.ts")).doctor,
}

/** Commands that this program calls itself. No list has them. */
const OWN = {
  "demo-kernel": async () => (await import("./demo/LiveKernel.ts")).firstKernel,
}

const isOwn = (word: string | undefined): word is keyof typeof OWN => word !== undefined && Object.hasOwn(OWN, word)

const isName = (word: string | undefined): word is keyof typeof COMMANDS =>
  word !== undefined && Object.hasOwn(COMMANDS, word)

/** The called command. If none is called, all commands, from which a shell's completion is generated. */
const commandsFor = (path: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const [called] = path
    const [first, ...others] = await Promise.all(
      (isOwn(called) ? [OWN[called]] : isName(called) ? [COMMANDS[called]] : Object.values(COMMANDS)).map((load) =>
        load(),
      ),
    )
    if (first === undefined) throw new Error("no command was loaded")
    return [first, ...others] as const
  })

/** The options of a command, or of one of its subcommands: those of its usage. */
const optionsOf = (command: Descriptor.Command<unknown>, subcommand = ""): ReadonlyArray<string> => {
  const called = Option.getOrElse(HashMap.get(Descriptor.getSubcommands(command), subcommand), () => command)
  return namesIn(Descriptor.getUsage(called))
}

/** The names in a usage. Its text has them too, and takes twenty times as long. */
const namesIn = (usage: Usage.Usage): ReadonlyArray<string> => {
  switch (usage._tag) {
    case "Named":
      return usage.names
    case "Optional":
    case "Repeated":
      return namesIn(usage.usage)
    case "Alternation":
    case "Concat":
      return [...namesIn(usage.left), ...namesIn(usage.right)]
    case "Empty":
    case "Mixed":
      return []
  }
}

/** Commands about a moment have no `--timeline`. */
const TIMELINE_BY_MOMENT = { advice: "A moment names its timeline, as fork-1@412 and fork-1@now do." }

/** Options that the parser has for every command. */
const EVERYWHERE = ["--log-level", "--completions", "--wizard"]

/**
 * The error for an option that the command does not have. The parser would report the word after it instead, or take the option for an
 * argument.
 */
const unknownOption = (
  known: ReadonlyArray<string>,
  typed: ReadonlyArray<string>,
  path: ReadonlyArray<string>,
): BadInput | undefined => {
  const unknown = typed.find((option) => !known.includes(option) && !EVERYWHERE.includes(option))
  if (unknown === undefined) return undefined
  const command = ["hindcast", ...path].join(" ")
  const isByMoment = unknown === "--timeline" && known.some((option) => /^--(?:at|since|until)$/.test(option))
  const { advice } = isByMoment ? TIMELINE_BY_MOMENT : adviceOf(unknown, known)
  const help = `\`${command} --help\` says what is possible.`
  return new BadInput({
    ...{ input: command, expected: "one of its options", found: `"${unknown}"` },
    advice: advice === undefined ? help : `${advice} ${help}`,
  })
}

/** Runs one command line as an Effect. `Argv.arrange` prepares its input from the words that were typed. */
export const program = ({ args, path, overview, lacking, options, json }: Argv.Arranged) => {
  if (overview) return writeLines(Overview.lines(Output.styleOf(process.stdout), VERSION, path[0]))
  const unknown = unknownCommand(path)
  if (unknown !== undefined) return unknown
  if (lacking !== undefined) return new BadInput({ input: lacking, expected: "a value", found: "none" })
  return Console.consoleWith((console) =>
    Effect.flatMap(commandsFor(path), (called) => {
      const known = path.length === 0 ? options : optionsOf(called[0].descriptor, path[1])
      const hindcast = Command.make("hindcast").pipe(Command.withSubcommands(called))
      const run = Command.run(hindcast, { name: "hindcast", version: VERSION })
      return unknownOption(known, options, path) ?? sayingTimes(run(["node", "hindcast", ...args]), path, json)
    }).pipe(
      // The parser both prints and returns its errors. The print is dropped, so that all errors are reported by one
      // place.
      Effect.withConsole({ ...console, log: writeParserOutput(path), error: () => Effect.void }),
      Effect.provide(CliConfig.layer({ isCaseSensitive: true, showBuiltIns: false })),
    ),
  )
}

/** Says how times were understood: in the document, or beside the answer. Studio's page says it where it was asked. */
const sayingTimes = <A, E, R>(command: Effect.Effect<A, E, R>, path: ReadonlyArray<string>, json: boolean) =>
  path[0] === "studio"
    ? command
    : NamedTimes.following(command, (text) => (json ? Effect.void : Output.note(CommandHints.inText(text))))

/**
 * The error for an unknown command, with the commands that are possible at that level. The parser's own message would
 * list the commands of another level.
 */
const unknownCommand = (path: ReadonlyArray<string>): BadInput | undefined => {
  if (isOwn(path[0])) return undefined
  const before = path.slice(0, -1)
  const possible = Overview.PATHS.filter((known) => before.every((word, index) => known[index] === word))
  const words = [...new Set(possible.map((known) => known[before.length] ?? ""))]
  const last = path.at(-1)
  if (last === undefined || words.includes(last)) return undefined
  const { advice } = adviceOf(last, words)
  const help = `\`${["hindcast", ...before, "--help"].join(" ")}\` says what they do.`
  return new BadInput({
    input: ["hindcast", ...before].join(" "),
    expected: `one of ${words.join(", ")}`,
    found: `"${last}"`,
    advice: advice === undefined ? help : `${advice} ${help}`,
  })
}

/** Prints the output of the parser's built-in options: a command's help, the version, a completion script. */
const writeParserOutput = (path: ReadonlyArray<string>) => (text: unknown) =>
  path.length > 0 ? writeLines(Help.lines(String(text), path)) : Output.writeWhole(String(text).trimEnd())

const writeLines = (lines: ReadonlyArray<string>) => Effect.forEach(lines, Output.write, { discard: true })
