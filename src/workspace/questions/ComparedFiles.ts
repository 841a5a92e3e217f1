/** Compares the contents before and after changes of recorded files. */
import { defined } from "../../values/defined.ts"
import * as Content from "../history/Content.ts"
import * as UnifiedDiff from "../history/UnifiedDiff.ts"
import type * as Changes from "../model/Changes.ts"

export interface ComparedFile {
  readonly change: Changes.Change
  readonly before: Content.Content
  readonly after: Content.Content
  /** Undefined if a content is binary or unknown. */
  readonly diff: UnifiedDiff.UnifiedDiff | undefined
}

export const of = (change: Changes.Change, contents: Content.Contents): ComparedFile => {
  const before = Content.of(change.kind === "added" ? undefined : change.before, contents)
  const after = Content.of(change.kind === "removed" ? undefined : change.after, contents)
  const isComparable = [before, after].every(({ kind }) => kind === "text" || kind === "missing")
  return {
    change,
    before,
    after,
    diff: isComparable ? UnifiedDiff.between(bytesOf(before), bytesOf(after)) : undefined,
  }
}

const bytesOf = (content: Content.Content): Uint8Array => (content.kind === "text" ? content.bytes : new Uint8Array(0))

/** Why two contents are not compared by lines. */
export const whyNot = ({ before, after }: Pick<ComparedFile, "before" | "after">): string => {
  for (const content of [before, after])
    if (content.kind === "unknown") return `(a content was not recorded: ${Content.WHY[content.why]})`
  return "(binary contents differ)"
}

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
  /** False if the texts differ too much to be aligned: one hunk replaces all that differs. */
  readonly aligned: boolean
  /** Absent if only the numbers were asked for. */
  readonly hunks?: ReadonlyArray<Hunk>
}

/** A part of a unified diff. */
export interface Hunk {
  /** `@@ -1,4 +1,5 @@` */
  readonly header: string
  /** Each begins with a space, `-` or `+`. */
  readonly lines: ReadonlyArray<string>
}

/** A content is binary, or unknown: nobody knows which lines differ. */
export interface NotComparable {
  readonly reason: string
}

export const document = (compared: ComparedFile, stat: boolean): FileDifference => {
  const { change, diff } = compared
  return {
    path: change.path,
    kind: change.kind,
    ...(change.kind === "renamed" ? { from: change.from } : {}),
    ...(diff === undefined
      ? { reason: whyNot(compared) }
      : {
          added: diff.added,
          removed: diff.removed,
          aligned: diff.isWhole,
          ...defined({ hunks: stat ? undefined : diff.hunks.map(hunk) }),
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
