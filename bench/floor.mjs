/** The floors: the same work without Hindcast. */
import { spawn } from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { openRaw } from "./raw.mjs"

const COLUMNS =
  "position, id, timeline, stream, version, type, schema_version, task, causation, actor, occurred_before, recorded_at, payload, hash"

/** The bare driver on a log's own table: the same rows by a prepared statement, without chain or checks. */
export const rawTable = (filename) => {
  const database = openRaw(filename)
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = normal")
  database.exec("INSERT OR IGNORE INTO names (text) VALUES ('main'), ('stream'), ('type'), ('actor')")
  const insert = database.prepare(`INSERT INTO events (${COLUMNS}) VALUES (${COLUMNS.split(",").map(() => "?")})`)
  const [begin, commit] = [database.prepare("BEGIN"), database.prepare("COMMIT")]
  let position = Number(database.prepare("SELECT coalesce(max(position), 0) FROM events").all()[0][0])
  const one = (payload) => {
    position += 1
    const now = Date.now()
    insert.run(position, timeOrdered(), 1, 2, position, 3, 1, null, null, 4, 0, now, payload, HASH)
  }
  return {
    one,
    synced: (payload) => {
      database.exec("PRAGMA synchronous = full")
      one(payload)
      database.exec("PRAGMA synchronous = normal")
    },
    many: (payloads) => {
      begin.run()
      payloads.forEach(one)
      commit.run()
    },
    /** Keyset pages of a thousand rows, with parsed payloads. */
    readAll: () => {
      const page = database.prepare(`SELECT ${COLUMNS} FROM events WHERE position > ? ORDER BY position LIMIT 1000`)
      let after = 0
      let count = 0
      while (true) {
        const rows = page.all(after)
        for (const row of rows) if (JSON.parse(row[12]) !== null) count += 1
        if (rows.length < 1000) return count
        after = rows.at(-1)[0]
      }
    },
    close: () => database.close(),
  }
}

/**
 * The bare driver on a log's own table: the payloads of one commit as rows of several types, each chained to the one
 * before it by SHA-256. It checks nothing.
 */
export const chainedRows = (filename) => {
  const database = openRaw(filename)
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = normal; PRAGMA cache_size = -16000")
  let position = Number(database.prepare("SELECT max(position) FROM events").all()[0][0])
  const row = `(${COLUMNS.split(",").map(() => "?")})`
  const [begin, commit] = [database.prepare("BEGIN IMMEDIATE"), database.prepare("COMMIT")]
  const inserts = [1, 2, 3].map((rows) =>
    database.prepare(`INSERT INTO events (${COLUMNS}) VALUES ${Array.from({ length: rows }, () => row)}`),
  )
  let hash = HASH.toString("hex")
  let before = HASH.subarray(16)
  return {
    commit: (payloads) => {
      const values = payloads.flatMap((payload, type) => {
        const [id, now] = [timeOrdered(), Date.now()]
        position += 1
        hash = crypto
          .createHash("sha256")
          .update(`${hash} ${id.toString("hex")} ${position} ${payload}`)
          .digest("hex")
        const own = [position, id, 1, 1_000, position, 100 + type, 1, 3, before, 4, 0, now, payload]
        before = id
        return [...own, Buffer.from(hash, "hex")]
      })
      begin.run()
      inserts[payloads.length - 1].run(...values)
      commit.run()
    },
    close: () => database.close(),
  }
}

/**
 * A hand-written table: id, place in a stream, names as text, payload by `JSON.stringify`. SQLite's default pages of 4
 * KiB, the log's durability, and no trigger, chain or check.
 */
export const plainTable = (filename) => {
  const database = openRaw(filename)
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = normal")
  database.exec(`CREATE TABLE events (
    position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, stream TEXT NOT NULL, version INTEGER NOT NULL, type TEXT NOT NULL, task TEXT,
    actor TEXT NOT NULL, recorded_at INTEGER NOT NULL, payload TEXT NOT NULL, UNIQUE (stream, version))`)
  const insert = database.prepare(
    "INSERT INTO events (id, stream, version, type, task, actor, recorded_at, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  )
  const [begin, commit] = [database.prepare("BEGIN"), database.prepare("COMMIT")]
  let version = 0
  const one = (request) => {
    for (const { type, payload } of request.events) {
      version += 1
      const { stream, taskId, actor } = request
      insert.run(rising(), stream, version, type, taskId, actor, Date.now(), JSON.stringify(payload))
    }
  }
  return {
    one,
    many: (request) => {
      begin.run()
      one(request)
      commit.run()
    },
    /** Inserts events in one commit, each in its own stream. */
    events: (events) => {
      begin.run()
      for (const { id, stream, version, type, taskId, actor, recordedAt, payload } of events)
        insert.run(id, stream, version, type, taskId, actor, recordedAt, JSON.stringify(payload))
      commit.run()
    },
    close: () => database.close(),
  }
}

/** A version 7 UUID as text, from random numbers drawn before: the cheapest id that sorts by time. */
const rising = () => {
  const [time, count] = [Date.now().toString(16).padStart(12, "0"), (++sequence).toString(16).padStart(8, "0")]
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count.slice(0, 3)}-8${count.slice(3, 6)}-${count.slice(6)}0123456789`
}

const HASH = Buffer.alloc(32, 7)
let sequence = 0

/** 16 bytes in ascending order, like UUIDv7. */
const timeOrdered = () => {
  const id = crypto.randomBytes(16)
  id.writeUIntBE(Date.now(), 0, 6)
  id.writeUInt32BE(++sequence, 6)
  return id
}

/** `cat`: bytes there and back through a pipe. */
export const cat = () => {
  const child = spawn("cat", { stdio: ["pipe", "pipe", "ignore"] })
  let expected = 0
  let arrived
  child.stdout.on("data", (chunk) => {
    expected -= chunk.length
    if (expected <= 0) arrived()
  })
  return {
    roundTrip: (bytes) =>
      new Promise((resolve) => {
        expected = bytes.length
        arrived = resolve
        child.stdin.write(bytes)
      }),
    close: () => child.stdin.end(),
  }
}

/** `cat` with the interface of calls: a frame there and back, each awaited separately, any number in flight. */
export const catCalls = (frame) => {
  const child = spawn("cat", { stdio: ["pipe", "pipe", "ignore"] })
  const waiting = []
  let first = 0
  let bytes = 0
  child.stdout.on("data", (chunk) => {
    for (bytes += chunk.length; bytes >= frame.length; bytes -= frame.length) waiting[first++]()
    if (first === waiting.length) {
      first = 0
      waiting.length = 0
    }
  })
  return {
    call: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        child.stdin.write(frame)
      }),
    close: () => child.stdin.end(),
  }
}

/** Runs an empty module in Deno to its end. */
export const emptyModule = (deno, directory) => {
  const module = path.join(directory, "empty.ts")
  fs.writeFileSync(module, "export {}\n")
  const env = { DENO_DIR: path.join(directory, "empty.deno"), DENO_NO_UPDATE_CHECK: "1" }
  return () =>
    new Promise((resolve, reject) => {
      const child = spawn(deno, ["run", "--quiet", module], { env, stdio: "ignore" })
      child.once("error", reject)
      child.once("exit", resolve)
    })
}
