CREATE SCHEMA log_schema;

CREATE SCHEMA log_schema_keys;

CREATE TABLE log_schema.format (one boolean PRIMARY KEY DEFAULT true CHECK (one), program text NOT NULL DEFAULT 'hindcast', version integer NOT NULL);

CREATE TABLE log_schema.lock (one boolean PRIMARY KEY DEFAULT true CHECK (one));

CREATE TABLE log_schema.events (
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
    payload text COLLATE "C" NOT NULL CHECK (octet_length(payload) <= 33554432),
    key_id text,
    hash bytea NOT NULL CHECK (octet_length(hash) = 32));

CREATE UNIQUE INDEX events_stream ON log_schema.events (stream, hashtextextended(timeline, 0), version);

CREATE INDEX events_task ON log_schema.events (task_id, position);

CREATE INDEX events_type ON log_schema.events (type, position);

CREATE TABLE log_schema.blobs (digest bytea PRIMARY KEY CHECK (octet_length(digest) = 32), content text COLLATE "C" NOT NULL CHECK (octet_length(content) <= 33554432));

CREATE TABLE log_schema.lease (one boolean PRIMARY KEY DEFAULT true CHECK (one), token text NOT NULL, host text NOT NULL, pid bigint NOT NULL, acquired_at bigint NOT NULL);

CREATE TABLE log_schema.heartbeats (identity text PRIMARY KEY, beat bigint NOT NULL, at timestamptz NOT NULL, lock bigint, host text NOT NULL, pid bigint NOT NULL, busy_ms bigint NOT NULL DEFAULT 0) WITH (fillfactor = 50);

CREATE TABLE log_schema.snapshots (
    series text NOT NULL, projection text NOT NULL, timeline text NOT NULL, position bigint NOT NULL,
    event_hash text NOT NULL, state_hash text NOT NULL, root bytea NOT NULL,
    stored bigint GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (series, timeline, position));

CREATE TABLE log_schema.snapshot_parts (series text NOT NULL, digest text NOT NULL, content bytea NOT NULL, PRIMARY KEY (series, digest));

CREATE TABLE log_schema_keys.keys (id text PRIMARY KEY, subject text UNIQUE, secret bytea CHECK (octet_length(secret) = 32), made_at bigint NOT NULL, shredded_by text) WITH (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0);

CREATE UNIQUE INDEX keys_of_snapshots ON log_schema_keys.keys ((subject IS NULL)) WHERE subject IS NULL;

CREATE TABLE log_schema_keys.seal (one boolean PRIMARY KEY DEFAULT true CHECK (one), secret bytea NOT NULL CHECK (octet_length(secret) = 32));

CREATE FUNCTION log_schema.locked() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = log_schema, pg_temp AS $$
  BEGIN
    PERFORM 1 FROM lock FOR UPDATE;
  END $$;

CREATE FUNCTION log_schema.append(
    _after bigint, _hash bytea, _synced boolean, _recorded_at bigint[], _ids uuid[], _timelines text[], _streams text[], _versions bigint[],
    _types text[], _schema_versions integer[], _tasks text[], _causes uuid[], _actors text[], _occurred_at bigint[], _payloads text[],
    _keys text[], _hashes bytea[], _digests bytea[], _contents text[])
  RETURNS TABLE (placed boolean, clock bigint) LANGUAGE plpgsql SECURITY DEFINER SET search_path = log_schema, pg_temp AS $$
  DECLARE
    head record;
    stored bigint;
  BEGIN
    IF NOT _synced THEN PERFORM set_config('synchronous_commit', 'off', true);
    ELSIF current_setting('synchronous_commit') = 'off' THEN PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    PERFORM 1 FROM lock FOR UPDATE;
    SELECT e.position, e.hash INTO head FROM events e ORDER BY e.position DESC LIMIT 1;
    placed := coalesce(head.position, 0) = _after AND (head.hash IS NULL OR head.hash = _hash);
    clock := floor(extract(epoch FROM clock_timestamp()) * 1000);
    IF NOT placed THEN RETURN NEXT; RETURN; END IF;
    INSERT INTO events SELECT _after + n, id, timeline, stream, version, type, schema_version, task, cause, actor, occurred, recorded, payload, key, hash
      FROM unnest(_ids, _timelines, _streams, _versions, _types, _schema_versions, _tasks, _causes, _actors, _occurred_at, _recorded_at, _payloads, _keys, _hashes)
      WITH ORDINALITY AS a(id, timeline, stream, version, type, schema_version, task, cause, actor, occurred, recorded, payload, key, hash, n);
    GET DIAGNOSTICS stored = ROW_COUNT;
    IF stored <> cardinality(_ids) THEN
      RAISE EXCEPTION 'stored % of % events: a rule or trigger of another program skipped the others', stored, cardinality(_ids) USING ERRCODE = 'data_corrupted';
    END IF;
    IF cardinality(_digests) > 0 THEN
      INSERT INTO blobs SELECT * FROM unnest(_digests, _contents) ON CONFLICT (digest) DO NOTHING;
    END IF;
    PERFORM pg_notify('hindcast log_schema', (_after + stored)::text);
    RETURN NEXT;
  END $$;

CREATE FUNCTION log_schema.unchanging() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'a Hindcast log never changes: % of % refused', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
  END $$;

CREATE FUNCTION log_schema.grant_access(_role text, _access text) RETURNS void LANGUAGE plpgsql SET search_path = log_schema, pg_temp AS $$
  DECLARE
    keys CONSTANT text := 'log_schema_keys';
  BEGIN
    IF _access NOT IN ('writer', 'reader', 'reader without keys') THEN
      RAISE EXCEPTION 'expected writer, reader or "reader without keys", found %', _access;
    END IF;
    IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'log_schema' AND pg_get_userbyid(nspowner) = _role) THEN
      RAISE EXCEPTION 'expected another role than %, which owns the log and may do everything', _role;
    END IF;
    -- A role that had more keeps nothing of it.
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA log_schema FROM %I', _role);
    EXECUTE format('REVOKE ALL ON FUNCTION log_schema.append, log_schema.locked FROM %I', _role);
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA %I FROM %I', keys, _role);
    EXECUTE format('REVOKE ALL ON SCHEMA log_schema, %I FROM %I', keys, _role);
    EXECUTE format('GRANT USAGE ON SCHEMA log_schema TO %I', _role);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA log_schema TO %I', _role);
    IF _access <> 'reader without keys' THEN
      EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', keys, _role);
      EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO %I', keys, _role);
    END IF;
    IF _access = 'writer' THEN
      EXECUTE format('GRANT EXECUTE ON FUNCTION log_schema.append, log_schema.locked TO %I', _role);
      EXECUTE format('GRANT INSERT, UPDATE, DELETE ON log_schema.lease, log_schema.heartbeats, log_schema.snapshots, log_schema.snapshot_parts TO %I', _role);
      EXECUTE format('GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO %I', keys, _role);
    END IF;
  END $$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA log_schema FROM PUBLIC;

CREATE TRIGGER unchanging BEFORE UPDATE OR DELETE OR TRUNCATE ON log_schema.format FOR EACH STATEMENT EXECUTE FUNCTION log_schema.unchanging();

CREATE TRIGGER unchanging BEFORE UPDATE OR DELETE OR TRUNCATE ON log_schema.events FOR EACH STATEMENT EXECUTE FUNCTION log_schema.unchanging();

CREATE TRIGGER unchanging BEFORE UPDATE OR DELETE OR TRUNCATE ON log_schema.blobs FOR EACH STATEMENT EXECUTE FUNCTION log_schema.unchanging();

CREATE TRIGGER unchanging BEFORE UPDATE OR DELETE OR TRUNCATE ON log_schema.lock FOR EACH STATEMENT EXECUTE FUNCTION log_schema.unchanging();

INSERT INTO log_schema.format (version) VALUES (1);

INSERT INTO log_schema.lock DEFAULT VALUES;
