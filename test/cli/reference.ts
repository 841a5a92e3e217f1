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
  return table([["command", "effect"], ...firsts.map(overviewRow)])
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

All commands with their options. \`npx hindcast COMMAND --help\` shows the same text.

- An option may stand anywhere, as \`--name value\` or \`--name=value\`. If a value looks like an option (\`--x\`), write it with \`=\`. Words after \`--\`
  are not options.
- Give an option or an argument once, unless \`...\` (any number) or \`1+\` (at least one) follows it here. An option that takes a value needs one that is not empty. An option without a value
  accepts only \`=true\` and \`=false\`.
- Almost every command takes \`--log FILE\` (default: \`HINDCAST_LOG\`, else \`.hindcast/log.db\`); a command without it needs no log. Every command
  takes \`--json\` (one JSON document, and errors as JSON on the standard error) and \`--help\`. The entries below leave these three out.
- \`--log-level LEVEL\` (all, trace, debug, info, warning, error, fatal, none) chooses the lines of Hindcast's own log for the standard error.
- \`hindcast --completions bash|zsh|fish|sh\` writes completions for a shell.

\`UPDATE_PAGES=1 npx vitest run test/cli/commands.test.ts\` writes this page from the commands' own declarations.`

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
    .filter((line) => !line.startsWith("Example: ") && !/^\s+This argument (may|must) be repeated/.test(line))
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
