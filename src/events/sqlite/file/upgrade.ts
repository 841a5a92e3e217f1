/** Upgrades a log of format 1 to the current format. */

import { EVENT_INDEXES_AND_TRIGGERS, EVENT_TABLE, FORMAT_VERSION } from "./schema.ts"

/**
 * Statements for one transaction. They keep everything that the chain covers. Format 1 stored the time of occurrence in
 * full, had no blobs and no archive, and allowed no deletion.
 */
export const FROM_FORMAT_1: ReadonlyArray<string> = [
  "DROP VIEW event_log",
  "DROP TRIGGER events_in_sequence",
  "DROP TRIGGER events_not_updated",
  "DROP TRIGGER events_not_deleted",
  "DROP INDEX events_by_task",
  "DROP INDEX events_by_type",
  "ALTER TABLE events RENAME TO events_of_format_1",
  ...EVENT_TABLE,
  `INSERT INTO events
    SELECT position, id, timeline, stream, version, type, schema_version, task, causation, actor,
      recorded_at - occurred_at, recorded_at, payload, key_id, hash
    FROM events_of_format_1 ORDER BY position`,
  "DROP TABLE events_of_format_1",
  ...EVENT_INDEXES_AND_TRIGGERS,
  `PRAGMA user_version = ${FORMAT_VERSION}`,
]
