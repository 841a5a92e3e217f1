/** What a recorder or an import saw of a task, in rows of words: the texts, pages and documents that show a capture have it from here. */

import { type InferenceRule, RULES } from "../../events/vocabulary/Inference.ts"
import type { Capture } from "./Capture.ts"

/** A row. */
export interface CaptureRow {
  readonly name: (typeof NAMES)[number]
  readonly items: ReadonlyArray<CaptureItem>
}

/** What is said of one thing. */
export interface CaptureItem {
  /** How often; null where that is no matter of counting. */
  readonly count: number | null
  /** What it is. Text of the log, where `isOfLog`. */
  readonly what: string
  /** Where it went, why it is not there, or which rule decided; empty where there is nothing to say. */
  readonly why: string
  readonly isOfLog: boolean
}

/** The rows, in this order. */
const NAMES = ["seen", "inferred", "stubbed", "cut", "not visible", "cannot show"] as const

const counted = (count: number, one: string, many = `${one}s`): CaptureItem => ({
  count,
  what: count === 1 ? one : many,
  why: "",
  isOfLog: false,
})

const some = (items: ReadonlyArray<CaptureItem>) => items.filter(({ count }) => count !== 0)

/** The rows that have something to say; the first one always. */
export const rows = ({
  seen,
  inferred,
  stubbed,
  cut,
  notVisible,
  source,
  lacks,
}: Capture): ReadonlyArray<CaptureRow> => {
  const all: { readonly [name in CaptureRow["name"]]: ReadonlyArray<CaptureItem> } = {
    seen: [
      counted(seen.modelRequests, "model request"),
      ...some([
        counted(seen.otherRequests, "other request"),
        counted(seen.recordedTools, "recorded tool call"),
        counted(seen.observedTools, "observed tool call"),
        counted(seen.keptRecords, "record kept as it is", "records kept as they are"),
      ]),
    ],
    inferred: inferred.map(({ rule, count }) => ({ count, what: `by ${rule}`, why: sentenceOf(rule), isOfLog: false })),
    stubbed: stubbed.map((what) => ({ count: null, what, why: "a person set it in a fork", isOfLog: true })),
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

/** Of an import by an earlier version. */
const UNKNOWN: CaptureItem = {
  count: null,
  what: "not known",
  why: "the import did not say what its source lacks: a later version of Hindcast says it, in a new log",
  isOfLog: false,
}

const sentenceOf = (rule: string): string => (rule in RULES ? RULES[rule as InferenceRule] : "")

/** A row in one line: how often, what, and, of what is not there, why. */
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
