/**
 * Emmett's SQLite event store, by the `sqlite3` driver, which hands each statement to a thread and calls back. Per append,
 * of one event or of a hundred: BEGIN IMMEDIATE, a SELECT of the stream's position, an UPDATE of it, one INSERT of all
 * messages with data and metadata as JSON, COMMIT. An event has an id (UUIDv4), a stream and positions in it and in all.
 *
 * `emmett` is how it comes: each operation opens a connection and closes it, synchronous=FULL (the driver's default).
 * `emmett, one connection` is the best that its options allow: a connection given to it and kept, synchronous=NORMAL.
 * WAL in both; it sets that itself. Reading takes its `readMessagesBatch`, a thousand in the order of all, parsed.
 *
 * It sets WAL on a new connection without waiting for that, and on a busy machine a COMMIT now and then fails for it
 * ("cannot commit transaction - SQL statements in progress"). Such an append is made again, and counted.
 */
import * as path from "node:path"
import { getSQLiteEventStore, readMessagesBatch, sqliteConnection } from "@event-driven-io/emmett-sqlite"
import { BATCH, payload, payloads } from "../payload.mjs"

const PAGE = 1000

/** Tries of one append, the first included. */
const TRIES = 5

const event = (data) => ({ type: "SensorRead", data })

const store = (filename, options, reading) => {
  const events = getSQLiteEventStore({ fileName: filename, ...options })
  let index = 0
  let failed = 0
  const append = async (all) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await events.appendToStream("task-bench", all.map(event))
      } catch (cause) {
        if (cause.code !== "SQLITE_BUSY" || attempt === TRIES) throw cause
        failed += 1
      }
    }
  }
  return {
    filename,
    failed: () => failed,
    appendOne: async (count) => {
      for (let n = 0; n < count; n++) await append([payload(index++)])
    },
    appendBatches: async (count) => {
      for (let n = 0; n < count; n++) {
        await append(payloads(index, BATCH))
        index += BATCH
      }
    },
    readAll: async () => {
      let after = 0n
      let count = 0
      while (true) {
        const page = await reading((connection) => readMessagesBatch(connection, { after, batchSize: PAGE }))
        count += page.messages.length
        if (!page.areEventsLeft) return count
        after = page.currentGlobalPosition
      }
    },
  }
}

/** A connection that is there once its first statement has been answered. */
const connect = async (filename) => {
  const connection = sqliteConnection({ fileName: filename })
  await connection.query("SELECT 1")
  return connection
}

export const asItComes = {
  name: "emmett",
  settings: "sqlite3, a connection per operation, WAL, synchronous=FULL: its defaults",
  /** Milliseconds an append: fewer of them tell as much. */
  slow: true,
  open: async (directory) => {
    const filename = path.join(directory, "emmett.db")
    const reading = async (read) => {
      const connection = await connect(filename)
      try {
        return await read(connection)
      } finally {
        connection.close()
      }
    }
    return { ...store(filename, {}, reading), close: async () => {} }
  },
}

export const oneConnection = {
  name: "emmett, one connection",
  settings: "sqlite3, one connection, WAL, synchronous=NORMAL: set by us",
  open: async (directory) => {
    const filename = path.join(directory, "emmett-one.db")
    const connection = await connect(filename)
    await connection.command("PRAGMA synchronous = NORMAL")
    return {
      ...store(filename, { connectionOptions: { singleton: true, connection } }, (read) => read(connection)),
      close: async () => connection.close(),
    }
  },
}
