/**
 * Emmett's SQLite event store on the `sqlite3` driver, which runs each statement in a thread and calls back. Per
 * append, of one event or a hundred: BEGIN IMMEDIATE, a SELECT and an UPDATE of the stream's position, one INSERT of
 * all messages with data and metadata as JSON, COMMIT. An event has an id (UUIDv4), a stream, and positions in it and
 * overall.
 *
 * `emmett` is the default: each operation opens and closes a connection, synchronous=FULL (the driver's default).
 * `emmett, one connection` is the best that its options allow: one permanent connection, synchronous=NORMAL. Both use
 * WAL, which Emmett sets. Reading uses `readMessagesBatch`, a thousand at a time in global order, parsed.
 *
 * It does not await setting WAL on a new connection, so on a busy machine a COMMIT sometimes fails ("cannot commit
 * transaction - SQL statements in progress"). Such an append is repeated and counted.
 */
import * as path from "node:path"
import { getSQLiteEventStore, readMessagesBatch, sqliteConnection } from "@event-driven-io/emmett-sqlite"
import { BATCH, payload, payloads } from "../payload.mjs"

const PAGE = 1000

/** Maximum number of tries per append. */
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

/** A connection, ready once it has answered its first statement. */
const connect = async (filename) => {
  const connection = sqliteConnection({ fileName: filename })
  await connection.query("SELECT 1")
  return connection
}

export const asItComes = {
  name: "emmett",
  settings: "sqlite3, a connection per operation, WAL, synchronous=FULL: its defaults",
  /** Appends take milliseconds, so fewer suffice. */
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
