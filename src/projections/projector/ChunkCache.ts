/**
 * An in-memory LRU cache of recently read state chunks, keyed by digest. States that have chunks in common then share
 * them in memory too.
 */

import type { StateChunk } from "./StateChunks.ts"

/** Recently read chunks by digest. */
export interface ChunkCache {
  readonly get: (digest: string) => StateChunk | undefined
  /** `size` is the length of the chunk's text. */
  readonly add: (chunk: StateChunk, size: number) => void
  /**
   * Reports how many chunks the state being read has. The cache makes room for that many and some more, up to
   * `MAX_SIZE`.
   */
  readonly expect: (chunks: number) => void
}

/** Characters of chunk text that are always kept. In memory they take two to five times as many bytes. */
const MIN_SIZE = 8 * 1024 * 1024

/** Upper limit for the kept chunk text, in characters. */
const MAX_SIZE = 64 * 1024 * 1024

/** Room relative to one state's chunks: neighbouring states differ in a few chunks, and those are kept too. */
const ROOM = 1.25

/**
 * Makes an empty cache. It evicts the chunk that was used longest ago. A state's chunks are read in sequence, so that a
 * cache smaller than one state would have evicted each chunk before its next use.
 */
export const make = (): ChunkCache => {
  // In order of use, least recent first.
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
