import { stripVTControlCharacters } from "node:util"

/** What the parser says of every option and argument, and nobody needs to read. */
const BOILERPLATE: ReadonlySet<string> = new Set([
  "A user-defined piece of text.",
  "A true or false value.",
  "This setting is optional.",
  "This option may be repeated zero or more times.",
])

/**
 * A command's help: how it is called, what it does, then its arguments and options with what each is for.
 *
 * @param help as the parser writes it, with a banner, headings and much empty space
 * @param path the command's words: `["plugin", "add"]`
 */
export const lines = (help: string, path: ReadonlyArray<string>): ReadonlyArray<string> => {
  const written = stripVTControlCharacters(help)
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "" && !BOILERPLATE.has(line.trim()))
  const usage = written.findIndex((line) => line.startsWith("$ "))
  const [call = "", ...rest] = written.slice(usage)
  return [
    `hindcast ${[...path.slice(0, -1), call.slice(2)].join(" ").replaceAll(REPEATED, "[$1]...")}`,
    ...rest.flatMap((line) => (HEADINGS.has(line) ? [""] : [line])),
  ]
}

/** What may be repeated may be left out, too; the parser does not say so. */
const REPEATED = /(--\S+ \S+)\.\.\./g

const HEADINGS: ReadonlySet<string> = new Set(["DESCRIPTION", "ARGUMENTS", "OPTIONS"])
