/** The page about a season that was written: who did what, what went wrong, and what to look at next. */
import type { Suggestion } from "#demo"
import { INCIDENTS, type Incident, type Season, type SeasonContents } from "#season"
import * as CommandHints from "../command/CommandHints.ts"
import type { Style } from "../terminal/Style.ts"
import * as Table from "../terminal/Table.ts"
import { count, number } from "../terminal/Text.ts"

/** The contents of a season's log. */
export const lines = (style: Style, season: Season & { readonly log: string }): ReadonlyArray<string> => {
  const { log, events, agents, scoreSets } = season
  const tasks = agents.reduce((sum, { tasks }) => sum + tasks, 0)
  return [
    `${style.bold(CommandHints.shortest(log))}: ${count(tasks, "task")}, ${count(events, "event")}`,
    "",
    ...Table.lines(
      style,
      ["agent", ...Table.right("tasks", "achieved", "failed", "abandoned", "truncated", "mean score")],
      agents.map(({ agent, tasks, outcomes: { achieved, failed, abandoned, truncated }, net }) => [
        style.name(agent),
        ...[tasks, achieved, failed, abandoned, truncated].map(String),
        net === null ? "none" : number(net),
      ]),
    ),
    "",
    ...happened(style, season),
    "",
    ...scoreSets.map(
      ({ pointer, label, tasks }) =>
        `${style.name(pointer)} is the score set ${label}: ${count(tasks, "game")} of The Lost Key`,
    ),
  ]
}

const happened = (style: Style, { incidents }: SeasonContents): ReadonlyArray<string> => {
  const kinds = Object.keys(INCIDENTS) as ReadonlyArray<Incident>
  const [occurred, absent] = [
    kinds.filter((kind) => incidents[kind] > 0),
    kinds.filter((kind) => incidents[kind] === 0),
  ]
  return [
    ...Table.rows(
      style,
      occurred.map((kind) => [String(incidents[kind]), INCIDENTS[kind]]),
      ["right"],
    ),
    ...(absent.length === 0
      ? []
      : [style.dim(`left out with so few tasks: ${absent.map((kind) => INCIDENTS[kind]).join(", ")}`)]),
  ]
}

/** Commands to try on a season's log. */
export const suggestions = (log: string): ReadonlyArray<Suggestion> =>
  (
    [
      ["every task: who, how it ended, what it scored", "task", "ls"],
      ["one of them, with the events that each reward and punishment is for", "audit", "task-0001"],
      ["what the crash left, and how the next kernel ended it", "log", "ls", "--type", "CommandOutcomeUnknown"],
      ["the stricter rubric against the plugin's own", "compare", "baseline", "official"],
      ["who gets better from task to task", "audit", "--trend"],
      ["look at all of it in the browser", "studio"],
    ] as const
  ).map(([does, ...args]) => ({ does, command: CommandHints.command([...args, "--log", CommandHints.shortest(log)]) }))
