/**
 * The list of all commands: their texts for the overview, help, completions, README and reference, and where to load
 * them. The list itself loads no command.
 */

import * as CodingAgents from "./CodingAgents.ts"
import type { Entry } from "./Entry.ts"
import { command } from "./Entry.ts"
import * as Exchange from "./Exchange.ts"
import * as Files from "./Files.ts"
import * as Past from "./Past.ts"
import * as Plugins from "./Plugins.ts"
import * as Scores from "./Scores.ts"
import * as Working from "./Working.ts"

export type Path = ReadonlyArray<string>

/** All commands by topic, in the order in which the overview shows them. */
export const TOPICS: ReadonlyArray<readonly [topic: string, commands: ReadonlyArray<Entry>]> = [
  ["Run", Working.RUN],
  ["Coding agents", CodingAgents.CODING_AGENTS],
  ["Plugins", Plugins.PLUGINS],
  ["The past", Past.PAST],
  ["Recorded files", Files.FILES],
  ["Tasks and scores", Scores.SCORES],
  ["From other programs", Exchange.FROM_OTHERS],
  ["To other programs", Exchange.TO_OTHERS],
  ["This machine", Exchange.MACHINE],
]

export const ENTRIES: ReadonlyArray<Entry> = TOPICS.flatMap(([, commands]) => commands)

export const PATHS: ReadonlyArray<Path> = ENTRIES.map(({ path }) => path.split(" "))

/** Descriptions of the groups: commands that share their first word. */
export const GROUPS: ReadonlyMap<string, string> = new Map([
  ["cassette", "Save a provider's answers, and play them offline"],
  ["curriculum", "Train agents in stages, and review each decision"],
  ["hooks", "Record and gate the coding agent that you use"],
  ["gate", "Try gate rules on recorded commands, and propose rules"],
  ["confirm", "Commands and host requests that wait for a person"],
  ["plugin", "List, import, update, permit and activate plugins and their components"],
  [
    "log",
    "The events of a log: list, verify, sign, archive, back up, import and upgrade them; list and shred personal data",
  ],
  ["memory", "What agents remember beyond one task: find it, list it, and build its index again"],
  ["files", "The files of a coding agent's workspace: list, show, compare, blame and restore them at any moment"],
  ["timeline", "The forked timelines of a log"],
  ["task", "The tasks of a log: list, show, follow, copy, queue, pause and end them"],
  ["runner", "Runners work on queued tasks: start, list, drain and limit them"],
  ["score", "The score sets of a log, and the pointers that name one"],
  ["export", "Write a log's contents to files for other programs"],
])

/** Commands that only this program itself calls. No list shows them. */
const OWN: ReadonlyArray<Entry> = [
  {
    path: "demo-kernel",
    uses: [],
    example: "",
    load: command(async () => (await import("../demo/LiveKernel.ts")).firstKernel),
  },
]

export const find = (path: Path): Entry | undefined => {
  const words = path.join(" ")
  return [...ENTRIES, ...OWN].find((entry) => entry.path === words)
}

/** The words that may follow these: first words of commands, or the commands of a group. */
export const wordsAfter = (before: Path): ReadonlyArray<string> => [
  ...new Set(
    PATHS.filter((path) => before.every((word, index) => path[index] === word)).flatMap(
      (path) => path[before.length] ?? [],
    ),
  ),
]

/** Commands that a user may mean by a word that no command has, apart from those whose last word it is. */
const MEANT: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["events", ["log ls"]],
  ["tasks", ["task ls"]],
])

/** Commands elsewhere that a word may mean: `log ls` and `export events` for `events`. */
export const meantBy = (word: string): ReadonlyArray<string> => [
  ...(MEANT.get(word) ?? []),
  ...PATHS.flatMap((path) => (path.at(-1) === word ? [path.join(" ")] : [])),
]
