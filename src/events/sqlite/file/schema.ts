/** `application_id` of a Hindcast log: "Hcst" in ASCII, so that a file says whose it is. */
export const APPLICATION_ID = 0x48637374

/** `user_version` of a log of this format. A file with a higher one is of a newer Hindcast. */
export const FORMAT_VERSION = 2

/** Bytes of a page in a new file: a row of some 360 bytes wastes half as much of it as of SQLite's 4,096. */
export const PAGE_BYTES = 8192

/** What holds events to being only ever added, each at the next position; archiving takes out what a segment holds. */
const EVENT_TRIGGERS: ReadonlyArray<string> = [
  `CREATE TRIGGER events_in_sequence BEFORE INSERT ON events
    WHEN NEW.position <> (SELECT coalesce(max(position), 0) + 1 FROM events)
    BEGIN SELECT RAISE(ABORT, 'events: an event takes the next position'); END`,
  `CREATE TRIGGER events_not_updated BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'events: an event is never changed'); END`,
  `CREATE TRIGGER events_not_deleted BEFORE DELETE ON events
    WHEN NOT EXISTS (SELECT 1 FROM segments WHERE OLD.position BETWEEN first AND last)
    BEGIN SELECT RAISE(ABORT, 'events: an event is never deleted'); END`,
]

/**
 * The events. `occurred_before` is `recorded_at` less the time it occurred, in milliseconds: nearly always 0, which takes no
 * space. `payload` is a JSON object; or, where `key_id` is there, one with its personal fields encrypted; or, where it is
 * JSON text (`"blob:…"`), the name of what stands in `blobs`.
 */
export const EVENT_TABLE: ReadonlyArray<string> = [
  `CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    timeline INTEGER NOT NULL,
    stream INTEGER NOT NULL,
    version INTEGER NOT NULL CHECK (version >= 1),
    type INTEGER NOT NULL,
    schema_version INTEGER NOT NULL CHECK (schema_version >= 1),
    task INTEGER,
    causation BLOB CHECK (causation IS NULL OR length(causation) = 16),
    actor INTEGER NOT NULL,
    occurred_before INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    payload TEXT NOT NULL,
    key_id INTEGER,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    UNIQUE (stream, timeline, version)
  ) STRICT`,
  "CREATE INDEX events_by_task ON events (task) WHERE task IS NOT NULL",
  "CREATE INDEX events_by_type ON events (type)",
]

/** What stands around the events: large payloads, what was archived where, and the guards and the view over all of it. */
export const EVENT_INDEXES_AND_TRIGGERS: ReadonlyArray<string> = [
  `CREATE TABLE blobs (
    digest TEXT PRIMARY KEY,
    last_position INTEGER NOT NULL,
    content TEXT NOT NULL
  ) STRICT`,
  `CREATE TABLE segments (
    first INTEGER PRIMARY KEY,
    last INTEGER NOT NULL CHECK (last >= first),
    file TEXT NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    lowest_id BLOB NOT NULL CHECK (length(lowest_id) = 16),
    highest_id BLOB NOT NULL CHECK (length(highest_id) = 16),
    archived_at INTEGER NOT NULL
  ) STRICT`,
  `CREATE TABLE archived_streams (
    stream INTEGER NOT NULL,
    timeline INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (stream, timeline)
  ) STRICT, WITHOUT ROWID`,
  ...EVENT_TRIGGERS,
  `CREATE VIEW event_log AS SELECT
      e.position, lower(hex(e.id)) AS id, timeline.text AS timeline, stream.text AS stream, e.version,
      type.text AS type, e.schema_version, task.text AS task, lower(hex(e.causation)) AS causation, actor.text AS actor,
      e.recorded_at - e.occurred_before AS occurred_at, e.recorded_at,
      iif(substr(e.payload, 1, 6) = '"blob:', (SELECT content FROM blobs WHERE digest = substr(e.payload, 7, 64)),
        e.payload) AS payload,
      key.text AS key_id, lower(hex(e.hash)) AS hash
    FROM events e
      LEFT JOIN names timeline ON timeline.id = e.timeline
      LEFT JOIN names stream ON stream.id = e.stream
      LEFT JOIN names type ON type.id = e.type
      LEFT JOIN names task ON task.id = e.task
      LEFT JOIN names actor ON actor.id = e.actor
      LEFT JOIN names key ON key.id = e.key_id`,
]

/**
 * The log: what can never change without a new format version.
 *
 * Names that repeat (timeline, stream, type, task, actor) stand once in `names`. Rows are never updated, and never deleted
 * but by archiving, and each one takes the next position: triggers hold this against any program, also against
 * `INSERT OR REPLACE`, which deletes without firing a trigger of its own.
 */
export const LOG_TABLES: ReadonlyArray<string> = [
  `CREATE TABLE names (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
  ) STRICT`,
  `CREATE TRIGGER names_not_updated BEFORE UPDATE ON names
    BEGIN SELECT RAISE(ABORT, 'names: a name is never changed'); END`,
  `CREATE TRIGGER names_not_deleted BEFORE DELETE ON names
    BEGIN SELECT RAISE(ABORT, 'names: a name is never deleted'); END`,
  ...EVENT_TABLE,
  ...EVENT_INDEXES_AND_TRIGGERS,
]

/**
 * Folded states, to start from instead of the first event. A snapshot is complete by being there: its row and the parts
 * that its root names come in one transaction. A part is stored once however many snapshots name it.
 */
export const SNAPSHOT_TABLES: ReadonlyArray<string> = [
  `CREATE TABLE IF NOT EXISTS snapshots (
    projection TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    timeline TEXT NOT NULL,
    position INTEGER NOT NULL,
    event_hash TEXT NOT NULL,
    state_hash TEXT NOT NULL,
    root BLOB NOT NULL,
    PRIMARY KEY (fingerprint, timeline, position)
  ) STRICT`,
  `CREATE TABLE IF NOT EXISTS snapshot_parts (
    digest TEXT PRIMARY KEY,
    content BLOB NOT NULL
  ) STRICT`,
]

/**
 * What may be dropped and made anew at any time: nothing in it is part of the record. The index is of events that belong to
 * no task, which are few among those that do; a log from before it is read without.
 */
export const CACHE_TABLES: ReadonlyArray<string> = [
  "CREATE INDEX IF NOT EXISTS events_of_no_task ON events (task) WHERE task IS NULL",
  `CREATE TABLE IF NOT EXISTS lease (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    owner TEXT NOT NULL,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    acquired_at INTEGER NOT NULL,
    heartbeat_at INTEGER NOT NULL
  ) STRICT`,
  ...SNAPSHOT_TABLES,
]
