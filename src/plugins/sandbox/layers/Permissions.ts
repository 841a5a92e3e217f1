/** Deno's permission flags for a plugin, and the paths that it may read. */
import type { Grants } from "../../manifest/Grants.ts"
import { isInside, isInsideAny } from "../../manifest/paths.ts"

/** The inputs of a plugin's permissions. Absolute, real paths. */
export interface ReadScope {
  readonly directory: string
  readonly grants: Grants
  /** Paths that the plugin must not read under any grants. Its own directory stays readable inside them. */
  readonly forbidden?: ReadonlyArray<string>
  /** The file with its `precomputed` bytes. */
  readonly precomputed?: string
}

/**
 * Flags that deny everything without a grant. In Deno, a denial beats a permission, so the flags omit a denial of
 * something granted. Between paths the longer one wins, so the plugin's directory is readable inside a denied one.
 * Writing, running and the network are always denied: the host does them for the plugin, see `HostApi`.
 */
export const permissionFlags = (scope: ReadScope): ReadonlyArray<string> => {
  const { precomputed, grants } = scope
  const { env } = grants
  const { readable, hidden } = readPathsOf(scope)
  return [
    ...["--deny-write", "--deny-net", "--deny-run", "--deny-ffi", "--deny-sys", "--deny-import"],
    env.length === 0 ? "--deny-env" : `--allow-env=${env.join(",")}`,
    `--allow-read=${[...readable, ...(precomputed === undefined ? [] : [precomputed])].join(",")}`,
    // Sorted: with unrelated paths in another order, Deno 2.9 lets the shorter of two related ones win.
    ...(hidden.length === 0 ? [] : [`--deny-read=${hidden.toSorted().join(",")}`]),
  ]
}

/** The paths that a plugin may read, its own directory first, and hidden paths inside them. */
export const readPathsOf = ({ directory, grants, forbidden = [] }: ReadScope) => {
  // A granted forbidden path would win, because it is longer.
  const granted = grants.read.filter((place) => isInside(place, directory) || !isInsideAny(place, forbidden))
  return {
    readable: [...new Set([directory, ...granted])],
    // Sorted: only then does the longer path win in Deno 2.9.
    hidden: forbidden.filter((place) => isInsideAny(place, granted)).sort(),
  }
}
