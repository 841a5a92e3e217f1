/**
 * Node's cache of compiled code, for the command line: compiling its modules is a fifth of the processor time of a short command.
 * Only Node from 22.1 on has it. The directory belongs to the user alone, since what is in it is executed.
 */
import * as fs from "node:fs"
import * as module from "node:module"
import * as os from "node:os"
import * as path from "node:path"
import * as OwnerOnly from "../platform/OwnerOnly.ts"

/** Keeps the code that this process compiles in `$XDG_CACHE_HOME/hindcast/code` (`~/.cache/hindcast/code`), and takes it from there. */
export const enable = (): void => {
  const { enableCompileCache } = module as { readonly enableCompileCache?: (directory: string) => unknown }
  if (enableCompileCache === undefined || process.env.NODE_COMPILE_CACHE !== undefined) return
  try {
    const { XDG_CACHE_HOME: wanted = "" } = process.env
    // A relative path is to be ignored (XDG Base Directory Specification): it would lead to a directory of the place one stands in.
    const caches = path.isAbsolute(wanted) ? wanted : path.join(os.homedir(), ".cache")
    // A home that does not exist, as that of many system users, is not made.
    if (!path.isAbsolute(caches) || !fs.existsSync(path.dirname(caches))) return
    if (!isOwn(nearestExisting(caches))) return
    const own = path.join(caches, "hindcast")
    const directory = path.join(own, "code")
    OwnerOnly.makeDirectory(own)
    OwnerOnly.restrictDirectory(own)
    OwnerOnly.makeDirectory(directory)
    OwnerOnly.restrictDirectory(directory)
    enableCompileCache(directory)
  } catch {
    // Without a directory of the user's own (a home that is read-only, or somebody else's) the code is compiled anew.
  }
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
