/** Chooses the directory to record for a program that works in a directory. */

import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as GitIndex from "../platform/git/GitIndex.ts"
import { isInside } from "../plugins/manifest/paths.ts"

export type Root = { readonly root: string } | { readonly refused: string }

/**
 * The repository around a directory, or the directory itself. Never a whole home directory or file system, whose files
 * belong to no project.
 */
export const around = (directory: string): Root => {
  let real: string
  let repository: string | undefined
  try {
    real = fs.realpathSync(directory)
    if (!fs.statSync(real).isDirectory()) return { refused: `${directory} is no directory` }
    // Fails in a directory without permission.
    repository = GitIndex.repositoryAround(real)?.root
  } catch (cause) {
    return { refused: cause instanceof Error ? cause.message : String(cause) }
  }
  const root = repository === undefined || isTooWide(repository) ? real : repository
  if (!isTooWide(root)) return { root }
  return { refused: `${root} is ${root === path.parse(root).root ? "a whole file system" : "a home directory"}` }
}

const isTooWide = (directory: string): boolean =>
  directory === path.parse(directory).root || isInside(realHome(), directory)

const realHome = (): string => {
  try {
    return fs.realpathSync(os.homedir())
  } catch {
    return os.homedir()
  }
}
