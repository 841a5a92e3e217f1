import type { StateChunk } from "./StateChunks.ts"

/** Pages that were read lately, by their digest, so that states with pages in common share them in memory too. */
export interface ChunkCache {
  readonly get: (digest: string) => StateChunk | undefined
  /** `size` is the length of the page's text. */
  readonly add: (page: StateChunk, size: number) => void
  /** Tells how many pages a state has that was read: the cache has room for as many and some more, if it can. */
  readonly expect: (pages: number) => void
}

/** Characters of text whose pages are kept in any case; in memory they take two to five times as many bytes. */
const MIN_SIZE = 8 * 1024 * 1024

/** Characters of text whose pages are kept at most. */
const MAX_SIZE = 64 * 1024 * 1024

/** A state's neighbours share its pages but for a few, which are kept as well. */
const ROOM = 1.25

/**
 * A cache that lets go of what was used longest ago. A state's pages are all used in turn: were there room for fewer, each
 * would be gone whenever it is used again.
 */
export const make = (): ChunkCache => {
  // In order of use.
  const kept = new Map<string, { readonly page: StateChunk; readonly size: number }>()
  let total = 0
  let expected = 0

  const limit = () => Math.min(MAX_SIZE, Math.max(MIN_SIZE, ROOM * expected * (total / kept.size)))

  const remove = (digest: string) => {
    total -= kept.get(digest)?.size ?? 0
    kept.delete(digest)
  }
  return {
    get: (digest) => {
      const found = kept.get(digest)
      if (found === undefined) return undefined
      kept.delete(digest)
      kept.set(digest, found)
      return found.page
    },
    add: (page, size) => {
      remove(page.digest)
      kept.set(page.digest, { page, size })
      total += size
      const most = limit()
      for (const oldest of kept.keys()) {
        if (total <= most) break
        remove(oldest)
      }
    },
    expect: (pages) => {
      expected = Math.max(expected, pages)
    },
  }
}
