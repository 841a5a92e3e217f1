/** An in-memory LRU cache of state chunks, keyed by digest. States with common chunks then share them in memory too. */

import type { StateChunk } from "./StateChunks.ts"

export interface ChunkCache {
  readonly get: (digest: string) => StateChunk | undefined
  /** Adds a chunk. `size` is the length of its text. */
  readonly add: (chunk: StateChunk, size: number) => void
  /**
   * Tells the number of chunks of the state being read. The cache makes room for these and some more, up to `MAX_SIZE`.
   */
  readonly expect: (chunks: number) => void
}

/** Characters of chunk text that are always kept. In memory they take two to five times as many bytes. */
const MIN_SIZE = 8 * 1024 * 1024

/** Maximum number of characters of chunk text. */
const MAX_SIZE = 64 * 1024 * 1024

/** Room relative to one state's chunks, for those in which neighbouring states differ. */
const ROOM = 1.25

/**
 * Makes an empty cache, which evicts the least recently used chunk. Reading a state reads its chunks in sequence, so a
 * cache smaller than one state would evict each chunk before its next use.
 */
export const make = (): ChunkCache => {
  // Least recently used first.
  const entries = new Map<string, { readonly chunk: StateChunk; readonly size: number }>()
  let total = 0
  let expected = 0

  const limit = () => Math.min(MAX_SIZE, Math.max(MIN_SIZE, ROOM * expected * (total / entries.size)))

  const remove = (digest: string) => {
    total -= entries.get(digest)?.size ?? 0
    entries.delete(digest)
  }
  return {
    get: (digest) => {
      const found = entries.get(digest)
      if (found === undefined) return undefined
      entries.delete(digest)
      entries.set(digest, found)
      return found.chunk
    },
    add: (chunk, size) => {
      remove(chunk.digest)
      entries.set(chunk.digest, { chunk, size })
      total += size
      const most = limit()
      for (const oldest of entries.keys()) {
        if (total <= most) break
        remove(oldest)
      }
    },
    expect: (chunks) => {
      expected = Math.max(expected, chunks)
    },
  }
}
