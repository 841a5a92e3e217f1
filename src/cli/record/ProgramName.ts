/** The name of the agent in a command line: that of its script, not of the program that runs the script. */
import * as path from "node:path"
import { Schema } from "effect"
import { Name } from "../../values/Options.ts"
import { ALL, type Runner } from "./Runners.ts"

/**
 * The name of the program's file without its ending, or that of its module, its package or its task: `agent` for
 * `node --import ./loader.mjs agent.ts`, `uv run agent.py` and `python -m agent`. `program` if the command line has its
 * text, or if the name is no valid one of an agent.
 */
export const of = (words: ReadonlyArray<string>): string => {
  const name = nameIn(words)
  return name !== undefined && isName(name) ? name : "program"
}

const isName = Schema.is(Name)

const nameIn = (words: ReadonlyArray<string>): string | undefined => {
  const first = words.findIndex((word) => !ASSIGNMENT.test(word))
  const [command, ...others] = first < 0 ? [] : words.slice(first)
  if (command === undefined) return undefined
  const name = path.basename(command).replace(/\.(exe|cmd|bat)$/i, "")
  const runner = ALL.find((one) => one.name.test(name))
  if (runner !== undefined) return ofRunner(runner, others)
  // With an unknown runner, a file of source code is the program.
  const file = SOURCE.test(command) ? undefined : others.find((word) => !word.startsWith("-") && SOURCE.test(word))
  return ofFile(file ?? command)
}

const ofRunner = (runner: Runner, words: ReadonlyArray<string>): string | undefined => {
  for (let at = 0; at < words.length; ) {
    const word = words[at] ?? ""
    if (runner.code.has(word) || word === "-") return undefined
    if (word === "--") return ofProgram(runner, words.slice(at + 1))
    if (runner.verbs.has(word)) {
      at++
      continue
    }
    if (!word.startsWith("-")) return ofProgram(runner, words.slice(at))
    const { option, value } = optionIn(runner, word)
    if (runner.code.has(option)) return undefined
    if (runner.naming.has(option)) return ofModule(value ?? words[at + 1] ?? "")
    at += value === undefined && runner.valued.has(option) ? 2 : 1
  }
  return undefined
}

const ofProgram = ({ runs }: Runner, words: ReadonlyArray<string>): string | undefined => {
  const [first] = words
  if (first === undefined) return undefined
  return runs === "file" || (SOURCE.test(first) && !ASSIGNMENT.test(first)) ? ofFile(first) : nameIn(words)
}

/** An option and its value in the same word. */
const optionIn = ({ valued, code, naming, joinsLetters }: Runner, word: string) => {
  if (joinsLetters && !word.startsWith("--")) {
    const letters = [...word.slice(1)]
    const at = letters.findIndex((letter) => [valued, code, naming].some((some) => some.has(`-${letter}`)))
    const value = at < 0 ? "" : letters.slice(at + 1).join("")
    return { option: at < 0 ? word : `-${letters[at]}`, value: value === "" ? undefined : value }
  }
  const [option = word, ...value] = word.split("=")
  return { option, value: value.length === 0 ? undefined : value.join("=") }
}

const ofFile = (file: string): string =>
  path
    .basename(/^\.{1,2}\/?$/.test(file) ? path.resolve(file) : file)
    .replace(/^(npm|jsr):/, "")
    .replace(VERSION, "")
    .replace(/(?<=.)\.\w+$/, "")

/** A module may be a file all the same, as in `java -jar agent.jar`. */
const ofModule = (module: string): string => (SOURCE.test(module) ? ofFile(module) : module.replace(/\.__main__$/, ""))

/** Such as `A=1` before a command. */
const ASSIGNMENT = /^\w+=/

/** Of a package: `agent@1.2.3`. */
const VERSION = /(?<=[^/])@[^/@]*$/

const SOURCE =
  /\.([cm]?[jt]sx?|pyw?|rb|php|pl|sh|bash|zsh|r|jl|lua|exs?|go|rs|java|kts?|swift|csx?|fsx|scala|sc|clj|jar|groovy|nim|dart|hs|ml)$/i
