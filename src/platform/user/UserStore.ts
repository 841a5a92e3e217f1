/**
 * The user's own store: the directory with this user's decisions on this machine. It is outside of every workspace, so
 * that no repository, archive or volume can change it.
 */

import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { quoteWord } from "../../values/ShellWord.ts"
import * as OwnerOnly from "../OwnerOnly.ts"

/** The environment variable with another directory than the default. */
export const VARIABLE = "HINDCAST_STATE"

/**
 * The store: `$HINDCAST_STATE`, otherwise `hindcast` in `$XDG_STATE_HOME`, `~/.local/state` or, on Windows,
 * `%LOCALAPPDATA%`. It ignores relative paths, as the XDG Base Directory Specification asks: they would lead into the
 * working directory, which may be a stranger's.
 */
export const directory = (
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string | undefined => {
  const wanted = absolute(env[VARIABLE])
  if (wanted !== undefined) return wanted
  const home = absolute(homeDirectory())
  const under =
    platform === "win32"
      ? (absolute(env.LOCALAPPDATA) ?? (home === undefined ? undefined : path.join(home, "AppData", "Local")))
      : (absolute(env.XDG_STATE_HOME) ?? (home === undefined ? undefined : path.join(home, ".local", "state")))
  return under === undefined ? undefined : path.join(under, "hindcast")
}

const absolute = (location: string | undefined): string | undefined =>
  location !== undefined && path.isAbsolute(location) ? location : undefined

const homeDirectory = (): string | undefined => {
  try {
    return os.homedir()
  } catch {
    // The system's user database lacks this user.
    return undefined
  }
}

/**
 * A directory of the store, for this user only, created if it is missing, unless `readonly`. Throws if there is none,
 * or if the store or the directory is a link, another user's, or writable by others: they could exchange its content.
 */
export const open = (name: string, { readonly }: { readonly readonly: boolean }): string => {
  const store = directory()
  if (store === undefined) throw new Error(`no directory for it is known: set ${VARIABLE} to an absolute path`)
  const wanted = path.join(store, name)
  for (const one of [store, wanted]) {
    if (!readonly) OwnerOnly.makeDirectory(one)
    assertClosed(one)
    OwnerOnly.restrictDirectory(one)
  }
  return wanted
}

/** Others may have replaced files already: closing the directory now is too late. */
const assertClosed = (directory: string): void => {
  if (!fs.lstatSync(directory).isDirectory() || !isPosix() || (fs.statSync(directory).mode & WRITTEN_BY_OTHERS) === 0)
    return
  const advice = `\`rm -r ${quoteWord(directory)}\` also forgets what you trusted; if nobody else had access, \`chmod 700 ${quoteWord(directory)}\` keeps it`
  throw new Error(`${directory}, which others can write. Expected a directory of your own: ${advice}`)
}

const WRITTEN_BY_OTHERS = 0o022

/** Why a file is unsafe; undefined for a regular file without a second name that nobody else owns or can access. */
export const defectOf = (handle: number): string | undefined => {
  const found = fs.fstatSync(handle)
  const { uid, mode, nlink } = found
  if (!found.isFile()) return "no regular file"
  if (!isPosix()) return undefined
  if (uid !== process.geteuid?.()) return `another user's (${uid})`
  if ((mode & 0o077) !== 0) return `open to others (mode ${(mode & 0o777).toString(8)})`
  // A file that was replaced in the meantime has no name.
  return nlink > 1 ? "a file with several names" : undefined
}

const isPosix = (): boolean => process.geteuid !== undefined
