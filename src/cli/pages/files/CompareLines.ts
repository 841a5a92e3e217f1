/** Formats a comparison of the files that several tasks left. */

import type { TaskAudit } from "../../../projections/audit/TaskAudit.ts"
import * as Money from "../../../values/Money.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type * as Tested from "../../../workspace/bisect/Tested.ts"
import type { Change } from "../../../workspace/model/Changes.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { count, duration, number } from "../../terminal/Text.ts"

/** A task with its changes of the files, and the result of a command on them. */
export interface ComparedTask {
  /** As the user named it. */
  readonly name: string
  readonly audit: TaskAudit
  /** Undefined if the task recorded no files. */
  readonly files: ComparedFiles | undefined
  /** Undefined without a command, and for a task without files. */
  readonly verified: Verified | undefined
}

export interface ComparedFiles {
  /** From the task's start. Undefined if the store lacks the files of the start. */
  readonly changes: ReadonlyArray<Change> | undefined
  /** The sums of those changes whose lines can be counted, and the number of the others. */
  readonly lines: { readonly added: number; readonly removed: number; readonly uncounted: number }
}

export type Verified = Pick<Tested.Tested, "verdict" | "exitCode" | "ms" | "isCached" | "output" | "lost" | "omitted">

/** @param command the command of the runs, if there were any */
export const lines = (
  style: Style,
  tasks: ReadonlyArray<ComparedTask>,
  command: string | undefined,
): ReadonlyArray<string> => [
  ...Table.lines(
    style,
    ["task", "outcome", ...Table.right("score", "cost"), "files", ...(command === undefined ? [] : [oneLine(command)])],
    tasks.map((task) => [
      style.name(oneLine(task.name)),
      task.audit.outcome ?? "open",
      scoreOf(task),
      task.audit.model === undefined ? "" : Money.costInTable(task.audit.model.cost),
      changed(task),
      ...(command === undefined ? [] : [result(style, task)]),
    ]),
  ),
  ...tasks.flatMap((task) => failure(style, task)),
]

/** Of the last finished score set. */
const scoreOf = ({ audit }: ComparedTask): string => {
  const last = audit.scores.findLast(({ finished }) => finished)
  return last === undefined ? "" : `${number(last.net)} of ${number(last.possible)}`
}

const changed = ({ files }: ComparedTask): string => {
  if (files === undefined) return "no files recorded"
  if (files.changes === undefined) return "its starting files are not in the store"
  const { added, removed, uncounted } = files.lines
  const more = uncounted === 0 ? "" : `, and ${count(uncounted, "file")} without counted lines`
  return `${count(files.changes.length, "file")} changed, +${added} −${removed}${more}`
}

const result = (style: Style, { verified, files }: ComparedTask): string => {
  if (files === undefined || verified === undefined) return "not run: no files recorded"
  const [missing] = verified.lost
  if (missing !== undefined) return style.warn(`not run: ${oneLine(missing.path)}: ${oneLine(missing.why)}`)
  const after = `${duration(verified.ms)}${verified.isCached ? ", recorded before" : ""}`
  if (verified.verdict === "good") return style.good(`succeeds (${after})`)
  if (verified.verdict === "skip") return style.warn(`inconclusive: exit code 125 (${after})`)
  return style.bad(
    verified.exitCode === null ? `ended by the time limit (${after})` : `fails with ${verified.exitCode} (${after})`,
  )
}

const MAX_LINES = 10

/** The end of a failed run's output. */
const failure = (style: Style, { name, verified }: ComparedTask): ReadonlyArray<string> => {
  if (verified === undefined || verified.verdict !== "bad") return []
  const output = verified.output
    .trimEnd()
    .split("\n")
    .slice(-MAX_LINES)
    .filter((line) => line !== "")
  return output.length === 0 ? [] : ["", `${style.bold(oneLine(name))}:`, ...output.map((line) => `  ${oneLine(line)}`)]
}
