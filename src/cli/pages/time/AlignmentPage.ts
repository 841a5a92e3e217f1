/** Formats the alignment of two runs. */
import { MAIN } from "../../../events/log/EventLog.ts"
import * as EventSummary from "../../../projections/summary/EventSummary.ts"
import * as EventContent from "../../../projections/timetravel/alignment/EventContent.ts"
import type { Aligned, Pair, RunSelector } from "../../../projections/timetravel/TimeTravel.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { at, count, MORE_HINT } from "../../terminal/Text.ts"
import * as EventLine from "../events/EventLine.ts"
import * as HistoryPage from "./HistoryPage.ts"

export interface AlignedRuns extends Aligned {
  readonly a: RunSelector
  readonly b: RunSelector
}

/** How much two runs agree, then their differences from the first divergence on. Only counts equal events. */
export const lines = (style: Style, page: AlignedRuns, limit: number): ReadonlyArray<string> => {
  const { pairs, divergence, shared } = page
  const sharedNote = shared > 0 ? [`Both share their history up to ${at(shared)}.`] : []
  if (divergence === null)
    return [...sharedNote, `${style.good("Nothing differs")}: ${count(page.same, "event")} of each.`]
  const parts = countEqualPairs(pairs)
  const rows = parts.slice(0, limit).map((part) => row(style, part))
  const remaining = parts.length - limit
  return [
    ...sharedNote,
    `${page.same} the same, ${page.changed} changed, ${page.onlyInA} only in A, ${page.onlyInB} only in B.`,
    style.dim(`A: ${nameOf(page.a)}`),
    style.dim(`B: ${nameOf(page.b)}`),
    ...Table.rows(style, [[style.dim("A"), style.dim("B")], ...rows], ["right", "right"]),
    ...(remaining > 0 ? [style.dim(`${remaining} more; ${MORE_HINT}`)] : []),
  ]
}

const nameOf = ({ taskId, timeline = MAIN }: RunSelector): string => {
  if (taskId === undefined) return `timeline ${oneLine(timeline)}`
  return timeline === MAIN ? oneLine(taskId) : `${oneLine(timeline)}@${oneLine(taskId)}`
}

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

const row = (style: Style, part: Part): ReadonlyArray<string> => {
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
