import type { Grants } from "../../manifest/Grants.ts"
import { isInside, isInsideAny } from "../../manifest/paths.ts"

/** Whose permissions they are. Paths are absolute and real. */
export interface Reach {
  /** The plugin's directory. */
  readonly directory: string
  readonly grants: Grants
  /** Files and directories that it must not read, whatever is granted; its own directory stays readable inside them. */
  readonly forbidden?: ReadonlyArray<string>
  /** A file that the host computed for it. */
  readonly precomputed?: string
}

/**
 * Deno's permission flags. Everything is denied that is not granted. A denial wins over a permission, so the one that is
 * granted is left out; between paths the longer one wins, so that the plugin's directory can be read inside a directory
 * that is denied. Writing, running and the network are always denied: the host does them for the plugin, see `HostApi`.
 */
export const permissionFlags = (reach: Reach): ReadonlyArray<string> => {
  const { precomputed, grants } = reach
  const { env } = grants
  const { readable, hidden } = readingOf(reach)
  return [
    ...["--deny-write", "--deny-net", "--deny-run", "--deny-ffi", "--deny-sys", "--deny-import"],
    env.length === 0 ? "--deny-env" : `--allow-env=${env.join(",")}`,
    `--allow-read=${[...readable, ...(precomputed === undefined ? [] : [precomputed])].join(",")}`,
    // Sorted: with unrelated paths in another order, Deno 2.9 lets the shorter of two related ones win.
    ...(hidden.length === 0 ? [] : [`--deny-read=${hidden.toSorted().join(",")}`]),
  ]
}

/** Which places a plugin reads, its own directory first, and which places in them it does not. */
export const readingOf = ({ directory, grants, forbidden = [] }: Reach) => {
  // A grant of something forbidden would win, for being the longer path.
  const granted = grants.read.filter((place) => isInside(place, directory) || !isInsideAny(place, forbidden))
  return {
    readable: [...new Set([directory, ...granted])],
    // In order: Deno 2.9 lets the longer path win only where the shorter ones stand in the order of their names.
    hidden: forbidden.filter((place) => isInsideAny(place, granted)).sort(),
  }
}
