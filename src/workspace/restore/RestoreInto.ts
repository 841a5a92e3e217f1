/** Restores a recorded tree into a directory of its own. */

import * as fs from "node:fs"
import * as path from "node:path"
import { Data } from "effect"
import * as Content from "../history/Content.ts"
import type { Tree } from "../model/Entry.ts"
import * as RestorablePaths from "./RestorablePaths.ts"
import * as WrittenFile from "./WrittenFile.ts"

/** The directory cannot take a tree. */
export class DirectoryUnfit extends Data.TaggedError("DirectoryUnfit")<{
  readonly directory: string
  readonly found: string
}> {
  override get message() {
    return `${this.directory}: expected an empty directory, or none, found ${this.found}. Nothing was written. Name another directory.`
  }
}

/** A recorded file that was not restored, and why, in words. */
export interface Left {
  readonly path: string
  readonly why: string
}

/** The result of a restore into a directory. */
export interface Restored {
  /** An absolute path without links. */
  readonly directory: string
  /** Files and links that are on the disk as they were recorded. */
  readonly restored: ReadonlyArray<string>
  readonly left: ReadonlyArray<Left>
}

/**
 * Writes the files and links of a tree, and then compares each with its recorded state. Writes nothing outside of the
 * directory, and nothing through a link. Reports what it cannot write as left. Throws `DirectoryUnfit`.
 */
export const into = (directory: string, tree: Tree, contents: Content.Contents): Restored => {
  const root = prepared(directory)
  const refusals = RestorablePaths.refused(tree)
  const left: Array<Left> = []
  const written: Array<string> = []
  for (const [file, entry] of linksLast(tree)) {
    const refusal = refusals.get(file)
    const why =
      refusal === undefined
        ? attempt(() => {
            const bytes = bytesOf(Content.of(entry, contents))
            if (typeof bytes === "string") return bytes
            WrittenFile.write(root, file, entry, bytes, "create")
            return undefined
          })
        : REFUSALS[refusal]
    if (why === undefined) written.push(file)
    else left.push({ path: file, why })
  }
  const restored: Array<string> = []
  for (const file of written) {
    const entry = tree.get(file)
    const why = entry && attempt(() => WrittenFile.difference(root, file, entry))
    if (why === undefined) restored.push(file)
    else left.push({ path: file, why: `written, but ${why}` })
  }
  return { directory: root, restored, left }
}

/** On a file system that ignores case, an existing link could capture a file's path. */
export const linksLast = (tree: Tree) => {
  const all = [...tree]
  return [...all.filter(([, { kind }]) => kind === "file"), ...all.filter(([, { kind }]) => kind === "link")]
}

/** The bytes of a content, or why there are none. */
export const bytesOf = (content: Content.Content): Uint8Array | string => {
  if (content.kind === "text" || content.kind === "binary") return content.bytes
  return content.kind === "unknown" ? Content.WHY[content.why] : "it is missing"
}

/** The reason that `work` returns, or the message of its error. The other files can still be restored. */
export const attempt = (work: () => string | undefined): string | undefined => {
  try {
    return work()
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}

export const REFUSALS = {
  outside: "its path leads out of the directory, or no system has such a path",
  repository: "its path belongs to Git's own files",
  "below-a-file": "a recorded file or link is in the place of its directory",
} as const

/** Makes the directory, and those above it. */
const prepared = (directory: string): string => {
  const place = path.resolve(directory)
  const found = fs.lstatSync(place, { throwIfNoEntry: false })
  if (found === undefined) fs.mkdirSync(place, { recursive: true })
  else if (found.isSymbolicLink()) throw new DirectoryUnfit({ directory, found: "a link" })
  else if (!found.isDirectory()) throw new DirectoryUnfit({ directory, found: "a file" })
  else if (fs.readdirSync(place).length > 0) throw new DirectoryUnfit({ directory, found: "a directory with files" })
  return fs.realpathSync(place)
}
