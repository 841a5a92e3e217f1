/** A log's session: one connection that holds session locks and hears notifications, and is replaced if it breaks. */

import type pg from "pg"
import { type Database, pause, type Row, within } from "./connection.ts"
import { isLost } from "./errors.ts"
import { channelOf } from "./schema.ts"

export interface Session {
  /** Holds a lock until `release`, also after a reconnection. Other sessions see at once when this process has died. */
  readonly hold: (lock: string) => Promise<void>
  /** Takes a lock if it is not held yet, because a former connection of this process still held it. */
  readonly retake: (lock: string) => Promise<void>
  /** Runs a statement on this connection, which no append or read occupies. */
  readonly send: (sql: string, values: ReadonlyArray<unknown>) => Promise<void>
  readonly release: (lock: string) => Promise<void>
  /**
   * Calls `wake` at each append of another process with the log's last position, and after a reconnection without one,
   * until the caller runs the returned function.
   */
  readonly listen: (wake: (position?: number) => void) => () => void
  /** True while appends are announced. */
  readonly isListening: () => boolean
  readonly end: () => Promise<void>
}

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000

/** The key of the session lock of an identity: 60 bits of its UUID, as a decimal number. */
export const lockOf = (identity: string): string => BigInt(`0x${identity.replaceAll("-", "").slice(-15)}`).toString()

/** SQL that tells whether any session holds a lock. */
export const isHeld = (lock: string): string =>
  `EXISTS (SELECT FROM pg_catalog.pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
    AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())
    AND l.classid::bigint = (${lock} >> 32) & 4294967295 AND l.objid::bigint = ${lock} & 4294967295)`

const TRY_LOCK = "SELECT pg_try_advisory_lock($1::bigint)"

/** A lock that was taken again after a reconnection is taken twice. */
const UNLOCK = "SELECT pg_advisory_unlock($1::bigint), pg_advisory_unlock($1::bigint)"

/** The driver's methods, which its types lack. */
const keepAlive = (client: pg.Client, isNeeded: boolean): void => {
  const method: unknown = Reflect.get(client, isNeeded ? "ref" : "unref")
  if (typeof method === "function") method.call(client)
}

/**
 * Creates a session that connects at its first use.
 *
 * @param connection learns at once that the connection broke, or that another took its place and has the locks
 */
export const make = (database: Database, connection: (is: "up" | "down") => void = () => {}): Session => {
  const locks = new Set<string>()
  /** Locks that the current connection has. */
  let held = new Set<string>()
  const listeners = new Set<(position?: number) => void>()
  const channel = channelOf(database.address.schema)
  let connected: Promise<pg.Client> | undefined
  let isListening = false
  let hasEnded = false

  /** One statement at a time. A connection that does not answer in time is ended, so that another takes its place. */
  let last: Promise<unknown> = Promise.resolve()
  const run = (on: pg.Client, text: string, values: ReadonlyArray<unknown> = []): Promise<ReadonlyArray<Row>> => {
    const config = { text, values: [...values], rowMode: "array" as const, query_timeout: database.deadlineMs }
    const next = last.then(async () => {
      // Only work keeps the program alive.
      keepAlive(on, true)
      try {
        return (await on.query<Array<unknown>>(config)).rows
      } finally {
        keepAlive(on, false)
      }
    })
    last = next.catch((cause: unknown) => {
      if (isLost(cause)) void on.end().catch(() => {})
    })
    return next
  }

  const take = async (on: pg.Client, lock: string): Promise<void> => {
    if (held.has(lock)) return
    const own = held
    const [row] = await run(on, TRY_LOCK, [lock])
    if (row?.[0] === true) own.add(lock)
  }

  const isNeeded = () => !hasEnded && (locks.size > 0 || listeners.size > 0)

  const wakeAll = (position?: number) => {
    for (const wake of listeners) wake(position)
  }

  const connect = async (): Promise<pg.Client> => {
    const client = database.client()
    const dropped = () => {
      if (current === client) {
        connected = undefined
        isListening = false
        current = undefined
        held = new Set()
        connection("down")
        if (isNeeded()) void reconnect()
      }
    }
    // The end follows.
    client.on("error", () => {})
    client.on("end", dropped)
    client.on("notification", ({ processId, payload }) => {
      // This process learns of its own appends from their answers.
      if (!database.writes(processId)) wakeAll(Number(payload))
    })
    try {
      await client.connect()
      keepAlive(client, false)
      current = client
      held = new Set()
      // A former connection of this process may still hold it, until the server notices its end: heartbeats try again.
      for (const lock of locks) await take(client, lock)
      if (listeners.size > 0) await listenOn(client)
      connection("up")
      return client
    } catch (cause) {
      // A newer connection may have taken its place.
      if (current === client) current = undefined
      void client.end().catch(() => {})
      throw cause
    }
  }
  let current: pg.Client | undefined

  const listenOn = async (client: pg.Client) => {
    await run(client, `LISTEN ${JSON.stringify(channel)}`)
    isListening = true
    wakeAll()
  }

  const client = (): Promise<pg.Client> => {
    if (connected !== undefined) return connected
    const own = connect()
    connected = own
    own.catch(() => {
      if (connected === own) connected = undefined
    })
    return own
  }

  let isReconnecting = false
  const reconnect = async () => {
    if (isReconnecting) return
    isReconnecting = true
    for (let wait = FIRST_PAUSE_MS; isNeeded() && current === undefined; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
      try {
        await client()
      } catch {
        await pause(wait, true)
      }
    }
    isReconnecting = false
  }

  return {
    hold: async (lock) => {
      locks.add(lock)
      await take(await client(), lock)
    },
    retake: async (lock) => {
      if (locks.has(lock) && !held.has(lock)) await take(await client(), lock)
    },
    send: async (sql, values) => {
      await run(await client(), sql, values)
    },
    release: async (lock) => {
      locks.delete(lock)
      // Locks of a broken connection are free already.
      held.delete(lock)
      if (current !== undefined) await within(run(current, UNLOCK, [lock]))
    },
    listen: (wake) => {
      listeners.add(wake)
      if (listeners.size === 1) {
        // Until it succeeds, the follower asks often.
        if (current === undefined) void reconnect()
        else void listenOn(current).catch(() => {})
      }
      return () => {
        listeners.delete(wake)
        if (listeners.size > 0) return
        isListening = false
        if (current !== undefined) void run(current, `UNLISTEN ${JSON.stringify(channel)}`).catch(() => {})
      }
    },
    isListening: () => isListening,
    end: async () => {
      hasEnded = true
      const [connecting, latest] = [connected, current]
      connected = undefined
      const ended = async () => {
        const own = await connecting?.catch(() => undefined)
        await Promise.allSettled([own?.end(), latest === own ? undefined : latest?.end()])
      }
      await within(ended())
    },
  }
}
