/** Compares the contents before and after changes of recorded files. */
import { defined } from "../../values/defined.ts"
import * as Content from "../history/Content.ts"
import * as UnifiedDiff from "../history/UnifiedDiff.ts"
import type * as Changes from "../model/Changes.ts"

/** A change with its difference by lines, or why there is none. Holds neither content. */
export type ComparedFile = { readonly change: Changes.Change } & (
  | { readonly diff: UnifiedDiff.UnifiedDiff }
  | { readonly diff: undefined; readonly reason: string }
)

export const of = (change: Changes.Change, contents: Content.Contents): ComparedFile => {
  const before = Content.of(change.kind === "added" ? undefined : change.before, contents)
  const after = Content.of(change.kind === "removed" ? undefined : change.after, contents)
  const reason = whyNot([before, after])
  return reason === undefined
    ? { change, diff: UnifiedDiff.between(bytesOf(before), bytesOf(after)) }
    : { change, diff: undefined, reason }
}

const bytesOf = (content: Content.Content): Uint8Array => (content.kind === "text" ? content.bytes : new Uint8Array(0))

/** Why two contents are not compared by lines. */
const whyNot = (contents: ReadonlyArray<Content.Content>): string | undefined => {
  for (const content of contents)
    if (content.kind === "unknown") return `(a content was not recorded: ${Content.WHY[content.why]})`
  if (contents.some(({ kind }) => kind === "binary")) return "(binary contents differ)"
  return UnifiedDiff.isTooLong(...contents.map(bytesOf))
    ? "(the contents have too many lines to compare them)"
    : undefined
}

/** Keeps only a difference's line counts. */
export const numbers = (compared: ComparedFile): ComparedFile =>
  compared.diff === undefined ? compared : { change: compared.change, diff: { ...compared.diff, hunks: [] } }

/** Makes a function that drops lines from differences once there are too many for one answer. */
export const withinAnswer = (maxBytes = MAX_ANSWER_BYTES): ((compared: ComparedFile) => ComparedFile) => {
  let bytes = 0
  return (compared) => {
    if (compared.diff === undefined) return compared
    for (const { lines } of compared.diff.hunks) for (const line of lines) bytes += line.bytes.length + LINE_BYTES
    if (bytes <= maxBytes) return compared
    return {
      change: compared.change,
      diff: undefined,
      reason: "(the answer has no room for it: ask for this file alone)",
    }
  }
}

const MAX_ANSWER_BYTES = 128 * 1024 * 1024

/** The memory of a line without its bytes. */
const LINE_BYTES = 64

/** How a file differs between two moments. */
export type FileDifference = {
  readonly path: string
  readonly kind: Changes.Change["kind"]
  /** The earlier path of a renamed file. */
  readonly from?: string
} & (LineDifference | NotComparable)

/** The difference of two texts. */
export interface LineDifference {
  readonly added: number
  readonly removed: number
  /** False if the texts differ too much to align them: one hunk replaces the whole text. */
  readonly aligned: boolean
  /** Absent if the caller asked only for counts. */
  readonly hunks?: ReadonlyArray<Hunk>
}

/** A part of a unified diff. */
export interface Hunk {
  /** `@@ -1,4 +1,5 @@` */
  readonly header: string
  /** Each begins with a space, `-` or `+`. */
  readonly lines: ReadonlyArray<string>
}

/** A content is binary or unknown. */
export interface NotComparable {
  readonly reason: string
}

export const document = (compared: ComparedFile, stat: boolean): FileDifference => {
  const { change } = compared
  return {
    path: change.path,
    kind: change.kind,
    ...(change.kind === "renamed" ? { from: change.from } : {}),
    ...(compared.diff === undefined
      ? { reason: compared.reason }
      : {
          added: compared.diff.added,
          removed: compared.diff.removed,
          aligned: compared.diff.isWhole,
          ...defined({ hunks: stat ? undefined : compared.diff.hunks.map(hunk) }),
        }),
  }
}

const hunk = ({ header, lines }: UnifiedDiff.DiffHunk): Hunk => ({
  header,
  lines: lines.map(({ mark, bytes }) => mark + Content.textOf(bytes)),
})

/** The unified diff of a file as text; undefined where the contents are not comparable. */
export const unified = ({ change, diff }: ComparedFile): string | undefined => {
  if (diff === undefined) return undefined
  if (diff.hunks.length === 0) return ""
  const from = change.kind === "added" ? "/dev/null" : `a/${change.kind === "renamed" ? change.from : change.path}`
  const to = change.kind === "removed" ? "/dev/null" : `b/${change.path}`
  const lines = diff.hunks.flatMap(({ header, lines }) => [
    header,
    ...lines.flatMap(({ mark, bytes, hasLineFeed }) => [
      mark + Content.textOf(bytes),
      ...(hasLineFeed ? [] : [UnifiedDiff.NO_LINE_FEED]),
    ]),
  ])
  return [`--- ${from}`, `+++ ${to}`, ...lines, ""].join("\n")
}
