/** The facts of a task's recorded files in words, for all output that shows them. */

import type { RecordedFiles } from "./RecordedFiles.ts"

/** `3 touched, +20 −4 lines, 1 undone`: without counts that are zero. */
export const filesInWords = (files: RecordedFiles): string => {
  const { touched, linesAdded, linesRemoved, linesKept, undone, outside, unattributed } = files
  const { emptyEdits, unclearEdits, partial } = files
  const isCounted = linesAdded !== undefined && linesRemoved !== undefined
  const lines = isCounted ? `+${linesAdded} −${linesRemoved} lines` : "lines unknown"
  const edits = (count: number) => (count === 1 ? "edit" : "edits")
  return [
    `${partial === true ? "at least " : ""}${touched} touched`,
    ...(touched === 0 ? [] : [lines]),
    ...(linesKept === undefined || linesKept === linesAdded ? [] : [`${linesKept} kept`]),
    ...(undone === 0 ? [] : [`${undone} undone`]),
    ...(outside === 0 ? [] : [`${outside} changed from outside`]),
    ...(unattributed === 0 ? [] : [`${unattributed} changed by an unknown cause`]),
    ...(emptyEdits === 0 ? [] : [`${emptyEdits} ${edits(emptyEdits)} without effect`]),
    ...(unclearEdits === 0 ? [] : [`${unclearEdits} ${edits(unclearEdits)} of unknown effect`]),
  ].join(", ")
}
