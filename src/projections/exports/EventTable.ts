/** The Parquet export of events. */

import type { DecodedEvent } from "../../events/read/Records.ts"
import type { Head } from "../../events/vocabulary/Event.ts"
import type { Encoder } from "./Encoder.ts"
import * as ParquetRows from "./ParquetRows.ts"

/** The origin of exported events, for the file's metadata. */
export interface EventSource {
  /** The log's file name. */
  readonly log: string
  /** The head of the log when the export began. The file has no later events. */
  readonly head: Head
}

/**
 * Encodes events as a Parquet table: one row per event, typed columns, the payload as JSON text. `key_id` is set if the
 * payload has encrypted fields. The file metadata names the log and its head (`hindcast.log`, `hindcast.head`,
 * `hindcast.head_hash`).
 */
export const encoder = ({ log, head }: EventSource): Encoder<DecodedEvent> =>
  ParquetRows.encoder(
    { columns: COLUMNS, weigh: ({ text }) => text.length },
    { "hindcast.log": log, "hindcast.head": String(head.position), "hindcast.head_hash": head.hash },
  )

const COLUMNS: ReadonlyArray<ParquetRows.Column<DecodedEvent>> = [
  { name: "position", holds: "integer", values: "rising", of: ({ link }) => link.position },
  { name: "id", holds: "text", bounds: false, of: ({ link }) => link.id },
  { name: "timeline", holds: "text", values: "few", of: ({ link }) => link.timeline },
  { name: "stream", holds: "text", values: "few", of: ({ link }) => link.stream },
  { name: "version", holds: "integer", of: ({ link }) => link.version },
  { name: "type", holds: "text", values: "few", of: ({ link }) => link.type },
  { name: "schema_version", holds: "integer", values: "few", of: ({ link }) => link.schemaVersion },
  { name: "task_id", holds: "text", values: "few", optional: true, of: ({ link }) => link.taskId },
  { name: "causation_id", holds: "text", bounds: false, optional: true, of: ({ link }) => link.causationId },
  { name: "actor", holds: "text", values: "few", of: ({ link }) => link.actor },
  { name: "occurred_at", holds: "moment", values: "rising", of: ({ link }) => link.occurredAt },
  { name: "recorded_at", holds: "moment", values: "rising", of: ({ link }) => link.recordedAt },
  { name: "payload", holds: "text", bounds: false, of: ({ text }) => text },
  { name: "key_id", holds: "text", values: "few", optional: true, of: ({ keyId }) => keyId },
  { name: "hash", holds: "text", bounds: false, of: ({ hash }) => hash },
]
