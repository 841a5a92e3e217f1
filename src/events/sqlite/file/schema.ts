/**
 * The SQL schema of a log's file. Log tables change only with the format version; cache tables can be dropped at any
 * time.
 */

/** `application_id`: "Hcst" in ASCII. */
export const APPLICATION_ID = 0x48637374

/** `user_version` of this format. A higher one belongs to a newer Hindcast. */
export const FORMAT_VERSION = 2

/**
 * Page size of a new file, in bytes: rows of about 360 bytes waste half as much of it as of SQLite's default, 4,096.
 */
export const PAGE_BYTES = 8192

/** Triggers that make the table append-only, with positions in sequence. Only events in a segment can be deleted. */
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
 * The events table. `occurred_before` is `recorded_at` minus the time of occurrence, in milliseconds; it is nearly
 * always 0, which takes no space. `payload` is a JSON object; with `key_id`, one with encrypted personal fields; or a
 * JSON string (`"blob:…"`) that names a payload in `blobs`.
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

/** The other tables (large payloads, segments, archived streams), the triggers and the view. */
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
 * The tables of the log, which change only with the format version.
 *
 * `names` stores repeated names (timeline, stream, type, task, actor) once. Rows are never updated, only archiving
 * deletes them, and each new row takes the next position. Triggers enforce this against any program, also against
 * `INSERT OR REPLACE`, which deletes rows without firing delete triggers.
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
 * The snapshot cache. One transaction inserts a snapshot and the parts that its root names, so an existing row is
 * complete. Snapshots share parts.
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
 * Heartbeats of writers (kernels that hold the lease, and recorders) by an identity that each draws for itself.
 * `monotonic_ms` is a time of the machine's monotonic clock since `boot`.
 */
export const HEARTBEAT_TABLE = `CREATE TABLE IF NOT EXISTS heartbeats (
    identity TEXT PRIMARY KEY,
    beat INTEGER NOT NULL,
    monotonic_ms REAL NOT NULL,
    at INTEGER NOT NULL,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    boot TEXT,
    namespaces TEXT,
    started TEXT
  ) STRICT, WITHOUT ROWID`

/**
 * Tables and indexes outside the record, which can be dropped and created again at any time. `events_of_no_task`
 * indexes the few events without a task; reads work without it.
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
  HEARTBEAT_TABLE,
  ...SNAPSHOT_TABLES,
]
