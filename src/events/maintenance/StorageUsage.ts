/** What takes the space of a log, in bytes. Nothing in it is read from a payload. */
export interface Space {
  readonly log: string
  /** What the log takes once everything is written back to its file: its parts, its free pages, and what SQLite keeps. */
  readonly bytes: number
  /** The file as it is now. It is smaller than `bytes` while newer pages stand in the write-ahead log. */
  readonly fileBytes: number
  /** The write-ahead log beside it. */
  readonly walBytes: number
  /** The files beside it with the events that were archived. */
  readonly segmentBytes: number
  /** Pages that nothing uses; what is appended next takes them. */
  readonly freeBytes: number
  /** Pages in which SQLite keeps for itself what every other page is used for. */
  readonly keptBytes: number
  readonly events: EventSpace
  /** Every table and every index, of whatever purpose: the largest first. */
  readonly parts: ReadonlyArray<StoragePart>
  /** Events by their type: the types whose payloads take most first. */
  readonly types: ReadonlyArray<StorageShare>
  /** Events by their stream: the streams whose payloads take most first, as many as were asked for. */
  readonly streams: ReadonlyArray<StorageShare>
  /** What the streams come to that are not among them. */
  readonly otherStreams: Omit<StorageShare, "name"> & { readonly streams: number }
}

/** The events in the file, without their indexes. The bytes add up to those of the part `events`. */
export interface EventSpace {
  readonly count: number
  /** Events of the log that stand elsewhere: in segments. */
  readonly archived: number
  /** Payloads as they stand in the events' rows. */
  readonly payloadBytes: number
  /** All else in the rows: ids, numbers, times, hashes. */
  readonly envelopeBytes: number
  /** What SQLite needs to keep rows in pages, and the room that is left in those. */
  readonly pageBytes: number
}

/** A table or an index. */
export interface StoragePart {
  readonly name: string
  readonly kind: "table" | "index"
  /** The table; of an index, the one that it is on. */
  readonly table: string
  /** The columns of an index; none of a table. */
  readonly columns: ReadonlyArray<string>
  readonly bytes: number
  /** How much of it holds content; the rest is room in its pages, and what SQLite keeps there for itself. */
  readonly contentBytes: number
}

/** The events of one type or of one stream. */
export interface StorageShare {
  readonly name: string
  readonly events: number
  /** Their payloads. One that is too large for a row counts in full at each event that has it, though it is stored once. */
  readonly payloadBytes: number
}
