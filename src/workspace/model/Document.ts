/**
 * The document of a workspace: the environment of a task whose files are recorded. It names the tree at the task's start,
 * and holds what became of each file since. Pure.
 */

import { FILES, type PatchOperation } from "../../events/vocabulary/Sensing.ts"
import { defined } from "../../values/defined.ts"
import { type Json, type JsonObject, pointerKeys, pointerToken } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import type { Change } from "./Changes.ts"
import { type Entry, OMISSIONS } from "./Entry.ts"

/** The name in `plugin` of the events of workspaces. */
export const PLUGIN = FILES

/** Lines added and removed by a change. Absent if a content is no text, not known, or too large to compare. */
export interface LineCounts {
  readonly added: number
  readonly removed: number
}

/** What became of a file: in the document at `/files/PATH`. */
export interface FileState {
  readonly kind: Change["kind"]
  /** The earlier path of a renamed file. */
  readonly from?: string | undefined
  /** Absent if the file was removed. */
  readonly entry?: Entry | undefined
  readonly lines?: LineCounts | undefined
}

/** The document at a task's start. */
export const initial = (root: string, base: string): JsonObject => ({ root, base, files: {} })

/** The operations of one change. A renamed file has two: its earlier path is gone. */
export const operations = (change: Change, lines: LineCounts | undefined): ReadonlyArray<PatchOperation> => {
  const { kind, path } = change
  const after = kind === "removed" ? undefined : change.after
  const from = kind === "renamed" ? change.from : undefined
  const own = set(path, { kind, from, entry: after, lines })
  return from === undefined ? [own] : [set(from, { kind: "removed" }), own]
}

const set = (path: string, state: FileState): PatchOperation => ({
  op: "add",
  path: `/files/${pointerToken(path)}`,
  value: encode(state),
})

const encode = ({ kind, from, entry, lines }: FileState): JsonObject => ({
  kind,
  ...defined({ from }),
  ...(entry === undefined ? {} : encodeEntry(entry)),
  ...(lines === undefined ? {} : { added: lines.added, removed: lines.removed }),
})

const encodeEntry = ({ kind, mode, size, digest, omitted, stamp }: Entry): JsonObject => ({
  ...(kind === "link" ? { link: true } : {}),
  mode: mode.toString(8).padStart(3, "0"),
  size,
  ...defined({ digest, omitted, stamp }),
})

/** The files that a patch of the document changes, in its order. Leaves out what is in another form. */
export const read = (
  patch: ReadonlyArray<PatchOperation>,
): ReadonlyArray<{ readonly path: string; readonly state: FileState }> =>
  patch.flatMap((operation) => {
    const [files, path, ...others] = pointerKeys(operation.path)
    if (files !== "files" || path === undefined || others.length > 0 || operation.op === "remove") return []
    const state = decode(operation.value)
    return state === undefined ? [] : [{ path, state }]
  })

const KINDS: ReadonlySet<Json> = new Set(["added", "changed", "mode", "removed", "renamed"])

/** A file's state in the document; undefined if it has another form. */
export const decode = (value: Json | undefined): FileState | undefined => {
  if (!isObject(value) || !isKind(value.kind)) return undefined
  const { from, added, removed } = value
  const lines = typeof added === "number" && typeof removed === "number" ? { added, removed } : undefined
  return {
    kind: value.kind,
    ...defined({ from: typeof from === "string" ? from : undefined, entry: decodeEntry(value), lines }),
  }
}

const isKind = (kind: Json | undefined): kind is Change["kind"] => kind !== undefined && KINDS.has(kind)

const decodeEntry = ({ link, mode, size, digest, omitted, stamp }: JsonObject): Entry | undefined => {
  if (typeof mode !== "string" || !/^[0-7]{3}$/.test(mode) || typeof size !== "number") return undefined
  return {
    kind: link === true ? "link" : "file",
    mode: Number.parseInt(mode, 8),
    size,
    ...defined({
      digest: typeof digest === "string" ? digest : undefined,
      omitted: OMISSIONS.find((one) => one === omitted),
      stamp: typeof stamp === "string" ? stamp : undefined,
    }),
  }
}

/** The start and the files of a document; undefined if it is none of a workspace. */
export const start = (state: Json): { readonly root: string; readonly base: string } | undefined =>
  isObject(state) && typeof state.root === "string" && typeof state.base === "string"
    ? { root: state.root, base: state.base }
    : undefined

/** The tree after changes to another one. */
export const apply = (
  tree: Map<string, Entry>,
  changes: ReadonlyArray<{ readonly path: string; readonly state: FileState }>,
): void => {
  for (const { path, state } of changes) {
    if (state.entry === undefined) tree.delete(path)
    else tree.set(path, state.entry)
  }
}
