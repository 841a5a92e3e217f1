/**
 * The document of a workspace: the environment of a task whose files are recorded. It names the tree at the task's
 * start, and contains each file's later state. Pure.
 */

import type { PatchOperation } from "../../events/vocabulary/Sensing.ts"
import type { ChangedFile, FileState } from "../../projections/state/files/FileStates.ts"
import { defined } from "../../values/defined.ts"
import { type JsonObject, pointerToken } from "../../values/Json.ts"
import type { Change } from "./Changes.ts"
import type { Entry } from "./Entry.ts"

export { type FileState, type LineCounts, PLUGIN, read, start } from "../../projections/state/files/FileStates.ts"

/** The document at a task's start. */
export const initial = (root: string, base: string): JsonObject => ({ root, base, files: {} })

/** Facts about a change that only its recorder knows. */
export type Known = Pick<FileState, "lines" | "kept" | "before">

/** The operations of one change. A renamed file has two: its earlier path is gone. */
export const operations = (change: Change, { before, ...known }: Known): ReadonlyArray<PatchOperation> => {
  const { kind, path } = change
  const after = kind === "removed" ? undefined : change.after
  const from = kind === "renamed" ? change.from : undefined
  if (from === undefined) return [set(path, { kind, entry: after, before, ...known })]
  return [set(from, { kind: "removed", before }), set(path, { kind, from, entry: after, ...known })]
}

const set = (path: string, state: FileState): PatchOperation => ({
  op: "add",
  path: `/files/${pointerToken(path)}`,
  value: encode(state),
})

const encode = ({ kind, from, entry, lines, before, kept }: FileState): JsonObject => ({
  kind,
  ...defined({ from }),
  ...(entry === undefined ? {} : encodeEntry(entry)),
  ...(lines === undefined ? {} : { added: lines.added, removed: lines.removed }),
  ...defined({ kept }),
  ...(before?.digest === undefined
    ? {}
    : { before: { ...(before.kind === "link" ? { link: true } : {}), digest: before.digest } }),
})

const encodeEntry = ({ kind, mode, size, digest, omitted, stamp }: Entry): JsonObject => ({
  ...(kind === "link" ? { link: true } : {}),
  mode: mode.toString(8).padStart(3, "0"),
  size,
  ...defined({ digest, omitted, stamp }),
})

/** The tree after changes to another one. */
export const apply = (tree: Map<string, Entry>, changes: ReadonlyArray<ChangedFile>): void => {
  for (const { path, state } of changes) {
    if (state.entry === undefined) tree.delete(path)
    else tree.set(path, state.entry)
  }
}
