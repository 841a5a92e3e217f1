/**
 * Normalizes the words of a command line before the parser reads them: options may appear anywhere, and `--name=value`
 * is accepted.
 */
import { PATHS } from "../terminal/Overview.ts"

/** Commands that have subcommands, such as `plugin add`. */
const GROUPS: ReadonlySet<string> = new Set(PATHS.flatMap((path) => path.slice(0, -1)))

const optionsNamed = (names: string): ReadonlySet<string> =>
  new Set([...names.matchAll(/\S+/g)].map(([name]) => `--${name}`))

/** Options without a value. */
export const SWITCHES = optionsNamed(`
  accept-unrewound aliases all answer any-seed ask decrypt dry-run follow force fork forks fresh grant-run-any json keep-grants lenient live markdown
  no-activate personal quick redact replace run scan trend trust-log unseen unset view with-keys wizard write yes
`)

/** Options with a value. */
export const VALUED = optionsNamed(`
  after agent anchor answers at by cassette cluster completions confirm-within critic deadline digest directory draw experiment format
  from gate goal grant-env grant-net grant-read grant-run grant-write group guide html io jobs judged-by key label led-within limit log
  log-level mapping max-steps max-tokens max-usd measure model name options other-model out outcome on-log-failure output override pass-above path plugin port projection public-key reason
  resume rewind rubric sandbox scenario scenarios scores seed service set since sort stream studio subject task tasks timeline timestamps to
  type until when where workspace
`)

/** Switches that have a value in some commands: these. */
export const COMMANDS_WITH_VALUE: Readonly<Record<string, ReadonlySet<string>>> = {
  "--live": new Set(["replay"]),
}

/** A command line in the order that the parser expects. */
export interface Arranged {
  readonly args: ReadonlyArray<string>
  /** The command's words, such as `plugin add` or `audit`. Empty if no command was typed. */
  readonly path: ReadonlyArray<string>
  /** True if the user asked for the overview of all commands or of one group, rather than for one command. */
  readonly overview: boolean
  readonly json: boolean
  /** The first option whose value is missing. */
  readonly lacking?: string
  /** The names of the options that were typed. */
  readonly options: ReadonlyArray<string>
}

/**
 * Orders a command line as command, arguments, options. `--name=value` becomes two words. Words after `--` are
 * arguments, even if they look like options. `--help` discards everything but the command, as does `help` before it;
 * `--version` discards everything.
 */
export const arrange = (words: ReadonlyArray<string>): Arranged => {
  // `help audit` is `audit --help`.
  const typed = words[0] === "help" ? [...words.slice(1), "--help"] : words
  return arrangeOptions(typed)
}

const arrangeOptions = (typed: ReadonlyArray<string>): Arranged => {
  const end = typed.indexOf("--")
  const { words, valued, others } = sortWords(end < 0 ? typed : typed.slice(0, end))
  const literal = end < 0 ? [] : typed.slice(end)
  const json = others.includes("--json")
  if (others.includes("--version")) return { args: ["--version"], path: [], overview: false, json, options: [] }
  const length = GROUPS.has(words[0] ?? "") ? 2 : 1
  const path = words.slice(0, length)
  const help = others.includes("--help") || others.includes("-h")
  const args = help ? [...path, "--help"] : [...words, ...valued, ...others, ...literal]
  const overview = path.length < length && (help || args.length === path.length)
  const lacking = help ? undefined : others.find((word) => VALUED.has(word))
  const names = [...valued.filter((_, index) => index % 2 === 0), ...others]
  const options = help ? [] : names.filter((word) => word.startsWith("--"))
  return {
    ...{ args, path, overview, json, options },
    ...(lacking === undefined ? {} : { lacking }),
  }
}

/** Whether the version is asked for, and nothing else. */
export const asksForVersion = ({ args, path }: Arranged): boolean =>
  path.length === 0 && args.length === 1 && args[0] === "--version"

interface SortedWords {
  /** The command and its arguments. */
  readonly words: ReadonlyArray<string>
  /** Options, each followed by its value. */
  readonly valued: ReadonlyArray<string>
  /** Switches, options without their value, and unknown options. */
  readonly others: ReadonlyArray<string>
}

const sortWords = (typed: ReadonlyArray<string>): SortedWords => {
  const command = typed.find((word) => PATHS.some(([first]) => first === word)) ?? ""
  const hasValue = (option: string) => VALUED.has(option) || COMMANDS_WITH_VALUE[option]?.has(command) === true
  const takesNext = (option: string, next: string | undefined) =>
    hasValue(option) && next !== undefined && !isKnown(next)
  const rest = [...typed]
  const words: Array<string> = []
  const valued: Array<string> = []
  const others: Array<string> = []
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const equals = word.indexOf("=")
    if (!isOption(word)) words.push(word)
    else if (equals >= 0) valued.push(word.slice(0, equals), word.slice(equals + 1))
    else if (takesNext(word, rest[0])) valued.push(word, ...rest.splice(0, 1))
    else if (hasValue(word)) others.push(word)
    else others.unshift(word)
  }
  return { words, valued, others }
}

/** A negative number, such as a priority, is an argument. */
const isOption = (word: string): boolean => /^-[^\d]/.test(word)

const isKnown = (word: string): boolean => VALUED.has(word) || SWITCHES.has(word)
