/** Formats how files differ: a unified diff, and its numbers. */

import { oneLine } from "../../../values/PlainText.ts"
import * as Content from "../../../workspace/history/Content.ts"
import { type DiffLine, NO_LINE_FEED, type UnifiedDiff } from "../../../workspace/history/UnifiedDiff.ts"
import * as WordDiff from "../../../workspace/history/WordDiff.ts"
import type { Change } from "../../../workspace/model/Changes.ts"
import type { ComparedFile } from "../../../workspace/questions/ComparedFiles.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import * as Text from "../../terminal/Text.ts"
import * as FileLines from "./FileLines.ts"

export const patch = (style: Style, compared: ComparedFile): string => shown(style, compared, byLines)

/** A patch whose lines mark the words that differ, as `[-old-]{+new+}`. */
export const wordPatch = (style: Style, compared: ComparedFile): string => shown(style, compared, byWords)

type Body = (style: Style, lines: ReadonlyArray<DiffLine>) => ReadonlyArray<string>

const shown = (style: Style, compared: ComparedFile, body: Body): string => {
  const { change } = compared
  const { from, to } = names(change)
  const modes = modesOf(change)
  return [
    style.bold(`diff --git a/${from} b/${to}`),
    ...modes.map(style.bold),
    ...(change.kind === "renamed" ? [style.bold(`rename from ${from}`), style.bold(`rename to ${to}`)] : []),
    ...(compared.diff === undefined ? [style.warn(compared.reason)] : hunks(style, change, compared.diff, body)),
  ].join("\n")
}

const hunks = (style: Style, change: Change, { hunks, isWhole }: UnifiedDiff, body: Body): ReadonlyArray<string> => {
  if (hunks.length === 0) return []
  const { from, to } = names(change)
  return [
    style.bold(change.kind === "added" ? "--- /dev/null" : `--- a/${from}`),
    style.bold(change.kind === "removed" ? "+++ /dev/null" : `+++ b/${to}`),
    ...hunks.flatMap(({ header, lines }) => [
      style.name(header) + (isWhole ? "" : style.warn(" too different to be aligned")),
      ...body(style, lines),
    ]),
  ]
}

const byLines: Body = (style, lines) => lines.flatMap((line) => written(style, line))

const byWords: Body = (style, lines) =>
  WordDiff.ofLines(lines).map((parts) =>
    parts
      .map(({ mark, text }) => {
        const shown = FileLines.visible(text)
        return mark === "+" ? style.good(`{+${shown}+}`) : mark === "-" ? style.bad(`[-${shown}-]`) : shown
      })
      .join(""),
  )

const written = (style: Style, { mark, bytes, hasLineFeed }: DiffLine): ReadonlyArray<string> => {
  const paint = mark === "+" ? style.good : mark === "-" ? style.bad : (text: string) => text
  const line = paint(mark + FileLines.visible(Content.textOf(bytes)))
  return hasLineFeed ? [line] : [line, NO_LINE_FEED]
}

const names = (change: Change): { readonly from: string; readonly to: string } => ({
  from: oneLine(change.kind === "renamed" ? change.from : change.path),
  to: oneLine(change.path),
})

const modesOf = (change: Change): ReadonlyArray<string> => {
  const octal = ({ kind, mode }: { readonly kind: "file" | "link"; readonly mode: number }) =>
    kind === "link" ? "120000" : (mode & 0o111) === 0 ? "100644" : "100755"
  switch (change.kind) {
    case "added":
      return [`new file mode ${octal(change.after)}`]
    case "removed":
      return [`deleted file mode ${octal(change.before)}`]
    default: {
      const [old, now] = [octal(change.before), octal(change.after)]
      return old === now ? [] : [`old mode ${old}`, `new mode ${now}`]
    }
  }
}

export const stat = (style: Style, all: ReadonlyArray<ComparedFile>): ReadonlyArray<string> => {
  const known = all.flatMap(({ diff }) => (diff === undefined ? [] : [diff]))
  const sum = (of: (diff: UnifiedDiff) => number) => known.reduce((total, diff) => total + of(diff), 0)
  const unknown = all.length - known.length
  return [
    ...Table.rows(
      style,
      all.map((compared) => [
        title(compared.change),
        compared.change.kind,
        ...(compared.diff === undefined
          ? [style.warn(compared.reason)]
          : [`${style.good(`+${compared.diff.added}`)} ${style.bad(`−${compared.diff.removed}`)}`]),
      ]),
    ),
    `${Text.count(all.length, "file")}, +${sum(({ added }) => added)} −${sum(({ removed }) => removed)}${
      unknown === 0 ? "" : `; ${unknown} without a count of lines`
    }`,
  ]
}

const title = (change: Change): string => {
  const { from, to } = names(change)
  return from === to ? to : `${from} → ${to}`
}
