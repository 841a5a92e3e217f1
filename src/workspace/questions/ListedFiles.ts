/** The recorded files at a moment, as a list. */
import { defined } from "../../values/defined.ts"
import type { Entry, Omission, Tree } from "../model/Entry.ts"
import type { Opened, Stopped } from "./RecordedFiles.ts"

/** A recorded file, without its content. */
export interface ListedFile {
  readonly path: string
  readonly kind: Entry["kind"]
  /** Permission bits in octal, such as `644`. */
  readonly mode: string
  /** In bytes; for a link, that of its target's name. */
  readonly size: number
  /** Absent if the file was not read. */
  readonly digest?: string
  /** Why the store lacks the content. */
  readonly omitted?: Omission
}

/** The files of a workspace at a moment. */
export interface FileList {
  /** The directory, on the machine that recorded it. */
  readonly root: string
  readonly timeline: string
  readonly at: number
  /** Present if the recorder could take no snapshot since the last one: the files may have changed. */
  readonly stopped?: Stopped
  readonly files: ReadonlyArray<ListedFile>
}

/** In order of the paths. */
export const sorted = (tree: Tree): ReadonlyArray<readonly [path: string, entry: Entry]> =>
  [...tree].sort(([one], [other]) => (one < other ? -1 : 1))

export const document = ({ root, timeline, position, stopped }: Opened, tree: Tree): FileList => ({
  root,
  timeline,
  at: position,
  ...defined({ stopped }),
  files: sorted(tree).map(([path, entry]) => ofEntry(path, entry)),
})

export const ofEntry = (path: string, { kind, mode, size, digest, omitted }: Entry): ListedFile => ({
  path,
  kind,
  mode: octal(mode),
  size,
  ...defined({ digest, omitted }),
})

export const octal = (mode: number): string => mode.toString(8).padStart(3, "0")
