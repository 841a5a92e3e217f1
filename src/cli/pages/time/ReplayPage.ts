/** Formats the result of a replay. */
import type { Event } from "../../../events/vocabulary/Event.ts"
import type { ReplayReport } from "../../../kernel/replay/Replay.ts"
import type { TreeReplay } from "../../../kernel/replay/trees/TreeReplay.ts"
import type { JsonObject } from "../../../values/Json.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { at, count, duration, json as jsonText, value } from "../../terminal/Text.ts"
import * as EventLine from "../events/EventLine.ts"

/** @param before the events before a divergence */
export const lines = (style: Style, report: ReplayReport, before: ReadonlyArray<Event>): ReadonlyArray<string> => {
  const { divergence, recorded, replayed, taskId, timeline, events, complete, rationales } = report
  const where = `task ${style.name(taskId)}${timeline === "main" ? "" : ` on ${timeline}`}`
  const words =
    rationales === 0 ? [] : [`${count(rationales, "rationale")} differ, which does not count as a divergence.`]
  if (divergence === null) {
    const end = complete ? ", to its end" : "; the recording ends before its agent finished"
    return [
      `${style.good("Identical")}: ${oneLine(replayed)} acted in ${where} as ${oneLine(recorded)} did, over ${count(events, "event")}${end}.`,
      ...words,
    ]
  }
  const { kind, position, path, expected, found } = divergence
  return [
    `${style.bad("Diverged")} ${at(position)}: ${oneLine(replayed)} acted differently in ${where} than ${oneLine(recorded)}.`,
    ...words,
    "",
    ...Table.rows(style, [
      [style.dim("kind"), kind],
      ...(path === "" ? [] : [[style.dim("path"), oneLine(path)]]),
      [style.dim("recorded"), choice(expected)],
      [style.dim("now"), kind === "agent-failed" ? `throws ${value(found.reason ?? "")}` : choice(found)],
    ]),
    "",
    ...EventLine.lines(style, before),
  ]
}

/** The replays of a task and the tasks below it: a line each, and the first difference of those that diverged. */
export const tree = (style: Style, { tasks, missing }: TreeReplay): ReadonlyArray<string> => [
  ...tasks.flatMap((report) => lines(style, report, [])),
  "",
  ...(missing.length === 0
    ? []
    : [style.warn(`Not in this log, and not replayed: ${count(missing.length, "task")} (${listed(missing)}).`)]),
  style.dim(`${count(tasks.length, "task")} replayed, each from its own recording.`),
]

const MOST_LISTED = 5

/** The first of some ids. */
export const listed = (ids: ReadonlyArray<string>): string =>
  [...ids.slice(0, MOST_LISTED).map(oneLine), ...(ids.length > MOST_LISTED ? ["…"] : [])].join(", ")

/** The tasks that `--alone` left out. */
export const notReplayed = (left: number, json: boolean): string =>
  json
    ? jsonText({ notReplayed: left })
    : `${count(left, "task")} below it ${left === 1 ? "was" : "were"} not replayed (--alone).`

/** An agent's decision in words: a command, a message, a claimed outcome, or a model call. */
export const choice = (of: JsonObject): string => {
  if (typeof of.act === "string") return `${oneLine(of.act)} ${value(of.args ?? {})}`
  if (typeof of.say === "string") return `says ${value(of.say)}`
  if (typeof of.done === "string")
    return `done: ${oneLine(of.done)}${of.reason === undefined ? "" : `, ${value(of.reason)}`}`
  if (of.consult !== undefined) return `asks ${value(of.consult)}`
  if (typeof of.unansweredMs === "number") return `no decision within ${duration(of.unansweredMs)}`
  return of.perceive === true ? "perceives" : value(of)
}
