/** A task's capture as rows of text, for all output that shows it. */

import { type InferenceRule, MATCH_RULES, RULES } from "../../events/vocabulary/Inference.ts"
import type { Capture } from "./Capture.ts"

export interface CaptureRow {
  readonly name: (typeof NAMES)[number]
  readonly items: ReadonlyArray<CaptureItem>
}

/** One entry of a row. */
export interface CaptureItem {
  /** How often; null if it is not countable. */
  readonly count: number | null
  /** The label; text from the log if `isOfLog`. */
  readonly what: string
  /** The target, the reason, or the rule's sentence; empty if there is none. */
  readonly why: string
  readonly isOfLog: boolean
}

const NAMES = ["seen", "inferred", "stubbed", "cut", "not visible", "cannot show"] as const

const counted = (count: number, one: string, many = `${one}s`): CaptureItem => ({
  count,
  what: count === 1 ? one : many,
  why: "",
  isOfLog: false,
})

const some = (items: ReadonlyArray<CaptureItem>) => items.filter(({ count }) => count !== 0)

/** The rows with entries. The first row always has one. */
export const rows = ({
  seen,
  inferred,
  stubbed,
  cut,
  notVisible,
  source,
  lacks,
  merged = [],
}: Capture): ReadonlyArray<CaptureRow> => {
  const all: { readonly [name in CaptureRow["name"]]: ReadonlyArray<CaptureItem> } = {
    seen: [
      counted(seen.modelRequests, "model request"),
      ...some([
        counted(seen.otherRequests, "other request"),
        counted(seen.recordedTools, "recorded tool call"),
        counted(seen.observedTools, "observed tool call"),
        counted(seen.keptRecords, "record kept unchanged", "records kept unchanged"),
      ]),
    ],
    inferred: [
      ...inferred.map(({ rule, count }) => ({ count, what: `by ${rule}`, why: sentenceOf(rule), isOfLog: false })),
      ...merged.map(({ source, rule, count }) => ({
        count,
        what: `also reported by ${source}, matched by ${rule}`,
        why: MATCH_RULES[rule],
        isOfLog: true,
      })),
    ],
    stubbed: stubbed.map((what) => ({ count: null, what, why: "set by a person in a fork", isOfLog: true })),
    cut: some([
      counted(cut.bodies, "body", "bodies"),
      counted(cut.results, "result"),
      counted(cut.unread, "unread part"),
    ]),
    "not visible": notVisible.map(({ what, target, count }) => ({ count, what, why: target, isOfLog: true })),
    "cannot show":
      lacks?.map(({ what, why }) => ({ count: null, what, why, isOfLog: true })) ??
      (source === undefined ? [] : [UNKNOWN]),
  }
  return NAMES.flatMap((name) => (all[name].length === 0 ? [] : [{ name, items: all[name] }]))
}

/** For imports by earlier versions. */
const UNKNOWN: CaptureItem = {
  count: null,
  what: "unknown",
  why: "an earlier version of Hindcast imported the task and did not record what its source lacks; import it again into a new log",
  isOfLog: false,
}

const sentenceOf = (rule: string): string => (rule in RULES ? RULES[rule as InferenceRule] : "")

/** Formats a row as one line. Reasons appear only for invisible parts. */
export const line = ({ name, items }: CaptureRow, quoted: (text: string) => string): string =>
  `${name}: ${items.map((item) => wordsOf(name, item, quoted)).join(", ")}`

const wordsOf = (
  name: CaptureRow["name"],
  { count, what, why, isOfLog }: CaptureItem,
  quoted: (text: string) => string,
): string => {
  const text = isOfLog ? quoted(what) : what
  if (name === "not visible") return `${text}: ${quoted(why)}${count === 1 ? "" : ` (${count} times)`}`
  return count === null ? text : `${count} ${text}`
}
