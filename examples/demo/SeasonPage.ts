/** The summary of a written season: who did what, what went wrong, and what to look at next. */
import { INCIDENTS, type Incident, type Season, type SeasonContents } from "../season/Season.ts"
import type { Stage, User } from "./Stage.ts"
import { count, numbers, suggestions as onLog, type Suggestion } from "./Words.ts"

export const lines = (stage: Stage, season: Season & { readonly log: string }): ReadonlyArray<string> => {
  const { style, pages, user } = stage
  const { log, events, agents, scoreSets } = season
  const tasks = agents.reduce((sum, { tasks }) => sum + tasks, 0)
  return [
    `${style.bold(user.path(log))}: ${count(tasks, "task")}, ${count(events, "event")}`,
    "",
    ...pages.table(
      ["agent", ...numbers("tasks", "achieved", "failed", "abandoned", "truncated", "mean score")],
      agents.map(({ agent, tasks, outcomes: { achieved, failed, abandoned, truncated }, net }) => [
        style.name(agent),
        ...[tasks, achieved, failed, abandoned, truncated].map(String),
        net === null ? "none" : pages.number(net),
      ]),
    ),
    "",
    ...happened(stage, season),
    "",
    ...scoreSets.map(
      ({ pointer, label, tasks }) =>
        `${style.name(pointer)} is the score set ${label}: ${count(tasks, "game")} of The Lost Key`,
    ),
  ]
}

const happened = ({ style, pages }: Stage, { incidents }: SeasonContents): ReadonlyArray<string> => {
  const kinds = Object.keys(INCIDENTS) as ReadonlyArray<Incident>
  const [occurred, absent] = [
    kinds.filter((kind) => incidents[kind] > 0),
    kinds.filter((kind) => incidents[kind] === 0),
  ]
  return [
    ...pages.rows(occurred.map((kind) => [String(incidents[kind]), INCIDENTS[kind]])),
    ...(absent.length === 0
      ? []
      : [style.dim(`left out with so few tasks: ${absent.map((kind) => INCIDENTS[kind]).join(", ")}`)]),
  ]
}

export const suggestions = (user: User, log: string): ReadonlyArray<Suggestion> =>
  onLog(user, log, [
    ["every task: who, how it ended, what it scored", "task", "ls"],
    ["one of them, with the events that each reward and punishment is for", "audit", "task-0001"],
    ["what the crash left, and how the next kernel ended it", "log", "ls", "--type", "CommandOutcomeUnknown"],
    ["the stricter rubric against the plugin's own", "compare", "baseline", "official"],
    ["who gets better from task to task", "audit", "--trend"],
    ["look at all of it in the browser", "studio"],
  ])
