/** Which paths the `.gitignore` files of a recorded tree exclude: no snapshot of that time holds them. Pure. */

import * as Content from "../history/Content.ts"
import type { Tree } from "../model/Entry.ts"
import * as GitPattern from "../scan/GitPattern.ts"
import * as PathRules from "../scan/PathRules.ts"

export const of = (tree: Tree, contents: Content.Contents): ((path: string) => boolean) => {
  const known = new Map<string, ReadonlyArray<GitPattern.GitPattern>>()
  const patternsOf = (directory: string) => {
    const before = known.get(directory)
    if (before !== undefined) return before
    const content = Content.of(tree.get(directory === "" ? NAME : `${directory}/${NAME}`), contents)
    const patterns = content.kind === "text" ? GitPattern.parse(Content.textOf(content.bytes)) : []
    known.set(directory, patterns)
    return patterns
  }
  const directories = new Map<string, boolean>([["", false]])
  const isExcluded = (path: string, isDirectory: boolean): boolean => {
    const known = isDirectory ? directories.get(path) : undefined
    if (known !== undefined) return known
    const above = path.slice(0, Math.max(0, path.lastIndexOf("/")))
    // Nothing below an excluded directory can be included again.
    const answer = isExcluded(above, true) || PathRules.ruling(path, isDirectory, patternsOf) === true
    if (isDirectory) directories.set(path, answer)
    return answer
  }
  return (path) => isExcluded(path, false)
}

const NAME = ".gitignore"
