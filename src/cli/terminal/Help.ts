/** Formats a command's help from the parser's text. */
import { stripVTControlCharacters } from "node:util"
import * as Catalogue from "../catalogue/Catalogue.ts"

/** Lines without information that the parser adds to every option and argument. */
const BOILERPLATE: ReadonlySet<string> = new Set([
  "A user-defined piece of text.",
  "A true or false value.",
  "This setting is optional.",
  "This option may be repeated zero or more times.",
])

/**
 * A command's help: usage, description, arguments, options and an example.
 *
 * @param help the parser's text, with a banner, headings and empty lines
 * @param path the command's words: `["plugin", "add"]`
 */
export const lines = (help: string, path: ReadonlyArray<string>): ReadonlyArray<string> => {
  const written = stripVTControlCharacters(help)
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "" && !BOILERPLATE.has(line.trim()))
  const usage = written.findIndex((line) => line.startsWith("$ "))
  const [call = "", ...rest] = written.slice(usage)
  const example = Catalogue.find(path)?.example
  return [
    `hindcast ${[...path.slice(0, -1), call.slice(2)].join(" ").replaceAll(REPEATED, "[$1]...")}`,
    ...rest.flatMap((line) => (HEADINGS.has(line) ? [""] : [line])),
    ...(example === undefined ? [] : ["", `Example: hindcast ${example}`]),
  ]
}

/** A repeatable option is optional too. The parser does not mark it so. */
const REPEATED = /(--\S+ \S+)\.\.\./g

const HEADINGS: ReadonlySet<string> = new Set(["DESCRIPTION", "ARGUMENTS", "OPTIONS"])

/**
 * Corrects the parser's completion script: drops its own option `--wizard`, and in Bash looks up a command of a group
 * under its group (`hindcast__log,ls`), where the script is by then, with its hyphens.
 */
export const completions = (script: string): string =>
  script
    .replaceAll(/^.*(?:'--wizard\[| -l wizard ).*\n/gm, "")
    .replaceAll(" --wizard", "")
    .replaceAll(
      NESTED,
      (_, group: string, command: string) => `${group.replaceAll(",", "__")},${command.replaceAll("__", "-")})`,
    )

const NESTED = /(?<=^ +)([a-z-]+(?:,[a-z-]+)+),([a-z_-]+)\)$/gm
