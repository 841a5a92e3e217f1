/** A log on PostgreSQL under the conformance suites. Each connection to it could be another process's. */
import { Effect, Layer } from "effect"
import { layer } from "../../src/events/postgres/PostgresEventLog.ts"
import type { Vocabulary } from "../../src/events/vocabulary/Vocabulary.ts"
import type { Backend, BackendServices } from "../../src/testing.ts"
import { schema, sql, urlOf } from "./server.ts"

/** Opens the log in a schema. */
export const open = (name: string, vocabulary?: Vocabulary) =>
  Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() => urlOf(name)),
      (url) => layer({ url, ...(vocabulary === undefined ? {} : { vocabulary }) }),
    ),
  )

const past = (text: string, values?: ReadonlyArray<unknown>) => Effect.promise(() => sql(text, values))

/** Changes rows that triggers protect, as only a superuser can. */
const forced = (text: string) =>
  Effect.asVoid(past(`BEGIN; SET LOCAL session_replication_role = replica; ${text}; COMMIT`))

/** No session holds it: identities' locks have 60 bits. */
const NOBODY = "-1"

/** Sessions are not silent before their server has run for a while: a server that has just started lets it pass. */
const SERVER_HAS_STOOD =
  "SELECT pg_sleep(greatest(0, 6.1 - extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())))"

export const postgres = {
  place: schema,
  open: (name: string) => open(name),
  // What names a lock of a live session names one that nobody holds. The heartbeats go on, as those of a zombie would.
  crash: (name: string) =>
    past(`${SERVER_HAS_STOOD}; UPDATE ${name}.heartbeats SET lock = ${NOBODY}, at = at - interval '1 hour'`).pipe(
      Effect.asVoid,
    ),
  elsewhere: (name: string) => {
    let silentMs = 0
    const silent = (ms: number) => {
      silentMs = ms
      return Effect.asVoid(
        past(
          `UPDATE ${name}.heartbeats SET at = clock_timestamp() - $1 * interval '1 millisecond' WHERE identity = 'x'`,
          [ms],
        ),
      )
    }
    return {
      hold: (clock: number) =>
        Effect.zipRight(
          past(`INSERT INTO ${name}.heartbeats VALUES ('x', 1, clock_timestamp(), NULL, 'elsewhere', 1)`),
          past(`INSERT INTO ${name}.lease VALUES (true, 'elsewhere#x', 'elsewhere', 1, $1)`, [Math.round(clock)]),
        ).pipe(Effect.asVoid),
      beat: Effect.zipRight(
        past(`UPDATE ${name}.heartbeats SET beat = beat + 1 WHERE identity = 'x'`),
        Effect.suspend(() => silent(0)),
      ),
      release: Effect.asVoid(past(`DELETE FROM ${name}.lease`)),
      shortestMs: 10_000,
      longestMs: 10_000,
      // The server's clock measures silence. What the test itself takes does not count.
      pass: (ms: number) => Effect.suspend(() => silent(silentMs + ms)),
    }
  },
  blobs: (name: string) =>
    Effect.map(past(`SELECT encode(digest, 'hex') FROM ${name}.blobs`), (rows) =>
      rows.map(([digest]) => String(digest)),
    ),
  damageBlob: (name: string, digest: string, text: string | null) =>
    forced(
      text === null
        ? `DELETE FROM ${name}.blobs WHERE digest = '\\x${digest}'`
        : `UPDATE ${name}.blobs SET content = '${text}' WHERE digest = '\\x${digest}'`,
    ),
  alterSnapshots: (name: string) =>
    forced(
      `UPDATE ${name}.snapshots SET root = root || '\\x00'; UPDATE ${name}.snapshot_parts SET content = content || '\\x00'`,
    ),
} satisfies Backend<BackendServices, string>
