/** The report of a log's storage: bytes by table and index, by event type and by stream. */

/** Storage of a log, in bytes. Computed without reading payloads' content. */
export interface Space {
  readonly log: string
  /** Size of the log when everything is written back to its file: its parts, its free pages, and SQLite's own pages. */
  readonly bytes: number
  /** Size of the file now. Smaller than `bytes` while newer pages are in the write-ahead log. */
  readonly fileBytes: number
  /** The write-ahead log. */
  readonly walBytes: number
  /** The segment files with archived events. */
  readonly segmentBytes: number
  /** Free pages, which later appends reuse. */
  readonly freeBytes: number
  /** Pages that SQLite uses for its own bookkeeping, such as pointer maps. */
  readonly keptBytes: number
  readonly events: EventSpace
  /** Every table and index, largest first. */
  readonly parts: ReadonlyArray<StoragePart>
  /** Events by type, the type with the most payload bytes first. */
  readonly types: ReadonlyArray<StorageShare>
  /** Events by stream, the stream with the most payload bytes first; as many as were requested. */
  readonly streams: ReadonlyArray<StorageShare>
  /** The sum of the streams that are not listed. */
  readonly otherStreams: Omit<StorageShare, "name"> & { readonly streams: number }
}

/** The events in the file, without their indexes. The bytes add up to those of the part `events`. */
export interface EventSpace {
  readonly count: number
  /** Events of the log that are in segments. */
  readonly archived: number
  /** Payloads as stored in the events' rows. */
  readonly payloadBytes: number
  /** The rest of the rows: ids, numbers, times, hashes. */
  readonly envelopeBytes: number
  /** SQLite's overhead for rows in pages, and the unused space in those pages. */
  readonly pageBytes: number
}

/** A table or an index. */
export interface StoragePart {
  readonly name: string
  readonly kind: "table" | "index"
  /** The table; for an index, the table it is on. */
  readonly table: string
  /** The columns of an index; empty for a table. */
  readonly columns: ReadonlyArray<string>
  readonly bytes: number
  /** Bytes of content. The rest is unused space in its pages, and SQLite's overhead. */
  readonly contentBytes: number
}

/** The events of one type or of one stream. */
export interface StorageShare {
  readonly name: string
  readonly events: number
  /**
   * Their payloads. A payload that is stored as a blob counts in full for each event that has it, though it is stored
   * once.
   */
  readonly payloadBytes: number
}
