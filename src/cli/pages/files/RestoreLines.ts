/** Formats the changes of a restore over the present files. */
import { at } from "../../../values/Formats.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { OwnChange } from "../../../workspace/model/Changes.ts"
import type { Left } from "../../../workspace/restore/RestoreInto.ts"
import type { Plan } from "../../../workspace/restore/RestorePlan.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import * as Text from "../../terminal/Text.ts"

/** An open task whose files are in the same directory. */
export interface OpenSession {
  readonly taskId: string
  readonly agent: string
}

export interface Planned extends Plan {
  readonly root: string
  readonly position: number
  readonly sessions: ReadonlyArray<OpenSession>
}

export const plan = (style: Style, { steps, left, root, position, sessions }: Planned): ReadonlyArray<string> => {
  const counts = WORDS.flatMap(([kind, word]) => {
    const count = steps.filter((step) => step.kind === kind).length
    return count === 0 ? [] : [`${word} ${count}`]
  })
  const links = steps.filter(isLink).length
  return [
    `${style.bold(`The files of ${at(position)} in ${oneLine(root)}`)}: ${counts.length === 0 ? "nothing to write" : counts.join(", ")}${links === 0 ? "" : ` (${Text.count(links, "link")})`}`,
    ...Table.rows(
      style,
      steps.slice(0, MAX_LINES).map((step) => [`  ${WORD[step.kind]}`, oneLine(step.path), style.dim(detail(step))]),
    ),
    ...more(steps.length),
    ...(left.length === 0 ? [] : [`${style.warn("Left as they are")}: ${Text.count(left.length, "path")}`]),
    ...leftLines(left),
    ...sessions.map(
      ({ taskId, agent }) =>
        `${style.warn("In progress here")}: ${oneLine(agent)}, task ${oneLine(taskId)}. It may change these files at the same time.`,
    ),
  ]
}

export const leftLines = (left: ReadonlyArray<Left>): ReadonlyArray<string> => [
  ...left.slice(0, MAX_LINES).map(({ path, why }) => `  ${oneLine(path)}: ${oneLine(why)}`),
  ...more(left.length),
]

const more = (count: number): ReadonlyArray<string> =>
  count > MAX_LINES ? [`  … and ${count - MAX_LINES} more, which --json lists`] : []

const MAX_LINES = 200

const WORD = { added: "add", changed: "change", mode: "mode", removed: "remove" } as const

const WORDS = [
  ["added", "add"],
  ["changed", "change"],
  ["mode", "change the mode of"],
  ["removed", "remove"],
] as const

const isLink = (step: OwnChange): boolean => (step.kind === "removed" ? step.before : step.after).kind === "link"

const detail = (step: OwnChange): string => {
  const link = isLink(step) ? "link" : ""
  if (step.kind !== "mode" && step.kind !== "changed") return link
  const [before, after] = [step.before, step.after].map(({ mode }) => mode.toString(8).padStart(3, "0"))
  return before === after || link !== "" ? link : `${before} → ${after}`
}
