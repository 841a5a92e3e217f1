/** Deno's permission flags of a plugin, and the paths that it may read. */
import type { Grants } from "../../manifest/Grants.ts"
import { isInside, isInsideAny } from "../../manifest/paths.ts"

/** The inputs of a plugin's permissions. Paths are absolute and real. */
export interface ReadScope {
  /** The plugin's directory. */
  readonly directory: string
  readonly grants: Grants
  /**
   * Files and directories that the plugin must not read, whatever is granted. Inside them, its own directory stays
   * readable.
   */
  readonly forbidden?: ReadonlyArray<string>
  /** The file with its `precomputed` bytes. */
  readonly precomputed?: string
}

/**
 * Deno's permission flags, which deny everything that is not granted. In Deno, a denial beats a permission, so a flag
 * that would deny something granted is left out. Between paths the longer one wins, so that the plugin's directory is
 * readable inside a denied directory. Writing, running and the network are always denied: the host does them for the
 * plugin, see `HostApi`.
 */
export const permissionFlags = (scope: ReadScope): ReadonlyArray<string> => {
  const { precomputed, grants } = scope
  const { env } = grants
  const { readable, hidden } = readPathsOf(scope)
  return [
    ...["--deny-write", "--deny-net", "--deny-run", "--deny-ffi", "--deny-sys", "--deny-import"],
    env.length === 0 ? "--deny-env" : `--allow-env=${env.join(",")}`,
    `--allow-read=${[...readable, ...(precomputed === undefined ? [] : [precomputed])].join(",")}`,
    // Sorted, because with unrelated paths in another order Deno 2.9 lets the shorter of two related ones win.
    ...(hidden.length === 0 ? [] : [`--deny-read=${hidden.toSorted().join(",")}`]),
  ]
}

/** The paths that a plugin may read, its own directory first, and the paths inside them that it may not read. */
export const readPathsOf = ({ directory, grants, forbidden = [] }: ReadScope) => {
  // The grant of a forbidden path would win, because its path is longer.
  const granted = grants.read.filter((place) => isInside(place, directory) || !isInsideAny(place, forbidden))
  return {
    readable: [...new Set([directory, ...granted])],
    // Sorted, because Deno 2.9 lets the longer path win only if the shorter ones are sorted.
    hidden: forbidden.filter((place) => isInsideAny(place, granted)).sort(),
  }
}
