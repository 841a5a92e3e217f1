/** Files with the agents that wrote their lines, as far as attribution formats can express it. Pure. */

import * as LineRanges from "../../importing/attributions/LineRanges.ts"
import type { Writer, WrittenLine } from "./WrittenLines.ts"

export interface AttributedFile {
  /** From the root of the repository, with `/`. */
  readonly path: string
  /** Only lines that count for the revision. */
  readonly lines: ReadonlyArray<WrittenLine>
}

/** Information that a format cannot express. */
export interface LeftOut {
  readonly what: string
  readonly count: number
}

/** A writer's lines of a file. */
export interface Share<Who> {
  readonly who: Who
  readonly lines: ReadonlyArray<WrittenLine>
}

/** The lines by writer, in the order of their first lines. Lines from before the recording have no writer. */
export const shares = <Who extends Writer | "unknown">(
  lines: ReadonlyArray<WrittenLine>,
  keyOf: (who: Writer | "unknown") => string | undefined,
): ReadonlyArray<Share<Who>> => {
  const found = new Map<string, { who: Who; lines: Array<WrittenLine> }>()
  for (const line of lines) {
    if (line.by === "older") continue
    const key = keyOf(line.by)
    if (key === undefined) continue
    const share = found.get(key) ?? { who: line.by as Who, lines: [] }
    share.lines.push(line)
    found.set(key, share)
  }
  return [...found.values()]
}

export const rangesOf = (lines: ReadonlyArray<WrittenLine>): ReadonlyArray<LineRanges.LineRange> =>
  LineRanges.ofLines(lines.map(({ line }) => line))

/** The number of lines by writer. */
export const countsOf = (files: ReadonlyArray<AttributedFile>) => {
  const counts = { agent: 0, unknown: 0, older: 0 }
  for (const { by } of files.flatMap(({ lines }) => lines)) counts[typeof by === "string" ? by : "agent"] += 1
  return counts
}

export const isWriter = (by: WrittenLine["by"]): by is Writer => typeof by !== "string"
