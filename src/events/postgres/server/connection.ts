/** Connections to a log on PostgreSQL: a pool for statements, which survive a broken connection where they can be repeated. */

import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { Effect, type Scope } from "effect"
import type pg from "pg"
import * as KeptAlive from "../../../platform/recorded/KeptAlive.ts"
import * as OwnConnections from "../../../platform/recorded/OwnConnections.ts"
import { LogUnavailable } from "../../log/EventLog.ts"
import type { Address } from "./address.ts"
import type { Driver } from "./driver.ts"
import { isLost, isRepeatable, isUnreachable, type StatementError, statementError } from "./errors.ts"

/** A row, by the order of its columns. `int8` is a number, `bytea` a buffer. */
export type Row = ReadonlyArray<unknown>

export type Query = (sql: string, values?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<Row>>

export interface Database {
  readonly address: Address
  /** The URL without a password, for messages. */
  readonly name: string
  /** Runs a statement. If the connection breaks, it runs it again for up to a minute: it must be repeatable. */
  readonly query: Query
  /** Like `query`, for checks of whole tables: without a deadline for the answer. */
  readonly queryWhole: Query
  /** Like `query`, without repeating it after a broken connection. */
  readonly queryOnce: Query
  /** Runs a statement that writes, once, on connections that reads never occupy. */
  readonly writeOnce: Query
  /** Runs statements on one connection in one transaction, once. `begin` is the first statement. */
  readonly transaction: <A>(begin: string, body: (query: Query) => Promise<A>) => Promise<A>
  /** Whether a server process is that of a connection on which this process appends. */
  readonly writes: (processId: number) => boolean
  /** Connects, so that the first reads need not wait for it. */
  readonly connect: () => Promise<void>
  /** A connection of its own, for session locks and notifications. Not connected yet. */
  readonly client: () => pg.Client
  /** Deadline for the answer to a statement that writes, in milliseconds. After it, the connection counts as broken. */
  readonly deadlineMs: number
  /** Repeats what `isLost` says has an unknown outcome, for up to a minute. `again` is true from the second time on. */
  readonly patiently: <A>(run: (again: boolean) => Promise<A>) => Promise<A>
  /** Ends the patience: the log is closing. */
  readonly hurry: () => void
  /** Waits between two looks at another process, in milliseconds. In the process of a recorded program, it lets that exit. */
  readonly waitToLook: (ms: number) => Promise<void>
}

/** Reads in progress, and transactions: the writer's, a snapshot's, and one for the index of words. */
const MAX_READING = 3
const MAX_WRITING = 3

/** In milliseconds. */
const PATIENCE_MS = 60_000
const CLOSING_PATIENCE_MS = 2_000
const CONNECT_WITHIN_MS = 10_000

/** A connection whose peer is silent never says goodbye. In milliseconds. */
const END_WITHIN_MS = 5_000

/** The system asks a silent peer this early whether it is still there. In milliseconds. */
const ASK_SILENT_PEER_AFTER_MS = 5_000

/** Default deadline of a statement that writes; longer than the wait for a lock, shorter than the patience. In milliseconds. */
const DEADLINE_MS = 30_000

/** Reads have this many times the deadline of a write. */
const READ_DEADLINES = 4

/** A statement that waits longer for another's lock fails with `LogBusy`. In milliseconds. */
const LOCK_TIMEOUT_MS = 15_000

const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 1_000

/** Opens the pool. Nothing connects yet. */
export const make = (
  address: Address,
  { Pool, Client, types }: Driver,
  deadlineMs: number = DEADLINE_MS,
): Effect.Effect<Database, LogUnavailable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.map(Effect.zip(KeptAlive.isLayered, authoritiesOf(address)), ([isIdle, ca]) => {
      const config = { ...configOf(address, ca), types: { getTypeParser: parserOf(types) } }
      const OwnClient = ownClientOf(Client)
      const poolOf = (max: number) => {
        // As a file does, an idle log lets its program exit.
        const pool = new Pool({ ...config, max, allowExitOnIdle: true, Client: OwnClient })
        // An idle connection that breaks is replaced at the next statement.
        pool.on("error", () => {})
        // The statement that runs on it fails, and tells.
        pool.on("connect", (client) => client.on("error", () => {}))
        return pool
      }
      const [reads, writes] = [poolOf(MAX_READING), poolOf(MAX_WRITING)]
      const writers = new Set<number>()
      writes.on("connect", (client) => writers.add(processOf(client)))
      writes.on("remove", (client) => writers.delete(processOf(client)))
      let patienceMs = PATIENCE_MS
      let hasEnded = false

      const run = async (
        on: pg.Pool | pg.PoolClient,
        sql: string,
        values: ReadonlyArray<unknown>,
        withinMs?: number,
      ) => {
        if (hasEnded) throw new LogUnavailable({ log: address.name, reason: "it was closed" })
        const text = { name: nameOf(sql), text: sql, values: [...values], rowMode: "array" as const }
        return (await on.query<Array<unknown>>({ ...text, ...limited(withinMs) })).rows
      }

      const patiently: Database["patiently"] = async (run) => {
        const began = performance.now()
        for (let tries = 0; ; tries++) {
          try {
            return await run(tries > 0)
          } catch (cause) {
            const hasTime = performance.now() - began < patienceMs
            if (
              hasEnded ||
              !hasTime ||
              !(isLost(cause) || isUnreachable(cause) || (isRepeatable(cause) && tries < MAX_REPEATS))
            )
              throw cause
          }
          await pause(Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS))
        }
      }

      const queryOnce: Query = (sql, values = []) => run(reads, sql, values, READ_DEADLINES * deadlineMs)

      const transaction: Database["transaction"] = async (begin, body) => {
        if (hasEnded) throw new LogUnavailable({ log: address.name, reason: "it was closed" })
        const client = await writes.connect()
        let broken: unknown
        try {
          await client.query({ text: begin, ...limited(deadlineMs) })
          const answer = await body((sql, values = []) => run(client, sql, values, deadlineMs))
          await client.query({ text: "COMMIT", ...limited(deadlineMs) })
          return answer
        } catch (cause) {
          broken = cause
          if (!isLost(cause)) {
            await client.query({ text: "ROLLBACK", ...limited(deadlineMs) }).then(
              () => {
                broken = undefined
              },
              () => {},
            )
          }
          throw cause
        } finally {
          client.release(broken instanceof Error ? broken : broken !== undefined)
        }
      }

      return {
        address,
        name: address.name,
        query: (sql, values) => patiently(() => queryOnce(sql, values)),
        queryWhole: (sql, values = []) => patiently(() => run(reads, sql, values)),
        queryOnce,
        writeOnce: (sql, values = []) => run(writes, sql, values, deadlineMs),
        transaction,
        writes: (processId) => writers.has(processId),
        connect: async () => {
          const tries = await Promise.allSettled(Array.from({ length: MAX_READING }, () => reads.connect()))
          // The pool ends only once each client is back.
          for (const tried of tries) if (tried.status === "fulfilled") tried.value.release()
          for (const tried of tries) if (tried.status === "rejected") throw tried.reason
        },
        client: () => new OwnClient(config),
        deadlineMs,
        patiently,
        hurry: () => {
          patienceMs = CLOSING_PATIENCE_MS
        },
        waitToLook: (ms) => pause(ms, isIdle),
        end: () => {
          hasEnded = true
          return within(Promise.all([reads.end(), writes.end()]))
        },
      }
    }),
    ({ end }) => Effect.promise(() => end().catch(() => {})),
  )

const MAX_REPEATS = 5

/** The server process of a connection, which the driver's types lack. */
const processOf = (client: pg.PoolClient): number => Number(Reflect.get(client, "processID"))

/** The driver's option for a statement's deadline, which its types lack. */
const limited = (withinMs: number | undefined) => (withinMs === undefined ? {} : { query_timeout: withinMs })

/**
 * By the real clock, not an Effect's: a server does not follow a test's clock.
 *
 * @param isIdle whether it lets the program exit
 */
export const pause = (ms: number, isIdle = false): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    if (isIdle) timer.unref()
  })

/** Waits for the end of connections, for up to five seconds. Never rejects. */
export const within = (ending: Promise<unknown>): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, END_WITHIN_MS)
    const ended = () => {
      clearTimeout(timer)
      resolve()
    }
    ending.then(ended, ended)
  })

/** Runs statements, and turns their exceptions into typed errors. Rethrows defects. */
export const attempt = <A>(address: Address, run: () => Promise<A>): Effect.Effect<A, StatementError> =>
  Effect.async((resume) => {
    const began = performance.now()
    run().then(
      (answer) => resume(Effect.succeed(answer)),
      (cause) => {
        const error = statementError(address, cause, performance.now() - began)
        resume(error === undefined ? Effect.die(cause) : Effect.fail(error))
      },
    )
  })

/** Like `attempt`, for reads, which need no disk space. */
export const attemptRead = <A>(address: Address, run: () => Promise<A>) =>
  Effect.catchTag(
    attempt(address, run),
    "DiskFull",
    ({ log }) => new LogUnavailable({ log, reason: "the server's disk is full; make room and try again" }),
  )

/** In a recorded program, its connections are not the program's. */
const ownClientOf = (Client: Driver["Client"]): Driver["Client"] =>
  class extends Client {
    // The pool passes a callback; the session awaits a promise.
    override connect(...args: ReadonlyArray<never>): Promise<pg.Client> {
      return OwnConnections.during(() => Reflect.apply(super.connect, this, args))
    }
  }

/** The certificates that `verify-full` trusts instead of Node's; undefined for Node's. */
const authoritiesOf = ({ name, ssl, sslRootCert }: Address): Effect.Effect<string | undefined, LogUnavailable> => {
  const file = sslRootCert ?? process.env.PGSSLROOTCERT
  if (ssl !== "verify-full" || file === undefined || file === "") return Effect.succeed(undefined)
  const refuse = (reason: string) =>
    new LogUnavailable({
      log: name,
      reason: `the certificates of authorities in ${file} ${reason}. Correct sslrootcert in the URL, or PGSSLROOTCERT`,
    })
  return Effect.try({
    try: () => fs.readFileSync(file, "utf8"),
    catch: (cause) => refuse(`cannot be read (${cause instanceof Error ? cause.message : String(cause)})`),
  }).pipe(
    Effect.filterOrFail(
      (text) => text.includes("-----BEGIN CERTIFICATE-----"),
      () => refuse("are none in PEM"),
    ),
  )
}

/** Without a check, a certificate only encrypts. */
const tlsOf = (ssl: Exclude<Address["ssl"], undefined>, ca: string | undefined): pg.ClientConfig["ssl"] => {
  if (ssl === "disable") return false
  if (ssl === "require") return { rejectUnauthorized: false }
  return { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) }
}

const configOf = (
  { host, port, user, password, database, schema, ssl }: Address,
  ca: string | undefined,
): pg.ClientConfig => ({
  ...(host === undefined ? {} : { host }),
  ...(port === undefined ? {} : { port }),
  ...(user === undefined ? {} : { user }),
  ...(password === undefined ? {} : { password }),
  ...(database === undefined ? {} : { database }),
  ...(ssl === undefined ? {} : { ssl: tlsOf(ssl, ca) }),
  application_name: `hindcast ${schema}`,
  connectionTimeoutMillis: CONNECT_WITHIN_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: ASK_SILENT_PEER_AFTER_MS,
  options: OPTIONS.replace("SCHEMA", schema),
})

/** All statements name their tables without a schema. `append` relies on seeing what was committed before it got the lock. */
const OPTIONS = `-c search_path=SCHEMA,pg_temp -c lock_timeout=${LOCK_TIMEOUT_MS} -c default_transaction_isolation=read\\ committed -c client_encoding=UTF8`

const INT8 = 20

const parserOf =
  (types: Driver["types"]): pg.CustomTypesConfig["getTypeParser"] =>
  (oid, format) =>
    // Positions, versions and times are below 2^53.
    oid === INT8 ? Number : types.getTypeParser(oid, format)

const names = new Map<string, string>()

/** The name of a prepared statement, which the server plans once per connection. */
const nameOf = (sql: string): string => {
  const known = names.get(sql)
  if (known !== undefined) return known
  const made = `hc_${createHash("sha256").update(sql).digest("base64url").slice(0, 20)}`
  names.set(sql, made)
  return made
}
