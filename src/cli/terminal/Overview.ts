/** The overview of all commands, which `hindcast` prints without a command. */
import * as Catalogue from "../catalogue/Catalogue.ts"
import * as ExitCode from "../catalogue/ExitCode.ts"
import type { Style } from "./Style.ts"
import * as Table from "./Table.ts"

export const lines = (style: Style, version: string, group?: string): ReadonlyArray<string> => {
  const all = Catalogue.TOPICS.flatMap(([topic, commands]) => {
    const uses = commands.flatMap((command) => command.uses)
    const shown = uses.filter(([usage]) => group === undefined || usage.startsWith(`${group} `))
    return shown.length === 0 ? [] : [["", ""], [style.bold(topic), ""], ...shown.map(commandRow(style))]
  })
  return [
    `${style.bold(`hindcast ${version}`)}: an event-sourced kernel for agents`,
    ...Table.rows(style, all),
    "",
    "Commands take --log FILE (default: HINDCAST_LOG, else .hindcast/log.db), --json and --help.",
    "Moments are positions (@412, fork-1@412), event ids, times with a zone (2026-03-01T12:00:00Z), or now.",
    "Completions for your shell: hindcast --completions bash|zsh|fish|sh.",
    `Exit codes: ${ExitCode.MEANINGS.map(([code, meaning]) => `${code} ${meaning}`).join(", ")}.`,
  ]
}

const commandRow =
  (style: Style) =>
  ([usage, does]: readonly [string, string]): ReadonlyArray<string> => [`  ${style.name(usage)}`, does]
