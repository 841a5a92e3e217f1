/** Files as they were last read, kept in the store for later processes. */

import type { Entry } from "../model/Entry.ts"
import type { FileTimes } from "../scan/FileTimes.ts"
import type { ContentStore } from "./ContentStore.ts"

export interface Known {
  readonly entry: Entry
  readonly times: FileTimes
}

/** Whether both say the same about the file, apart from the time of reading. */
export const isSame = (one: Known | undefined, other: Known): boolean =>
  one !== undefined && written(one, 0) === written(other, 0)

export type Store = Pick<ContentStore, "remember" | "remembered">

export const load = (store: Pick<Store, "remembered">, root: string): Map<string, Known> =>
  new Map(
    store.remembered(root).map(([path, text]) => {
      const [entry, ino, bytes, mode, mtimeMs, ctimeMs, at] = JSON.parse(text)
      return [path, { entry, times: { ino, bytes, mode, mtimeMs, ctimeMs, at } }]
    }),
  )

/** Saves the changes; undefined for files that are gone. */
export const save = (
  store: Pick<Store, "remember">,
  root: string,
  learned: ReadonlyMap<string, Known | undefined>,
): void => {
  if (learned.size === 0) return
  const rows = [...learned].map(([path, known]) => [path, known && written(known, known.times.at)] as const)
  store.remember(root, rows)
}

const written = ({ entry, times: { ino, bytes, mode, mtimeMs, ctimeMs } }: Known, at: number): string =>
  JSON.stringify([entry, ino, bytes, mode, mtimeMs, ctimeMs, at])
