/** The tables, functions and rights of a log on PostgreSQL. */

import { MAX_STORED_BYTES } from "../../payload/StoredPayload.ts"
import { wordTablesOf } from "../words/tables.ts"
import { keysSchemaOf } from "./address.ts"

/** The format of the tables. A log of another format is upgraded on request, never by opening it (`upgrade`). */
export const FORMAT = 3

/** The channel on which each append announces itself. */
export const channelOf = (schema: string): string => `hindcast ${schema}`

/** The statements that create an empty log. `schema` is a checked name. */
export const statementsOf = (schema: string): ReadonlyArray<string> => [
  `CREATE SCHEMA ${schema}`,
  `CREATE SCHEMA ${keysSchemaOf(schema)}`,
  ...tablesOf(schema),
  ...keyTablesOf(keysSchemaOf(schema)),
  ...wordTablesOf(schema),
  ...functionsOf(schema),
  ...triggersOf(schema),
  `INSERT INTO ${schema}.format (version) VALUES (${FORMAT})`,
  `INSERT INTO ${schema}.lock DEFAULT VALUES`,
]

const tablesOf = (schema: string): ReadonlyArray<string> => [
  `CREATE TABLE ${schema}.format (one boolean PRIMARY KEY DEFAULT true CHECK (one), program text NOT NULL DEFAULT 'hindcast', version integer NOT NULL)`,
  // One row that is locked by appends and never changed.
  `CREATE TABLE ${schema}.lock (one boolean PRIMARY KEY DEFAULT true CHECK (one))`,
  // The payload is text: `jsonb` reorders keys and refuses \\u0000, and the hash covers the text.
  `CREATE TABLE ${schema}.events (
    position bigint PRIMARY KEY CHECK (position > 0),
    id uuid NOT NULL UNIQUE,
    timeline text COLLATE "C" NOT NULL,
    stream text COLLATE "C" NOT NULL,
    version bigint NOT NULL CHECK (version > 0),
    type text COLLATE "C" NOT NULL,
    schema_version integer NOT NULL,
    task_id text COLLATE "C",
    causation_id uuid,
    actor text COLLATE "C" NOT NULL,
    occurred_at bigint NOT NULL,
    recorded_at bigint NOT NULL,
    payload text COLLATE "C" NOT NULL CHECK (octet_length(payload) <= ${MAX_STORED_BYTES}),
    key_id text,
    hash bytea NOT NULL CHECK (octet_length(hash) = 32))`,
  // A row of an index has at most 2,704 bytes, which two long names exceed: the timeline enters as its hash.
  `CREATE UNIQUE INDEX events_stream ON ${schema}.events (stream, hashtextextended(timeline, 0), version)`,
  `CREATE INDEX events_task ON ${schema}.events (task_id, position)`,
  `CREATE INDEX events_type ON ${schema}.events (type, position)`,
  `CREATE TABLE ${schema}.blobs (digest bytea PRIMARY KEY CHECK (octet_length(digest) = 32), content text COLLATE "C" NOT NULL CHECK (octet_length(content) <= ${MAX_STORED_BYTES}))`,
  `CREATE TABLE ${schema}.lease (one boolean PRIMARY KEY DEFAULT true CHECK (one), token text NOT NULL, host text NOT NULL, pid bigint NOT NULL, acquired_at bigint NOT NULL)`,
  // `lock` is the session lock that its process holds while it lives; null if it is known by its heartbeats alone.
  `CREATE TABLE ${schema}.heartbeats (identity text PRIMARY KEY, beat bigint NOT NULL, at timestamptz NOT NULL, lock bigint, host text NOT NULL, pid bigint NOT NULL, busy_ms bigint NOT NULL DEFAULT 0) WITH (fillfactor = 50)`,
  `CREATE TABLE ${schema}.snapshots (
    series text NOT NULL, projection text NOT NULL, timeline text NOT NULL, position bigint NOT NULL,
    event_hash text NOT NULL, state_hash text NOT NULL, root bytea NOT NULL,
    stored bigint GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (series, timeline, position))`,
  `CREATE TABLE ${schema}.snapshot_parts (series text NOT NULL, digest text NOT NULL, content bytea NOT NULL, PRIMARY KEY (series, digest))`,
]

const keyTablesOf = (keys: string): ReadonlyArray<string> => [
  // Without a subject: the key of snapshots. Without a secret: destroyed, until the event `shredded_by` is in the log.
  `CREATE TABLE ${keys}.keys (id text PRIMARY KEY, subject text UNIQUE, secret bytea CHECK (octet_length(secret) = 32), made_at bigint NOT NULL, shredded_by text) WITH (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0)`,
  `CREATE UNIQUE INDEX keys_of_snapshots ON ${keys}.keys ((subject IS NULL)) WHERE subject IS NULL`,
  `CREATE TABLE ${keys}.seal (one boolean PRIMARY KEY DEFAULT true CHECK (one), secret bytea NOT NULL CHECK (octet_length(secret) = 32))`,
]

/** A function that appends. It takes the log's lock, and inserts only directly after the head that its caller knows. */
const appending = (schema: string, name: string, args: string, count: string, insert: string, also = ""): string =>
  `CREATE FUNCTION ${schema}.${name}(
    _after bigint, _hash bytea, _synced boolean, ${args},
    OUT placed boolean, OUT clock bigint) LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${schema}, pg_temp AS $$
  DECLARE
    head record;
    stored bigint;
  BEGIN
    IF NOT _synced THEN PERFORM set_config('synchronous_commit', 'off', true);
    ELSIF current_setting('synchronous_commit') = 'off' THEN PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    PERFORM FROM lock FOR UPDATE;
    SELECT e.position, e.hash INTO head FROM events e ORDER BY e.position DESC LIMIT 1;
    placed := coalesce(head.position, 0) = _after AND (head.hash IS NULL OR head.hash = _hash);
    clock := floor(extract(epoch FROM clock_timestamp()) * 1000);
    IF NOT placed THEN RETURN; END IF;
    ${insert};
    GET DIAGNOSTICS stored = ROW_COUNT;
    IF stored <> ${count} THEN
      RAISE EXCEPTION 'stored % of % events: a rule or trigger of another program skipped the others', stored, ${count} USING ERRCODE = 'data_corrupted';
    END IF;
    ${also}
    PERFORM pg_notify('${channelOf(schema)}', (_after + stored)::text);
  END $$`

/** The functions through which everybody appends. */
export const appendFunctionsOf = (schema: string): ReadonlyArray<string> => [
  // Appends rows directly after a given head, all or none. The caller has made positions, versions and hashes for it.
  appending(
    schema,
    "append",
    `_recorded_at bigint[], _ids uuid[], _timelines text[], _streams text[], _versions bigint[],
    _types text[], _schema_versions integer[], _tasks text[], _causes uuid[], _actors text[], _occurred_at bigint[], _payloads text[],
    _keys text[], _hashes bytea[], _digests bytea[], _contents text[]`,
    "cardinality(_ids)",
    `INSERT INTO events SELECT _after + n, id, timeline, stream, version, type, schema_version, task, cause, actor, occurred, recorded, payload, key, hash
      FROM unnest(_ids, _timelines, _streams, _versions, _types, _schema_versions, _tasks, _causes, _actors, _occurred_at, _recorded_at, _payloads, _keys, _hashes)
      WITH ORDINALITY AS a(id, timeline, stream, version, type, schema_version, task, cause, actor, occurred, recorded, payload, key, hash, n)`,
    `IF cardinality(_digests) > 0 THEN
      INSERT INTO blobs SELECT * FROM unnest(_digests, _contents) ON CONFLICT (digest) DO NOTHING;
    END IF;`,
  ),
  // The same for one event without a blob, as most commits are: arrays of one element take longer than its INSERT.
  appending(
    schema,
    "append_event",
    `_recorded_at bigint, _id uuid, _timeline text, _stream text, _version bigint, _type text, _schema_version integer,
    _task text, _cause uuid, _actor text, _occurred_at bigint, _payload text, _key text, _own_hash bytea`,
    "1",
    `INSERT INTO events VALUES (_after + 1, _id, _timeline, _stream, _version, _type, _schema_version, _task, _cause, _actor, _occurred_at, _recorded_at, _payload, _key, _own_hash)`,
  ),
]

const functionsOf = (schema: string): ReadonlyArray<string> => [
  // Waits for other appends. The caller's transaction then sees what they committed.
  `CREATE FUNCTION ${schema}.locked() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${schema}, pg_temp AS $$
  BEGIN
    PERFORM 1 FROM lock FOR UPDATE;
  END $$`,
  ...appendFunctionsOf(schema),
  `CREATE FUNCTION ${schema}.unchanging() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'a Hindcast log never changes: % of % refused', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
  END $$`,
  grantFunctionOf(schema),
  `REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ${schema} FROM PUBLIC`,
]

/** The function that gives a role what appending or reading needs, and nothing else: 'writer', 'reader', or 'reader without keys' for no personal data. */
export const grantFunctionOf = (schema: string): string =>
  `CREATE OR REPLACE FUNCTION ${schema}.grant_access(_role text, _access text) RETURNS void LANGUAGE plpgsql SET search_path = ${schema}, pg_temp AS $$
  DECLARE
    keys CONSTANT text := '${keysSchemaOf(schema)}';
  BEGIN
    IF _access NOT IN ('writer', 'reader', 'reader without keys') THEN
      RAISE EXCEPTION 'expected writer, reader or "reader without keys", found %', _access;
    END IF;
    IF EXISTS (SELECT FROM pg_namespace WHERE nspname = '${schema}' AND pg_get_userbyid(nspowner) = _role) THEN
      RAISE EXCEPTION 'expected another role than %, which owns the log and may do everything', _role;
    END IF;
    -- A role that had more keeps nothing of it.
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA ${schema} FROM %I', _role);
    EXECUTE format('REVOKE ALL ON FUNCTION ${schema}.append, ${schema}.append_event, ${schema}.locked FROM %I', _role);
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA %I FROM %I', keys, _role);
    EXECUTE format('REVOKE ALL ON SCHEMA ${schema}, %I FROM %I', keys, _role);
    EXECUTE format('GRANT USAGE ON SCHEMA ${schema} TO %I', _role);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO %I', _role);
    IF _access <> 'reader without keys' THEN
      EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', keys, _role);
      EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO %I', keys, _role);
    END IF;
    IF _access = 'writer' THEN
      EXECUTE format('GRANT EXECUTE ON FUNCTION ${schema}.append, ${schema}.append_event, ${schema}.locked TO %I', _role);
      EXECUTE format('GRANT INSERT, UPDATE, DELETE ON ${schema}.lease, ${schema}.heartbeats, ${schema}.snapshots, ${schema}.snapshot_parts TO %I', _role);
      EXECUTE format('GRANT INSERT, TRUNCATE ON ${schema}.words TO %I', _role);
      EXECUTE format('GRANT UPDATE ON ${schema}.words_reach TO %I', _role);
      EXECUTE format('GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO %I', keys, _role);
    END IF;
  END $$`

/** Tables whose rows nobody changes, and the triggers that refuse it. */
export const UNCHANGING = ["format", "events", "blobs", "lock"] as const

const triggersOf = (schema: string): ReadonlyArray<string> =>
  UNCHANGING.map(
    (table) =>
      `CREATE TRIGGER unchanging BEFORE UPDATE OR DELETE OR TRUNCATE ON ${schema}.${table} FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.unchanging()`,
  )
