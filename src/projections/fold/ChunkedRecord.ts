/**
 * A record divided into chunks of entries. A fold returns its wide records in this form, so that a snapshot stores only
 * changed chunks.
 */

/** Maximum number of entries of a chunk. A record of at most this many keys is not divided. */
export const CHUNK_ENTRIES = 64

/** Consecutive entries of a record: keys, and their values at the same index. */
export interface ChunkEntries {
  readonly keys: ReadonlyArray<string>
  readonly values: ReadonlyArray<unknown>
}

/**
 * An immutable snapshot of a wide record that a fold continues to change. An unchanged chunk is the same object in two
 * snapshots.
 */
export class ChunkedRecord {
  readonly chunks: ReadonlyArray<ChunkEntries>
  constructor(chunks: ReadonlyArray<ChunkEntries>) {
    this.chunks = chunks
  }
}
