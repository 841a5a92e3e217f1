/** A log's session: one connection that holds session locks and hears notifications, and is replaced if it breaks. */

import type pg from "pg"
import { type Database, pause } from "./connection.ts"
import { channelOf } from "./schema.ts"

export interface Session {
  /** Holds a lock until `release`, also after a reconnection. Other sessions see at once when this process has died. */
  readonly hold: (lock: string) => Promise<void>
  readonly release: (lock: string) => Promise<void>
  /** Calls `wake` at each append of any process, and after a reconnection, until the caller runs the returned function. */
  readonly listen: (wake: () => void) => () => void
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

/** Creates a session that connects at its first use. */
export const make = (database: Database): Session => {
  const locks = new Set<string>()
  const listeners = new Set<() => void>()
  const channel = channelOf(database.address.schema)
  let connected: Promise<pg.Client> | undefined
  let isListening = false
  let hasEnded = false

  /** One statement at a time. */
  let last: Promise<unknown> = Promise.resolve()
  const run = (on: pg.Client, text: string, values: ReadonlyArray<unknown> = []): Promise<unknown> => {
    const next = last.then(() => on.query(text, [...values]))
    last = next.catch(() => {})
    return next
  }

  const isNeeded = () => !hasEnded && (locks.size > 0 || listeners.size > 0)

  const wakeAll = () => {
    for (const wake of listeners) wake()
  }

  const connect = async (): Promise<pg.Client> => {
    const client = database.client()
    const dropped = () => {
      if (current === client) {
        connected = undefined
        isListening = false
        current = undefined
        if (isNeeded()) void reconnect()
      }
    }
    // The end follows.
    client.on("error", () => {})
    client.on("end", dropped)
    client.on("notification", wakeAll)
    try {
      await client.connect()
      current = client
      // A former connection of this process may still hold it, until the server notices its end.
      for (const lock of locks) await run(client, TRY_LOCK, [lock])
      if (listeners.size > 0) await listenOn(client)
      return client
    } catch (cause) {
      current = undefined
      connected = undefined
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
    connected ??= connect()
    return connected
  }

  let isReconnecting = false
  const reconnect = async () => {
    if (isReconnecting) return
    isReconnecting = true
    for (let wait = FIRST_PAUSE_MS; isNeeded() && current === undefined; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
      try {
        await client()
      } catch {
        await pause(wait)
      }
    }
    isReconnecting = false
  }

  return {
    hold: async (lock) => {
      locks.add(lock)
      const own = await client()
      await run(own, TRY_LOCK, [lock])
    },
    release: async (lock) => {
      locks.delete(lock)
      // Locks of a broken connection are free already.
      if (current !== undefined) await run(current, UNLOCK, [lock])
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
      const own = connected
      connected = undefined
      await own?.then((client) => client.end()).catch(() => {})
    },
  }
}
