import * as fs from "node:fs/promises"
import * as path from "node:path"

/** Resolves the links of as much of an absolute path as exists; what does not exist yet has none. */
export const realpathOfExisting = async (place: string): Promise<string> => {
  try {
    return await fs.realpath(place)
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "ENOENT")) throw cause
    // A link to nothing would be followed once its target exists: it counts as where it points.
    const target = await fs.readlink(place).catch(() => undefined)
    if (target !== undefined) return realpathOfExisting(path.resolve(path.dirname(place), target))
    const parent = path.dirname(place)
    return parent === place ? place : path.join(await realpathOfExisting(parent), path.basename(place))
  }
}
