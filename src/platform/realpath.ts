/** Resolves symbolic links in paths that need not exist yet. */

import * as fs from "node:fs/promises"
import * as path from "node:path"

/** Resolves the links of the existing part of an absolute path, and appends the rest as it is. */
export const realpathOfExisting = async (place: string): Promise<string> => {
  try {
    return await fs.realpath(place)
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "ENOENT")) throw cause
    // A dangling link resolves to its target, which it will lead to once that exists.
    const target = await fs.readlink(place).catch(() => undefined)
    if (target !== undefined) return realpathOfExisting(path.resolve(path.dirname(place), target))
    const parent = path.dirname(place)
    return parent === place ? place : path.join(await realpathOfExisting(parent), path.basename(place))
  }
}
