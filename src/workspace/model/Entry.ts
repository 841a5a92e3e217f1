/** Files and symbolic links as a snapshot records them. */

import type { Entry } from "../../projections/state/files/FileStates.ts"

export { type Entry, OMISSIONS, type Omission } from "../../projections/state/files/FileStates.ts"

/** The files below a directory, by their paths with `/`, relative to it. */
export type Tree = ReadonlyMap<string, Entry>

/**
 * Whether both are the same content. False if one was not read and the stamps differ, because the content is then
 * unknown.
 */
export const isSameContent = (one: Entry, other: Entry): boolean =>
  one.kind === other.kind && one.size === other.size && one.digest === other.digest && one.stamp === other.stamp

export const isSame = (one: Entry, other: Entry): boolean => one.mode === other.mode && isSameContent(one, other)
