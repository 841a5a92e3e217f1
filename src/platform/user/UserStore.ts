/**
 * The user's own store: the directory in which Hindcast keeps what this user decided on this machine. It lies outside
 * of every workspace, so that nothing that a repository, an archive or a volume brings along can write it.
 */

import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as OwnerOnly from "../OwnerOnly.ts"

/** The variable that names another directory than the default. */
export const VARIABLE = "HINDCAST_STATE"

/**
 * The store's directory: `$HINDCAST_STATE`, else `hindcast` in `$XDG_STATE_HOME`, `~/.local/state` or, on Windows,
 * `%LOCALAPPDATA%`. Relative paths are ignored, as the XDG Base Directory Specification asks: they would lead into the
 * working directory, which a stranger may have filled. Undefined if no absolute path is known.
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
    // A user who is missing in the system's user database has no home.
    return undefined
  }
}

/**
 * A directory of the store, which only this user can access. It is created if it is missing, unless `readonly`.
 * Throws if there is none, or if the store or the directory is a link or another user's: its owner could exchange what
 * is in it.
 */
export const open = (name: string, { readonly }: { readonly readonly: boolean }): string => {
  const store = directory()
  if (store === undefined) throw new Error(`no directory for it is known: set ${VARIABLE} to an absolute path`)
  const wanted = path.join(store, name)
  for (const one of [store, wanted]) {
    if (!readonly) OwnerOnly.makeDirectory(one)
    OwnerOnly.restrictDirectory(one)
  }
  return wanted
}

/** Whether an open file of the store is this user's own: a regular file that nobody else owns. */
export const isOwnFile = (handle: number): boolean => {
  const found = fs.fstatSync(handle)
  const user = process.geteuid?.()
  return found.isFile() && (user === undefined || found.uid === user)
}
