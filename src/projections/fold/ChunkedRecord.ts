/** Entries of a page, and keys up to which a record is not dealt into any. */
export const CHUNK_ENTRIES = 64

/** Successive entries of a record: keys, and their values by the same index. */
export interface ChunkEntries {
  readonly keys: ReadonlyArray<string>
  readonly values: ReadonlyArray<unknown>
}

/**
 * A record dealt into pages: what a fold under way puts in the place of a wide record that it goes on changing. It stays
 * as it is; a page that rests between two of them is the very same object in both.
 */
export class ChunkedRecord {
  readonly pages: ReadonlyArray<ChunkEntries>
  constructor(pages: ReadonlyArray<ChunkEntries>) {
    this.pages = pages
  }
}
