/**
 * Finds the user's own ignore file: `core.excludesFile` of Git's configuration (git-config(1)), else Git's default. Starts
 * nothing of Git, and follows no `include`.
 */

import * as os from "node:os"
import * as path from "node:path"
import * as SmallFile from "../SmallFile.ts"

/**
 * An absolute path; undefined if the configuration turns it off with an empty one. The repository's configuration goes
 * before the user's.
 *
 * @param gitDirectory the Git directory that linked worktrees share; undefined without a repository
 */
export const find = (gitDirectory: string | undefined): string | undefined => {
  const home = os.homedir()
  const configuration = path.join(process.env.XDG_CONFIG_HOME || path.join(home, ".config"), "git")
  const { GIT_CONFIG_GLOBAL } = process.env
  const users =
    GIT_CONFIG_GLOBAL === undefined
      ? [path.join(configuration, "config"), path.join(home, ".gitconfig")]
      : [GIT_CONFIG_GLOBAL]
  const files = [...users, ...(gitDirectory === undefined ? [] : [path.join(gitDirectory, "config")])]
  const named = files.map(excludesFileIn).findLast((found) => found !== undefined)
  if (named === undefined) return path.join(configuration, "ignore")
  if (named === "") return undefined
  const expanded = named.replace(/^~(?=\/|$)/, home)
  return path.isAbsolute(expanded) ? expanded : undefined
}

const excludesFileIn = (file: string): string | undefined => {
  try {
    return excludesFileOf(SmallFile.readRegular(file, MAX_BYTES)?.toString("utf8") ?? "")
  } catch {
    return undefined
  }
}

/** The last value of `core.excludesFile` in a configuration; undefined if it has none. Pure. */
export const excludesFileOf = (configuration: string): string | undefined => {
  let isCore = false
  let found: string | undefined
  for (const line of configuration.split("\n")) {
    const text = line.trim()
    // A variable may follow its section on the same line.
    const [header, section] = /^\[([^\]]*)\]/.exec(text) ?? []
    if (section !== undefined) isCore = section.trim().toLowerCase() === "core"
    const rest = text.slice(header?.length ?? 0).trim()
    const value = isCore && NAME.test(rest) ? rest.slice(rest.indexOf("=") + 1) : undefined
    if (value !== undefined) found = unquoted(value.trim())
  }
  return found
}

/** Takes time in proportion to the text: a stranger's configuration may have any. */
const NAME = /^excludesfile\s*=/i

/** A value without its quotes, escapes and comment. */
const unquoted = (value: string): string => {
  let isQuoted = false
  let text = ""
  for (let at = 0; at < value.length; at++) {
    const character = value[at] ?? ""
    if (character === "\\") text += value[++at] ?? ""
    else if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && (character === "#" || character === ";")) return text.trimEnd()
    else text += character
  }
  return text
}

const MAX_BYTES = 1024 * 1024
