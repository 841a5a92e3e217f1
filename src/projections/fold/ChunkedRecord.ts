/**
 * A record divided into chunks of entries. A fold gives out its wide records in this form, so that a snapshot stores
 * only the chunks that have changed.
 */

/** Entries of a chunk. A record of at most so many keys is not divided. */
export const CHUNK_ENTRIES = 64

/** Consecutive entries of a record: keys, and their values at the same index. */
export interface ChunkEntries {
  readonly keys: ReadonlyArray<string>
  readonly values: ReadonlyArray<unknown>
}

/**
 * An immutable snapshot of a wide record that a fold goes on changing. A chunk that does not change between two
 * snapshots is the same object in both.
 */
export class ChunkedRecord {
  readonly chunks: ReadonlyArray<ChunkEntries>
  constructor(chunks: ReadonlyArray<ChunkEntries>) {
    this.chunks = chunks
  }
}
