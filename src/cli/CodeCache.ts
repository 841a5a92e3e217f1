/**
 * The directory in which the command line caches compiled code. Node executes its contents, so only the user may write
 * there.
 */
import * as fs from "node:fs"
import * as module from "node:module"
import * as os from "node:os"
import * as path from "node:path"
import * as OwnerOnly from "../platform/OwnerOnly.ts"

/**
 * Creates and returns the cache directory: `NODE_COMPILE_CACHE`, else `$XDG_CACHE_HOME/hindcast/code`, else
 * `~/.cache/hindcast/code`. Returns `undefined` if the cache is disabled or the directory cannot be private to the
 * user.
 */
export const directory = (): string | undefined => {
  const { NODE_DISABLE_COMPILE_CACHE: disabled, NODE_COMPILE_CACHE: named, XDG_CACHE_HOME: wanted = "" } = process.env
  if (disabled !== undefined) return undefined
  try {
    if (named) {
      OwnerOnly.makeDirectory(path.resolve(named))
      return path.resolve(named)
    }
    // The XDG Base Directory Specification ignores relative paths: they would depend on the working directory.
    const caches = path.isAbsolute(wanted) ? wanted : path.join(os.homedir(), ".cache")
    // Many system users have a home that does not exist. Do not create it.
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
    // A read-only home, or one of another user: run without a cache.
    return undefined
  }
}

/** Lets Node cache compiled code of other modules, such as agents and their imports (Node 22.1 or newer). */
export const enable = (directory: string): void => {
  const { enableCompileCache } = module as { readonly enableCompileCache?: (directory: string) => unknown }
  if (process.env.NODE_COMPILE_CACHE === undefined) enableCompileCache?.(directory)
}

const nearestExisting = (directory: string): string =>
  fs.existsSync(directory) ? directory : nearestExisting(path.dirname(directory))

/**
 * Whether the directory belongs to this process's user. It does not under a `sudo` that keeps the caller's home: the
 * caller could not remove directories that root creates there. Always true on Windows, which has no such ids.
 */
const isOwn = (directory: string): boolean => {
  const user = process.geteuid?.()
  return user === undefined || fs.statSync(directory).uid === user
}
