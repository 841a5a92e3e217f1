/** Combines the patterns of several directories for one path, as Git does. Pure. */

import * as GitPattern from "./GitPattern.ts"

type Patterns = ReadonlyArray<GitPattern.GitPattern> | undefined

/**
 * Whether the patterns of a path's directories exclude it; undefined if none matches. The deepest directory comes
 * first.
 *
 * @param patternsOf the patterns in a directory; the root is the empty path
 */
export const ruling = (
  path: string,
  isDirectory: boolean,
  patternsOf: (directory: string) => Patterns,
): boolean | undefined => {
  for (let at = path.lastIndexOf("/"); ; at = path.lastIndexOf("/", at - 1)) {
    const found = decision(patternsOf(at < 0 ? "" : path.slice(0, at)), path.slice(at + 1), isDirectory)
    if (found !== undefined || at < 0) return found
  }
}

/** Whether patterns exclude a path, which is relative to their directory. The last one that matches decides. */
export const decision = (patterns: Patterns, path: string, isDirectory: boolean): boolean | undefined => {
  const found = patterns?.findLast((pattern) => GitPattern.matches(pattern, path, isDirectory))
  return found && !found.isNegated
}
