/**
 * Prepares the words of a command line for the parser: finds the command, and how each option was typed. Options may
 * stand anywhere, `--name=value` works, and all commands report mistakes in the same words.
 */
import * as Catalogue from "../catalogue/Catalogue.ts"
import * as Declared from "../catalogue/Declared.ts"
import type { Entry } from "../catalogue/Entry.ts"
import { adviceOf, BadInput } from "./BadInput.ts"

/** A command line in the order that the parser expects. */
export interface Arranged {
  readonly args: ReadonlyArray<string>
  /** The command's words, such as `plugin add` or `audit`. Empty if none was typed. */
  readonly path: Catalogue.Path
  /** True if the user asked for the overview of all commands or of a group. */
  readonly overview: boolean
  readonly json: boolean
  readonly problem?: BadInput
}

/**
 * Orders a command line as command, arguments, options. `--name=value` becomes two words. Words after `--` are always
 * arguments. `--help`, or a leading `help`, discards all but the command; `--version` discards everything.
 */
export const arrange = async (words: ReadonlyArray<string>): Promise<Arranged> => {
  const typed = words[0] === "help" ? [...words.slice(1), "--help"] : words
  const end = typed.indexOf("--")
  const before = end < 0 ? typed : typed.slice(0, end)
  const called = await callIn(before)
  const arranged = ordered(called, before[0] ?? "", end < 0 ? [] : typed.slice(end))
  if (end < 0 || called.entry === undefined || arranged.problem !== undefined) return arranged
  const problem = missingBefore(called, arranged.path, await Declared.beforeProgram(called.entry))
  return problem === undefined ? arranged : { ...arranged, args: [], problem }
}

/** Without this, the parser would take the program's first word for the argument. */
const missingBefore = (
  { sorted }: Call,
  path: Catalogue.Path,
  required: ReadonlyArray<string>,
): BadInput | undefined => {
  const missing = required[sorted.words.length - path.length]
  if (missing === undefined || sorted.typed.some(({ name }) => name === "--help" || name === "-h")) return undefined
  const input = ["hindcast", ...path].join(" ")
  return new BadInput({
    input,
    expected: `${missing} before --`,
    found: "none",
    advice: `\`${input} --help\` shows an example.`,
  })
}

interface Call {
  readonly entry: Entry | undefined
  readonly options: Declared.Options
  readonly sorted: Sorted
}

/**
 * Finds the command. Only its declaration tells whether a word is an option's value, so this tries the options of each
 * candidate. The first candidate that declares every typed option wins; without one, the first candidate.
 */
const callIn = async (words: ReadonlyArray<string>): Promise<Call> => {
  let first: Call | undefined
  for (const entry of candidates(words)) {
    const options = new Map([...(await Declared.ofCommand(entry)), ...EVERYWHERE])
    const sorted = sort(words, options)
    const path = entry.path.split(" ")
    if (path.some((word, index) => sorted.words[index] !== word)) continue
    const call = { entry, options, sorted }
    if (sorted.typed.every(({ name }) => options.has(name))) return call
    first ??= call
  }
  return first ?? (await noCall(words))
}

const noCall = async (words: ReadonlyArray<string>): Promise<Call> => {
  const few = sort(words, WITHOUT_COMMAND)
  if (few.typed.every(({ name }) => WITHOUT_COMMAND.has(name)))
    return { entry: undefined, options: WITHOUT_COMMAND, sorted: few }
  // Only the options of all commands together show the mistake.
  const options = new Map([...(await Declared.ofAll()), ...WITHOUT_COMMAND])
  return { entry: undefined, options, sorted: sort(words, options) }
}

/** The parser's options, which every command has. */
const EVERYWHERE: Declared.Options = new Map([
  ["--help", { takesValue: false, repeats: true }],
  ["-h", { takesValue: false, repeats: true }],
  ["--version", { takesValue: false, repeats: true }],
  ["--log-level", { takesValue: true, repeats: false }],
])

const WITHOUT_COMMAND: Declared.Options = new Map([
  ...EVERYWHERE,
  ["--json", { takesValue: false, repeats: false }],
  ["--log", { takesValue: true, repeats: false }],
  ["--completions", { takesValue: true, repeats: false }],
])

/** Values of the parser's own options. The parser itself does not report an invalid one. */
const WORDS: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["--completions", ["bash", "zsh", "fish", "sh"]],
  ["--log-level", ["all", "trace", "debug", "info", "warning", "error", "fatal", "none"]],
])

/** The commands that the words may mean, in the order of the words. */
const candidates = (words: ReadonlyArray<string>): ReadonlyArray<Entry> => {
  const firsts = isOption(words[0] ?? "") ? words.map((_, index) => index) : [0]
  return firsts.flatMap((index) => {
    const first = words[index] ?? ""
    const alone = Catalogue.find([first])
    // The words of a group's command come first: `mcp gate` is no argument of `mcp`.
    const below = words.slice(index + 1).flatMap((second) => Catalogue.find([first, second]) ?? [])
    return alone === undefined ? below : [...below, alone]
  })
}

interface Typed {
  readonly name: string
  readonly value: string | undefined
}

interface Sorted {
  readonly words: ReadonlyArray<string>
  readonly typed: ReadonlyArray<Typed>
}

const sort = (all: ReadonlyArray<string>, options: Declared.Options): Sorted => {
  const words: Array<string> = []
  const typed: Array<Typed> = []
  const rest = [...all]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const equals = word.indexOf("=")
    if (!isOption(word)) words.push(word)
    else if (equals >= 0) typed.push({ name: word.slice(0, equals), value: word.slice(equals + 1) })
    else {
      const takesNext = options.get(word)?.takesValue === true && rest[0] !== undefined && !looksLikeOption(rest[0])
      typed.push({ name: word, value: takesNext ? rest.shift() : undefined })
    }
  }
  return { words, typed }
}

/** A negative number, such as a priority, is an argument. */
const isOption = (word: string): boolean => /^-(?!\.?\d)./.test(word)

/** No option takes such a word as its value, except with `=`: the user forgot the value. */
const looksLikeOption = (word: string): boolean => /^(?:-h|--[a-z][\w-]*(?:=.*)?)$/is.test(word)

const ordered = (call: Call, first: string, literal: ReadonlyArray<string>): Arranged => {
  const { words, typed } = call.sorted
  const has = (name: string) => typed.some((option) => option.name === name && option.value !== "false")
  const json = has("--json")
  if (has("--version")) return { args: ["--version"], path: [], overview: false, json: false }
  const length = call.entry?.path.split(" ").length ?? (Catalogue.GROUPS.has(words[0] ?? "") ? 2 : 1)
  const path = words.slice(0, length)
  const help = has("--help") || has("-h")
  if (path.length < length && (help || typed.length + literal.length === 0))
    return { args: [...path], path, overview: true, json }
  const unknown = call.entry === undefined ? unknownCommand(path, typed) : undefined
  const wrong = help ? undefined : wrongOption(call, path)
  const problem = isOption(first) ? (wrong ?? unknown) : (unknown ?? wrong)
  if (problem !== undefined) return { args: [], path, overview: false, json, problem }
  if (help) return { args: [...path, "--help"], path, overview: false, json }
  const valued = typed.flatMap(({ name, value }) => (takesValue(call, name) ? [name, value ?? ""] : []))
  const switches = typed.flatMap(({ name, value }) => (takesValue(call, name) || value === "false" ? [] : [name]))
  return { args: [...words, ...valued, ...switches, ...literal], path, overview: false, json }
}

const takesValue = ({ options }: Call, name: string): boolean => options.get(name)?.takesValue === true

/** The first option that the command lacks, or whose value does not fit its declaration. */
const wrongOption = (call: Call, path: Catalogue.Path): BadInput | undefined => {
  const { typed } = call.sorted
  for (const { name, value } of typed) {
    const declared = call.options.get(name)
    if (declared === undefined)
      return unknownOption(name, [...call.options.keys()], call.entry === undefined ? [] : path)
    const count = typed.filter((option) => option.name === name).length
    if (count > 1 && !declared.repeats)
      return new BadInput({
        input: name,
        expected: "the option once",
        found: count === 2 ? "it twice" : `it ${count} times`,
      })
    if (declared.takesValue && (value === undefined || value === ""))
      return new BadInput({ input: name, expected: "a value", found: value === undefined ? "none" : "an empty one" })
    if (!declared.takesValue && value !== undefined && value !== "true" && value !== "false")
      return new BadInput({ input: name, expected: "no value, or =true or =false", found: `"${value}"` })
    const words = WORDS.get(name)
    if (words !== undefined && value !== undefined && !words.includes(value))
      return new BadInput({
        input: name,
        expected: `one of ${words.join(", ")}`,
        found: `"${value}"`,
        ...adviceOf(value, words),
      })
  }
  return undefined
}

/** Advice for commands that take a moment, and thus no `--timeline`. */
const TIMELINE_BY_MOMENT = "A moment can name its timeline, such as fork-1@412 or fork-1@now."

const unknownOption = (unknown: string, known: ReadonlyArray<string>, path: Catalogue.Path): BadInput => {
  const input = ["hindcast", ...path].join(" ")
  const isByMoment = unknown === "--timeline" && known.some((option) => /^--(?:at|since|until)$/.test(option))
  const similar = /^--\w/.test(unknown)
    ? adviceOf(
        unknown,
        known.filter((name) => name.startsWith("--")),
      )
    : {}
  const advice = isByMoment ? TIMELINE_BY_MOMENT : similar.advice
  const help = `\`${input} --help\` lists them.`
  return new BadInput({
    input,
    expected: "one of its options",
    found: `"${unknown}"`,
    advice: advice === undefined ? help : `${advice} ${help}`,
  })
}

/** Other programs' words for commands that many groups have. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([["list", "ls"]])

/** Suggests the commands elsewhere that have the word, else similar ones of this level. */
const commandAdvice = (word: string, possible: ReadonlyArray<string>): { readonly advice?: string } => {
  const synonym = SYNONYMS.get(word)
  if (synonym !== undefined)
    return possible.includes(synonym) ? { advice: `Did you mean ${synonym}?` } : adviceOf(word, possible)
  const elsewhere = Catalogue.meantBy(word).map((path) => `\`hindcast ${path}\``)
  const isClear = elsewhere.length > 0 && elsewhere.length <= MOST_ELSEWHERE
  return isClear ? { advice: `Did you mean ${elsewhere.join(" or ")}?` } : adviceOf(word, possible)
}

/** A word of more commands, such as `show`, means none of them in particular. */
const MOST_ELSEWHERE = 3

const unknownCommand = (path: Catalogue.Path, typed: ReadonlyArray<Typed>): BadInput | undefined => {
  const isGroup = path.length === 1 && Catalogue.GROUPS.has(path[0] ?? "")
  const before = isGroup ? path : path.slice(0, -1)
  const last = isGroup ? undefined : path.at(-1)
  if (path.length === 0 && typed.some(({ name }) => name === "--completions")) return undefined
  const possible = Catalogue.wordsAfter(before)
  const { advice } = last === undefined ? {} : commandAdvice(last, possible)
  const help = `\`${["hindcast", ...before, "--help"].join(" ")}\` describes them.`
  return new BadInput({
    input: ["hindcast", ...before].join(" "),
    expected: `one of ${possible.join(", ")}`,
    found: last === undefined ? "none" : `"${last}"`,
    advice: advice === undefined ? help : `${advice} ${help}`,
  })
}
