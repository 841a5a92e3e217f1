/** Finds links that lead out of a scratch directory: a command that writes through them changes other files. Pure. */

import * as path from "node:path"
import { type Contents, textOf } from "../history/Content.ts"
import type { TreeOf } from "../history/FileVersions.ts"
import type { Look } from "../history/Looks.ts"
import type { Entry } from "../model/Entry.ts"

/** Whether a link at a path below the root leads out of it. Every absolute target does, even one in the workspace. */
export const leadsOut = (file: string, target: string): boolean =>
  path.isAbsolute(target) || path.posix.normalize(path.posix.join(path.posix.dirname(file), target)).startsWith("..")

/** All recorded links that lead out. */
export const ofLooks = (looks: ReadonlyArray<Look>, treeOf: TreeOf, contents: Contents): ReadonlyArray<string> => {
  const found = new Set<string>()
  const add = (file: string, entry: Entry | undefined) => {
    if (entry?.kind !== "link" || entry.digest === undefined || entry.omitted !== undefined || found.has(file)) return
    const target = contents.get(entry.digest)
    if (target !== undefined && leadsOut(file, textOf(target))) found.add(file)
  }
  for (const { base, files } of looks) {
    for (const [file, entry] of (base === undefined ? undefined : treeOf(base)) ?? []) add(file, entry)
    for (const { path: file, state } of files) add(file, state.entry)
  }
  return [...found].sort()
}
