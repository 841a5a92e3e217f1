/** Reads the document of a workspace, the environment of a task whose files are recorded. Pure; `workspace/` writes it. */

import { FILES, type PatchOperation } from "../../../events/vocabulary/Sensing.ts"
import { defined } from "../../../values/defined.ts"
import { type Json, type JsonObject, pointerKeys } from "../../../values/Json.ts"
import { isObject } from "../../../values/JsonObjects.ts"

/** The name in `plugin` of the events of workspaces. */
export const PLUGIN = FILES

/** The gap that a task notes once a snapshot failed. */
export const NO_SNAPSHOTS = "the workspace's files, from here on"

/** A file or a symbolic link as a snapshot records it. */
export interface Entry {
  readonly kind: "file" | "link"
  /** Permission bits, such as 0o644. */
  readonly mode: number
  /** In bytes; of a link, of its target's name. */
  readonly size: number
  /**
   * SHA-256 of the content (of a link, of its target's name), in hexadecimal. Of a file with secrets, a digest with the
   * store's key instead. Absent if the file was not read.
   */
  readonly digest?: string | undefined
  /** Why the store lacks the content. */
  readonly omitted?: Omission | undefined
  /** Changes with the file, in place of a digest: it was not read. */
  readonly stamp?: string | undefined
}

/**
 * `large`: above the size limit; `secret`: by its name, or it contains a secret of this recorder; `changing`: it changed
 * whenever it was read; `unreadable`: the system refused.
 */
export const OMISSIONS = ["large", "secret", "changing", "unreadable"] as const

export type Omission = (typeof OMISSIONS)[number]

const KINDS = ["added", "changed", "mode", "removed", "renamed"] as const

/** Lines added and removed by a change. Absent if a content is no text, not known, or too large to compare. */
export interface LineCounts {
  readonly added: number
  readonly removed: number
}

/** What became of a file: in the document at `/files/PATH`. */
export interface FileState {
  readonly kind: (typeof KINDS)[number]
  /** The earlier path of a renamed file. */
  readonly from?: string | undefined
  /** Absent if the file was removed. */
  readonly entry?: Entry | undefined
  readonly lines?: LineCounts | undefined
  /** The content before, at the first change that the task saw of this path: no other event has it. */
  readonly before?: Pick<Entry, "kind" | "digest"> | undefined
  /** Lines of the file that are from the task's own calls. Absent if unknown. */
  readonly kept?: number | undefined
}

export interface ChangedFile {
  readonly path: string
  readonly state: FileState
}

/** The files that a patch of the document changes, in its order. Leaves out entries of another form. */
export const read = (patch: ReadonlyArray<PatchOperation>): ReadonlyArray<ChangedFile> =>
  patch.flatMap((operation) => {
    const [files, path, ...others] = pointerKeys(operation.path)
    if (files !== "files" || path === undefined || others.length > 0 || operation.op === "remove") return []
    const state = decode(operation.value)
    return state === undefined ? [] : [{ path, state }]
  })

/** A file's state in the document; undefined if it has another form. */
export const decode = (value: Json | undefined): FileState | undefined => {
  if (!isObject(value)) return undefined
  const kind = KINDS.find((one) => one === value.kind)
  if (kind === undefined) return undefined
  const { from, added, removed, kept } = value
  const lines = isCount(added) && isCount(removed) ? { added, removed } : undefined
  return {
    kind,
    ...defined({ from: typeof from === "string" ? from : undefined, entry: decodeEntry(value), lines }),
    ...defined({ before: decodeBefore(value.before), kept: isCount(kept) && kept <= MAX_LINES ? kept : undefined }),
  }
}

/** The recorder reads no larger text. */
const MAX_LINES = 16 * 1024 * 1024

const decodeBefore = (value: Json | undefined): FileState["before"] =>
  isObject(value) && typeof value.digest === "string"
    ? { kind: value.link === true ? "link" : "file", digest: value.digest }
    : undefined

const isCount = (value: Json | undefined): value is number => Number.isSafeInteger(value) && Number(value) >= 0

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

/** The start of a document; undefined if it is none of a workspace. */
export const start = (state: Json): { readonly root: string; readonly base: string } | undefined =>
  isObject(state) && typeof state.root === "string" && typeof state.base === "string"
    ? { root: state.root, base: state.base }
    : undefined

/** Who made a change. */
export type Source =
  /** One call; `causationId` leads to it. */
  | { readonly kind: "call" }
  /** One or several of these commands. */
  | { readonly kind: "calls"; readonly commandIds: ReadonlyArray<string> }
  /** No recorded call was in progress. */
  | { readonly kind: "no-call" }
  /** Nobody saw when it happened. */
  | { readonly kind: "not-watched" }
  /** Hindcast brought back the files of an earlier moment, for a task that continues there. */
  | { readonly kind: "restored" }

/** Who made a change, by the payload of its `EnvironmentChanged`. */
export const sourceOf = ({ unattributed, commands }: JsonObject): Source => {
  if (unattributed === "no-call" || unattributed === "not-watched" || unattributed === "restored")
    return { kind: unattributed }
  return Array.isArray(commands) ? { kind: "calls", commandIds: commands.map(String) } : { kind: "call" }
}
