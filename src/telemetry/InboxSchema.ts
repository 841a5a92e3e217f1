/** The tables of the inbox. */

/**
 * A group is the conversation or trace that becomes one task. `due` is when to map it next, in milliseconds of the
 * process's monotonic clock: null if there is nothing to do. `since` is the first arrival that is not mapped, by the same clock. `arrived` counts arrivals, so that a mapping sees whether
 * more came meanwhile. `touched` is the time of the last arrival by the wall clock.
 *
 * A record without a body was mapped and dropped; its key remains, so that it is not recorded again.
 */
export const TABLES = `
  CREATE TABLE IF NOT EXISTS "group" (
    id INTEGER PRIMARY KEY,
    base TEXT NOT NULL,
    part INTEGER NOT NULL,
    source TEXT NOT NULL,
    conversation TEXT,
    trace TEXT,
    records INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    arrived INTEGER NOT NULL DEFAULT 0,
    mapped INTEGER NOT NULL DEFAULT 0,
    since REAL,
    due REAL,
    touched REAL NOT NULL,
    UNIQUE (base, part)
  );
  CREATE INDEX IF NOT EXISTS group_due ON "group" (due) WHERE due IS NOT NULL;
  CREATE TABLE IF NOT EXISTS trace (id TEXT PRIMARY KEY, "group" INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS record (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    "group" INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT
  );
  CREATE INDEX IF NOT EXISTS record_group ON record ("group");
`

/** Version of the tables, in the file's header. */
export const VERSION = 1

/** Tells the file from a log and from other programs' ("HCin"). */
export const APPLICATION_ID = 0x4843696e
