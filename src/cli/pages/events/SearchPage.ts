/** The hits of a search, each in two lines: its place, and the text around the words. */
import type { Found, Hit } from "../../../search/Search.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import { at, time } from "../../terminal/Text.ts"

export const lines = (style: Style, { hits, next, widened, coverage }: Found): ReadonlyArray<string> => {
  const covered =
    coverage.position < coverage.head
      ? [style.warn(`The search covers the events up to ${at(coverage.position)} of ${at(coverage.head)} so far.`)]
      : []
  if (hits.length === 0) return ["No event contains these words.", ...covered]
  return [
    ...(widened ? [style.dim("No event contains exactly these words. These contain words that begin with them:")] : []),
    ...hits.flatMap((hit) => [headOf(style, hit), `  ${excerpt(hit, style.bold)}`]),
    ...(next === undefined ? [] : [style.dim(`There may be earlier hits: --until ${at(next - 1)} shows them.`)]),
    ...covered,
  ]
}

/** The text around the words on one line, with the words marked. */
export const excerpt = ({ excerpt: pieces }: Hit, mark: (text: string) => string): string =>
  pieces
    .map(({ text, marked }) => {
      const shown = oneLine(text.replaceAll(/\s+/g, " "))
      return marked ? mark(shown) : shown
    })
    .join("")
    .trim()

const headOf = (style: Style, { position, timeline, kind, type, taskId, occurredAt }: Hit): string =>
  [
    style.bold(`${timeline === "main" ? "" : oneLine(timeline)}${at(position)}`),
    style.dim(time(occurredAt)),
    (kind === "error" ? style.bad : style.name)(kind === "other" ? oneLine(type) : kind),
    style.dim(taskId === null ? "no task" : oneLine(taskId)),
  ].join("  ")

export const document = (text: string, { hits, next, widened, coverage }: Found) => ({
  text,
  widened,
  hits,
  next: next ?? null,
  coverage,
})
