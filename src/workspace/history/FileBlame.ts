/** Blames a recorded file: each present line, with the version that it comes from. */

import * as Blame from "./Blame.ts"
import * as Content from "./Content.ts"
import type { FileVersion } from "./FileVersions.ts"
import { LineTable, NO_LINES } from "./LineTable.ts"
import { sourceOf } from "./Looks.ts"

export interface FileBlame {
  readonly lines: ReadonlyArray<{ readonly text: string; readonly from: Blame.Attribution<FileVersion> }>
  readonly hasDropped: boolean
}

/** Blames the lines of a text by the versions of its file, oldest first. */
export const of = (
  versions: ReadonlyArray<FileVersion>,
  present: Uint8Array,
  contents: Content.Contents,
): FileBlame => {
  const table = new LineTable()
  const known = (function* () {
    for (const version of versions) {
      const { kind } = sourceOf(version.look)
      yield { origin: version, lines: linesOf(version, contents, table), isOutside: OUTSIDE.has(kind) }
    }
  })()
  const lines = table.linesOf(present)
  const blamed = Blame.of(known, lines, table)
  return {
    lines: blamed.lines.map((from, index) => ({ text: Content.textOf(table.bytesOf(lines[index] ?? -1)), from })),
    hasDropped: blamed.hasDropped,
  }
}

const OUTSIDE: ReadonlySet<string> = new Set(["start", "no-call", "not-watched", "restored"])

const linesOf = (version: FileVersion, contents: Content.Contents, table: LineTable) => {
  if (version.kind === "unknown") return undefined
  const content = Content.of(version.entry, contents)
  switch (content.kind) {
    case "text":
      return table.linesOf(content.bytes)
    case "unknown":
      return undefined
    default:
      return NO_LINES
  }
}
