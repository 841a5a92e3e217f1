/** Formats the list of a log's score sets. */
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { at } from "../../terminal/Text.ts"

export interface ScoreSetRow {
  readonly scoreSetId: string
  readonly label: string
  readonly rubric: string
  readonly rubricDigest: string
  readonly critic: string
  /** Why a scoring today would differ: the rubric or a plugin has changed. Empty if no reason is known. */
  readonly stale: ReadonlyArray<string>
  readonly range: { readonly from: number; readonly to: number }
  readonly tasks: number
  readonly finished: boolean
  readonly startedAt: number
  readonly by: string
  readonly pointers: ReadonlyArray<string>
}

const DIGEST_LENGTH = 8

/** Maximum number of similar score sets in rows of their own. More of them share one row. */
const MAX_ALIKE = 3

/** Labels of the score sets that each task gets by itself. */
const OF_EACH_TASK: ReadonlySet<string> = new Set(["live", "return"])

/** Score sets as a table. Unless `all` is true, live score sets and returns of single tasks share a row each. */
export const lines = (
  style: Style,
  sets: ReadonlyArray<ScoreSetRow>,
  { all = true, where = "in this log" }: { readonly all?: boolean; readonly where?: string } = {},
): ReadonlyArray<string> => {
  if (sets.length === 0) return [`No scores ${where}.`]
  const groups = all ? sets.map((set) => [set] as const) : grouped(sets)
  return [
    ...Table.lines(
      style,
      COLUMNS,
      groups.map((group) => rowOf(style, group)),
    ),
    ...(groups.length === sets.length
      ? []
      : [style.dim(`${notes(groups)} Each task has its own set; --all lists them.`)]),
  ]
}

const notes = (groups: ReadonlyArray<ReadonlyArray<ScoreSetRow>>): string => {
  const labels = new Set(
    groups.flatMap(([set, ...others]) => (set === undefined || others.length === 0 ? [] : [set.label])),
  )
  return [
    ...(labels.has("live") ? ["live: what tasks scored when they closed."] : []),
    ...(labels.has("return") ? ["return: the rewards that their worlds gave."] : []),
  ].join(" ")
}

const COLUMNS: Table.Columns = ["score set", "label", ...Table.right("tasks", "at"), "rubric", "critic", "pointers", ""]

type Group = readonly [ScoreSetRow, ...ReadonlyArray<ScoreSetRow>]

/** Groups score sets that differ only in their task and in the measures of its plugins. */
const grouped = (sets: ReadonlyArray<ScoreSetRow>): ReadonlyArray<Group> => {
  const groups = new Map<string, [ScoreSetRow, ...Array<ScoreSetRow>]>()
  for (const set of sets) {
    const { label, critic, stale, tasks, finished, pointers, scoreSetId } = set
    const alone = !OF_EACH_TASK.has(label) || tasks !== 1 || pointers.length > 0
    const key = JSON.stringify(alone ? scoreSetId : [label, critic, stale, finished])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [set])
    else group.push(set)
  }
  return [...groups.values()]
    .flatMap((group) => (group.length > MAX_ALIKE ? [group] : group.map((set): Group => [set])))
    .sort(([a], [b]) => a.startedAt - b.startedAt)
}

const rowOf = (style: Style, group: Group): ReadonlyArray<string> => {
  const [set] = group
  const last = group.at(-1) ?? set
  const rubrics = [...new Set(group.map(({ rubricDigest }) => rubricDigest.slice(0, DIGEST_LENGTH)))]
  return [
    group.length === 1 ? style.name(set.scoreSetId) : `${group.length} sets`,
    oneLine(set.label),
    String(group.reduce((sum, { tasks }) => sum + tasks, 0)),
    last === set ? at(set.startedAt) : `${at(set.startedAt)} to ${at(last.startedAt)}`,
    `${oneLine(set.rubric)} ${style.dim(rubrics.length > MAX_ALIKE ? `(${rubrics.length})` : rubrics.join(", "))}`,
    oneLine(set.critic),
    set.pointers.map(oneLine).join(", "),
    [
      ...(set.finished ? [] : [style.warn("unfinished")]),
      ...(set.stale.length > 0 ? [style.warn(`stale: ${set.stale.map(oneLine).join("; ")}`)] : []),
    ].join(", "),
  ]
}
