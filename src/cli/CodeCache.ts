/** Where the command line keeps compiled code. The directory belongs to the user alone, since what is in it is executed. */
import * as fs from "node:fs"
import * as module from "node:module"
import * as os from "node:os"
import * as path from "node:path"
import * as OwnerOnly from "../platform/OwnerOnly.ts"

/**
 * The directory for compiled code, which is made: `$XDG_CACHE_HOME/hindcast/code` (`~/.cache/hindcast/code`), or what
 * `NODE_COMPILE_CACHE` names.
 */
export const directory = (): string | undefined => {
  const { NODE_DISABLE_COMPILE_CACHE: disabled, NODE_COMPILE_CACHE: named, XDG_CACHE_HOME: wanted = "" } = process.env
  if (disabled !== undefined) return undefined
  try {
    if (named) {
      OwnerOnly.makeDirectory(path.resolve(named))
      return path.resolve(named)
    }
    // A relative path is to be ignored (XDG Base Directory Specification): it would lead to a directory of the place one stands in.
    const caches = path.isAbsolute(wanted) ? wanted : path.join(os.homedir(), ".cache")
    // A home that does not exist, as that of many system users, is not made.
    if (!path.isAbsolute(caches) || !fs.existsSync(path.dirname(caches))) return undefined
    if (!isOwn(nearestExisting(caches))) return undefined
    const own = path.join(caches, "hindcast")
    const code = path.join(own, "code")
    OwnerOnly.makeDirectory(own)
    OwnerOnly.restrictDirectory(own)
    OwnerOnly.makeDirectory(code)
    OwnerOnly.restrictDirectory(code)
    return code
  } catch {
    // Without a directory of the user's own (a home that is read-only, or somebody else's) the code is compiled anew.
    return undefined
  }
}

/** Lets Node keep in a directory what it compiles of other modules: agents, and what they import. Node has such a cache from 22.1 on. */
export const enable = (directory: string): void => {
  const { enableCompileCache } = module as { readonly enableCompileCache?: (directory: string) => unknown }
  if (process.env.NODE_COMPILE_CACHE === undefined) enableCompileCache?.(directory)
}

/** A directory, or the nearest one above it that exists. */
const nearestExisting = (directory: string): string =>
  fs.existsSync(directory) ? directory : nearestExisting(path.dirname(directory))

/**
 * Whether a directory belongs to this process's user. Under `sudo`, which may keep the caller's home, it does not: directories that root
 * makes there could not be removed by the caller. Windows has no such ids.
 */
const isOwn = (directory: string): boolean => {
  const user = process.geteuid?.()
  return user === undefined || fs.statSync(directory).uid === user
}
