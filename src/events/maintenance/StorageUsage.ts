/** The report of a log's storage, by table and index, event type and stream. */

/** Storage of a log, in bytes. Computed without reading payloads. */
export interface Space {
  readonly log: string
  /** Size of the log with everything written back to its file: parts, free pages, and SQLite's own pages. */
  readonly bytes: number
  /** Size of the file now: less than `bytes` while newer pages are in the write-ahead log. */
  readonly fileBytes: number
  /** The write-ahead log. */
  readonly walBytes: number
  /** Segment files with archived events. */
  readonly segmentBytes: number
  /** The store of recorded files' contents, with its write-ahead log. */
  readonly filesBytes: number
  /** Free pages, which later appends reuse. */
  readonly freeBytes: number
  /** Pages for SQLite's bookkeeping, such as pointer maps. */
  readonly keptBytes: number
  readonly events: EventSpace
  /** Tables and indexes, largest first. */
  readonly parts: ReadonlyArray<StoragePart>
  /** Most payload bytes first. */
  readonly types: ReadonlyArray<StorageShare>
  /** Most payload bytes first; as many as requested. */
  readonly streams: ReadonlyArray<StorageShare>
  /** The sum of the streams not listed. */
  readonly otherStreams: Omit<StorageShare, "name"> & { readonly streams: number }
}

/** Events in the file, without indexes. Bytes add up to those of the part `events`. */
export interface EventSpace {
  readonly count: number
  /** Events in segments. */
  readonly archived: number
  /** Payloads in rows. */
  readonly payloadBytes: number
  /** The rest of the rows: ids, numbers, times, hashes. */
  readonly envelopeBytes: number
  /** SQLite's overhead for rows, and unused space in pages. */
  readonly pageBytes: number
}

/** A table or an index. */
export interface StoragePart {
  readonly name: string
  readonly kind: "table" | "index"
  /** The table, or the table of the index. */
  readonly table: string
  /** Columns of an index; empty for a table. */
  readonly columns: ReadonlyArray<string>
  readonly bytes: number
  /** Content without unused space and SQLite's overhead. */
  readonly contentBytes: number
}

/** Events of one type or stream. */
export interface StorageShare {
  readonly name: string
  readonly events: number
  /** A blob counts in full for each event that has it, although it is stored once. */
  readonly payloadBytes: number
}
