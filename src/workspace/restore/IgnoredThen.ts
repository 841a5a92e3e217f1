/** Which paths no snapshot of a recorded moment could hold. Pure. */

import * as Content from "../history/Content.ts"
import type { Tree } from "../model/Entry.ts"
import * as GitPattern from "../scan/GitPattern.ts"
import * as PathRules from "../scan/PathRules.ts"

export interface Rules {
  /** The files of the moment, its `.gitignore` files among them. */
  readonly tree: Tree
  readonly contents: Content.Contents
  /** Rules outside of the tree, which no snapshot has: those of today stand for those of the moment. */
  readonly isIgnoredToday: (path: string, isDirectory: boolean) => boolean
  /** Directories that could not be read; undefined if nobody knows which ones. */
  readonly unread: ReadonlySet<string> | undefined
}

/**
 * Below a `.gitignore` whose content is not known, any path may have been ignored. A tree does not tell which of its files
 * Git tracked: an ignored path counts as ignored.
 */
export const of = ({ tree, contents, isIgnoredToday, unread }: Rules): ((path: string) => boolean) => {
  const known = new Map<string, ReadonlyArray<GitPattern.GitPattern> | "unknown">()
  const rulesIn = (directory: string) => {
    const before = known.get(directory)
    if (before !== undefined) return before
    const rules = read(tree, directory, contents)
    known.set(directory, rules)
    return rules
  }
  const patternsOf = (directory: string) => {
    const rules = rulesIn(directory)
    return rules === "unknown" ? undefined : rules
  }
  const directories = new Map<string, boolean>()
  /** Whether nothing in a directory could be seen. */
  const isHidden = (directory: string): boolean => {
    const before = directories.get(directory)
    if (before !== undefined) return before
    const answer =
      rulesIn(directory) === "unknown" ||
      unread?.has(directory) !== false ||
      (directory !== "" && isIgnored(directory, true))
    directories.set(directory, answer)
    return answer
  }
  // Nothing below an excluded directory can be included again.
  const isIgnored = (path: string, isDirectory: boolean): boolean =>
    isHidden(path.slice(0, Math.max(0, path.lastIndexOf("/")))) ||
    (PathRules.ruling(path, isDirectory, patternsOf) ?? isIgnoredToday(path, isDirectory))
  return (path) => isIgnored(path, false)
}

const read = (tree: Tree, directory: string, contents: Content.Contents) => {
  const entry = tree.get(directory === "" ? NAME : `${directory}/${NAME}`)
  // Git follows no link to a `.gitignore`.
  if (entry?.kind !== "file") return []
  const content = Content.of(entry, contents)
  return content.kind === "unknown" || content.kind === "missing" ? "unknown" : GitPattern.ofFile(content.bytes)
}

const NAME = ".gitignore"
