/** Formats the alignment of two runs. */
import { MAIN } from "../../../events/log/EventLog.ts"
import * as EventSummary from "../../../projections/summary/EventSummary.ts"
import * as EventContent from "../../../projections/timetravel/alignment/EventContent.ts"
import type { Aligned, Pair, RunName, RunSelector } from "../../../projections/timetravel/TimeTravel.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { at, count, MORE_HINT, shorten } from "../../terminal/Text.ts"
import * as EventLine from "../events/EventLine.ts"
import * as HistoryPage from "./HistoryPage.ts"

export interface AlignedRuns extends Aligned {
  readonly a: RunSelector
  readonly b: RunSelector
}

/**
 * A sentence on where two runs split, the extent of their agreement, and at most `limit` lines of differences. Marks
 * the first decision that differs. If it comes after the limit, leaves out lines before it. Only counts equal events.
 */
export const lines = (style: Style, page: AlignedRuns, limit: number): ReadonlyArray<string> => {
  const { pairs, divergence, shared, sentence } = page
  const sharedNote = shared > 0 ? [`Both share their history up to ${at(shared)}.`] : []
  if (divergence === null)
    return [...sharedNote, `${style.good("Nothing differs")}: ${count(page.same, "event")} of each.`]
  const parts = countEqualPairs(pairs)
  const pairOfSplit = page.split === null ? undefined : pairs[page.split]
  const split = parts.findIndex((part) => part.kind === "differs" && part.pair === pairOfSplit)
  const from = split < limit ? 0 : split - Math.min(BEFORE, limit - 1)
  const rows = parts.slice(from, from + limit).map((part, index) => row(style, part, from + index === split))
  const remaining = parts.length - from - limit
  return [
    ...sharedNote,
    sentence,
    `${page.same} the same, ${page.changed} changed, ${page.onlyInA} only in A, ${page.onlyInB} only in B.`,
    style.dim(`A: ${nameOf(page.a, page.names[0])}`),
    style.dim(`B: ${nameOf(page.b, page.names[1])}`),
    ...(from > 0 ? [style.dim(`${count(from, "line")} before these; ${MORE_HINT}`)] : []),
    ...Table.rows(style, [[style.dim("A"), style.dim("B")], ...rows], ["right", "right"]),
    ...(remaining > 0 ? [style.dim(`${remaining} more; ${MORE_HINT}`)] : []),
  ]
}

/** Lines shown before a split that comes after the limit. */
const BEFORE = 3

const nameOf = ({ taskId, timeline = MAIN }: RunSelector, { agent, models, goal }: RunName): string => {
  if (taskId === undefined) return `timeline ${oneLine(timeline)}`
  const run = timeline === MAIN ? oneLine(taskId) : `${oneLine(timeline)}@${oneLine(taskId)}`
  const parts = [agent, models.length === 0 ? null : models.join(" and "), goal === null ? null : shorten(goal, LENGTH)]
  return [run, ...parts.flatMap((part) => (part === null || part === "" ? [] : [oneLine(part)]))].join(", ")
}

/** Maximum length of a goal, in characters. */
const LENGTH = 60

/** A count of successive equal pairs, or one pair that differs. */
type Part = { readonly kind: "same"; readonly count: number } | { readonly kind: "differs"; readonly pair: Pair }

const countEqualPairs = (pairs: ReadonlyArray<Pair>): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  for (const pair of pairs) {
    const last = parts.at(-1)
    if (pair.kind !== "same") parts.push({ kind: "differs", pair })
    else if (last?.kind === "same") parts[parts.length - 1] = { kind: "same", count: last.count + 1 }
    else parts.push({ kind: "same", count: 1 })
  }
  return parts
}

const row = (style: Style, part: Part, isSplit: boolean): ReadonlyArray<string> => {
  const [a = "", b = "", sign = "", what = ""] = rowOf(style, part)
  return isSplit
    ? [a, b, style.bad("◆"), `${what}  ${style.dim("← the first decision that differs")}`]
    : [a, b, sign, what]
}

const rowOf = (style: Style, part: Part): ReadonlyArray<string> => {
  if (part.kind === "same") return ["", "", style.dim("="), style.dim(count(part.count, "event"))]
  const { kind, a, b } = part.pair
  const positions = [a, b].map((event) => (event === null ? "" : style.bold(at(event.position))))
  switch (kind) {
    case "onlyInA":
      return [...positions, style.bad("-"), `${EventLine.typeOf(style, a)}  ${EventSummary.of(a)}`]
    case "onlyInB":
      return [...positions, style.good("+"), `${EventLine.typeOf(style, b)}  ${EventSummary.of(b)}`]
    default: {
      const what = HistoryPage.patch(EventContent.of(a), EventContent.of(b))
      return [...positions, style.warn("~"), `${EventLine.typeOf(style, a)}  ${what}`]
    }
  }
}
