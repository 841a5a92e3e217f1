/** Finds the paths that no snapshot of a recorded moment could contain. Pure. */

import * as Content from "../history/Content.ts"
import type { Tree } from "../model/Entry.ts"
import * as GitPattern from "../scan/GitPattern.ts"
import type { OuterRules } from "../scan/OuterRules.ts"
import * as PathRules from "../scan/PathRules.ts"

export interface Rules {
  /** The files of the moment, including its `.gitignore` files. */
  readonly tree: Tree
  readonly contents: Content.Contents
  /** Rules outside of the tree that the task noted; undefined if not all of them are known. */
  readonly outerRules: OuterRules
  /** Today's rules outside of the tree. They count too, because recordings of earlier versions note none. */
  readonly isIgnoredToday: (path: string, isDirectory: boolean) => boolean
  /** Directories that could not be read; undefined if they are unknown. */
  readonly unread: ReadonlySet<string> | undefined
}

/** Whether no snapshot could contain a path or, for a directory, anything in it. */
export type WasHidden = (path: string, isDirectory?: boolean) => boolean

/**
 * Below a `.gitignore` of unknown content, any path may have been ignored. A tree does not show which of its files Git
 * tracked, so an ignored path counts as ignored.
 */
export const of = ({ tree, contents, outerRules, isIgnoredToday, unread }: Rules): WasHidden => {
  const outer = outerRules && GitPattern.parse(outerRules.join("\n"))
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
      outer === undefined ||
      rulesIn(directory) === "unknown" ||
      unread?.has(directory) !== false ||
      (directory !== "" && isIgnored(directory, true))
    directories.set(directory, answer)
    return answer
  }
  // Nothing below an excluded directory can be included again.
  const isIgnored = (path: string, isDirectory: boolean): boolean =>
    isHidden(path.slice(0, Math.max(0, path.lastIndexOf("/")))) ||
    (PathRules.ruling(path, isDirectory, patternsOf) ??
      (PathRules.decision(outer, path, isDirectory) === true || isIgnoredToday(path, isDirectory)))
  return (path, isDirectory = false) => isIgnored(path, isDirectory)
}

const read = (tree: Tree, directory: string, contents: Content.Contents) => {
  const entry = tree.get(directory === "" ? NAME : `${directory}/${NAME}`)
  // Git follows no link to a `.gitignore`.
  if (entry?.kind !== "file") return []
  const content = Content.of(entry, contents)
  return content.kind === "unknown" || content.kind === "missing" ? "unknown" : GitPattern.ofFile(content.bytes)
}

const NAME = ".gitignore"
