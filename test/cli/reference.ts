import * as path from "node:path"
import * as Catalogue from "../../src/cli/catalogue/Catalogue.ts"
import type { Entry } from "../../src/cli/catalogue/Entry.ts"
import * as ExitCode from "../../src/cli/catalogue/ExitCode.ts"
import { run } from "./fromSource.ts"

/** Markdown's table of rows, whose columns are padded as the pages have them. */
const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const [first = []] = rows
  const widths = first.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: ReadonlyArray<string>, fill: string) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(" | ")} |`
  return [
    line(first, " "),
    line(
      first.map(() => ""),
      "-",
    ),
    ...rows.slice(1).map((row) => line(row, " ")),
  ].join("\n")
}

const cell = (text: string): string => text.replaceAll("|", "\\|")
const code = (text: string): string => `\`${cell(text)}\``

/** The overview: a row for each first word, in the words of `hindcast` without a command. */
const overview = (): string => {
  const firsts = [...new Set(Catalogue.PATHS.map(([first = ""]) => first))]
  return table([["command", "what it does"], ...firsts.map(overviewRow)])
}

const overviewRow = (first: string): ReadonlyArray<string> => {
  const group = Catalogue.GROUPS.get(first)
  if (group !== undefined) {
    const does = group.slice(0, 1).toLowerCase() + group.slice(1)
    return [code(`${first} ${Catalogue.wordsAfter([first]).join("|")}`), cell(does)]
  }
  const uses = Catalogue.ENTRIES.filter(({ path }) => path.split(" ")[0] === first).flatMap((entry) => entry.uses)
  return [uses.map(([usage]) => code(usage)).join(", "), cell(uses.map(([, text]) => text).join("; "))]
}

/** The reference of all commands, `docs/reference/commands.md`. */
export const page = async (): Promise<string> => {
  const topics: Array<string> = []
  for (const [topic, entries] of Catalogue.TOPICS) {
    topics.push(`## ${topic}`)
    for (const entry of entries) topics.push(await sectionOf(entry))
  }
  return `${[OPENING, overview(), exitCodes(), ...topics].join("\n\n")}\n`
}

const OPENING = `# Commands

Every command, as \`npx hindcast COMMAND --help\` shows it. \`UPDATE_PAGES=1 npx vitest run test/cli/commands.test.ts\` writes this page from
what the commands declare.

- Options may stand anywhere, as \`--name value\` or \`--name=value\`. Words after \`--\` are not options. A value that looks like an option
  (\`--x\`) is written with \`=\`.
- Each command takes \`--log FILE\` (default: \`HINDCAST_LOG\`, else \`.hindcast/log.db\`; where it has no such option, it needs no log),
  \`--json\` (one JSON document, and errors as JSON on the standard error) and \`--help\`. They are not explained again below.
- \`--log-level LEVEL\` (all, trace, debug, info, warning, error, fatal, none) says which lines of the program's own log are written to the
  standard error.
- An option is given once, unless its value is followed by \`...\` here. It is an error to give it no value, an empty one, or a value to an
  option that has none (other than \`=true\` and \`=false\`).
- \`hindcast --completions bash|zsh|fish|sh\` writes completions for a shell.`

const exitCodes = (): string => {
  const rows = ExitCode.MEANINGS.map(([exit, meaning]) => [String(exit), meaning])
  return `## Exit codes\n\n${table([["code", "meaning"], ...rows])}`
}

/** A page as `docs/reference/commands.md` links to it. */
const linked = (page: string): string => path.posix.relative("docs/reference", page)

const COMMON = ["--log", "--json"]

const sectionOf = async ({ path, example, exits, page: more }: Entry): Promise<string> => {
  const { stdout } = await run([...path.split(" "), "--help"])
  const [call = "", description = "", ...rest] = stdout.trimEnd().split("\n\n")
  const declared = rest
    .join("\n")
    .split("\n")
    .filter((line) => !line.startsWith("Example: "))
  const items: Array<string> = []
  for (const line of declared) {
    if (line.startsWith("  ")) items.push(`${items.pop()}: ${line.trim()}`)
    else if (line !== "") items.push(`- \`${line}\``)
  }
  const shown = items.filter((item) => !COMMON.some((option) => item.startsWith(`- \`${option}`)))
  return [
    `### ${path}`,
    `${description}.${more === undefined ? "" : ` See [${more.replace("docs/", "")}](${linked(more)}).`}`,
    `\`\`\`text\n${call}\n\`\`\``,
    ...(shown.length === 0 ? [] : [shown.join("\n")]),
    `Example: \`hindcast ${example}\``,
    ...(exits === undefined ? [] : [exits]),
  ].join("\n\n")
}
