/** Tracks file contents through the calls and results of Claude Code's file tools. */

import type { PendingCommand } from "../runs/Commands.ts"
import { edited, type TextEdit } from "../runs/EditedFiles.ts"
import type { MappedRun } from "../runs/Run.ts"
import { at, field, listOf, numberOf, textOf } from "../runs/Untrusted.ts"

/** Applies a successful call. `result` is the record's `toolUseResult`. */
export const apply = (
  run: MappedRun,
  callId: string,
  { tool, args }: PendingCommand,
  result: unknown,
  time: number | null,
): void => {
  if (tool === "Read") {
    learn(run, callId, result, time)
    return
  }
  const path = textOf(args, "file_path") ?? textOf(args, "notebook_path") ?? textOf(result, "filePath")
  if (path === undefined) return
  const original = field(result, "originalFile")
  const before = typeof original === "string" ? original : run.environment.files.get(path)
  if (EDITS.has(tool)) run.environment.fileChanged(callId, path, before, contentAfter(tool, args, result, before), time)
}

const EDITS = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"])

/**
 * Prefers the written content in the result over the call's arguments, since a person may change an edit before
 * approving it.
 */
const contentAfter = (
  tool: string,
  args: unknown,
  result: unknown,
  before: string | null | undefined,
): string | null => {
  const written = field(result, tool === "NotebookEdit" ? "updated_file" : "content")
  if (typeof written === "string" && (tool === "Write" || tool === "NotebookEdit")) return written
  const hunks = listOf(result, "structuredPatch")
  const isModified = field(result, "userModified") === true
  if (isModified && typeof before === "string" && hunks.length > 0) return patchedBy(before, hunks)
  if (tool === "NotebookEdit" || isModified) return null
  const content = field(args, "content")
  if (tool === "Write") return typeof content === "string" ? content : null
  const after = afterEdits(before, tool === "Edit" ? [args] : listOf(args, "edits"))
  return after ?? (typeof before === "string" && hunks.length > 0 ? patchedBy(before, hunks) : null)
}

/** Applies hunks of the `diff` library; null if one does not fit. */
const patchedBy = (before: string, hunks: ReadonlyArray<unknown>): string | null => {
  const lines = before.split("\n")
  const after: Array<string> = []
  let next = 0
  for (const hunk of hunks) {
    const start = (numberOf(hunk, "oldStart") ?? 0) - (numberOf(hunk, "oldLines") === 0 ? 0 : 1)
    if (start < next || start > lines.length) return null
    after.push(...lines.slice(next, start))
    next = start
    for (const line of listOf(hunk, "lines")) {
      if (typeof line !== "string") return null
      const [mark, text] = [line.slice(0, 1), line.slice(1)]
      if (mark === "\\") continue
      if (mark !== "+" && lines[next] !== text) return null
      if (mark !== "+") next += 1
      if (mark !== "-") after.push(text)
    }
  }
  return [...after, ...lines.slice(next)].join("\n")
}

const learn = (run: MappedRun, callId: string, result: unknown, time: number | null): void => {
  const file = field(result, "file")
  const path = textOf(file, "filePath")
  const content = field(file, "content")
  const isWhole =
    numberOf(file, "startLine") === 1 &&
    numberOf(file, "numLines") !== undefined &&
    numberOf(file, "numLines") === numberOf(file, "totalLines")
  if (path !== undefined && typeof content === "string" && isWhole)
    run.environment.fileKnown(callId, path, content, time)
}

/** Applies edits; null if the content is unknown. An edit of the empty text creates the file. */
const afterEdits = (before: string | null | undefined, edits: ReadonlyArray<unknown>): string | null => {
  const all: Array<TextEdit> = []
  for (const edit of edits) {
    const from = field(edit, "old_string")
    const to = field(edit, "new_string")
    if (typeof from !== "string" || typeof to !== "string") return null
    all.push({ from, to, all: at(edit, "replace_all") === true })
  }
  const base = before ?? (all[0]?.from === "" ? "" : undefined)
  return base === undefined || base === null ? null : edited(base, all)
}
