/** Writes and reads a segment: an SQLite file with a range of archived events. */

import * as fs from "node:fs"
import * as OwnerOnly from "../../../platform/OwnerOnly.ts"
import type { StoredRow } from "../../integrity/TamperClassification.ts"
import type { Query } from "../../log/EventLog.ts"
import { digestIn } from "../../payload/Blob.ts"
import { matches } from "../../read/QueryMatch.ts"
import type { Head } from "../../vocabulary/Event.ts"
import { connect, type LogDatabase } from "../file/database.ts"
import * as Block from "./Block.ts"

/** `application_id`: "Hcsg" in ASCII. */
export const APPLICATION_ID = 0x48637367

/** Maximum number of events per block, the unit of compression. */
const BLOCK_EVENTS = 1000

/** A block is full once its payloads reach this size. */
const BLOCK_CHARACTERS = 1024 * 1024

/**
 * The tables of a segment. Compressed blocks hold the events (see `Block`), with names in full. `block_names` maps a
 * timeline, stream, task or type to the blocks that contain it.
 */
export const TABLES: ReadonlyArray<string> = [
  "CREATE TABLE segment (first INTEGER NOT NULL, last INTEGER NOT NULL, previous_hash TEXT NOT NULL, hash TEXT NOT NULL) STRICT",
  "CREATE TABLE blocks (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, content BLOB NOT NULL) STRICT",
  "CREATE TABLE names (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT",
  `CREATE TABLE block_names (name INTEGER NOT NULL, block INTEGER NOT NULL, PRIMARY KEY (name, block)) STRICT, WITHOUT ROWID`,
  "CREATE TABLE ids (id TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID",
  "CREATE TABLE blobs (digest TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT",
]

/** For reads that continue where the last one stopped. */
const MAX_CACHED_BLOCKS = 4

export interface PackedBlock {
  readonly rows: ReadonlyArray<StoredRow>
  readonly content: Uint8Array
}

/** Compresses events in another thread. */
export const pack = (rows: ReadonlyArray<StoredRow>): Promise<ReadonlyArray<PackedBlock>> =>
  Promise.all(blocksFrom(rows).map(async (rows) => ({ rows, content: await Block.packBlock(rows) })))

export interface SegmentWriter {
  /** Adds the next events, in order. `blob` returns the text of a blob that they name. */
  readonly add: (blocks: ReadonlyArray<PackedBlock>, blob: (digest: string) => string | undefined) => void
  /** Completes the file and flushes it to disk. */
  readonly finish: () => void
  /** Deletes the file unless it has been moved. */
  readonly discard: () => void
}

/** Starts a segment that continues a head, in a new file. */
export const writeSegment = (filename: string, from: Head): SegmentWriter => {
  if (!OwnerOnly.makeFile(filename)) throw new Error(`${filename} is there already`)
  const database = connect(filename, { readonly: false })
  let last = from
  let closed = false
  const close = () => {
    if (!closed) database.close()
    closed = true
  }
  // No journal on disk: nothing lists the partial file that a crash leaves.
  for (const statement of ["PRAGMA journal_mode = MEMORY", "PRAGMA synchronous = OFF", "BEGIN", ...TABLES])
    database.run(statement)

  const addBlock = ({ rows, content }: PackedBlock) => {
    const [first, end] = [rows[0], rows.at(-1)]
    if (first === undefined || end === undefined) return
    const { position } = first.link
    database.run("INSERT INTO blocks VALUES (?, ?, ?)", [position, end.link.position, content])
    for (const name of new Set(rows.flatMap(Block.namesOf))) {
      database.run("INSERT INTO names (text) VALUES (?) ON CONFLICT (text) DO NOTHING", [name])
      database.run("INSERT INTO block_names SELECT id, ? FROM names WHERE text = ?", [position, name])
    }
    for (const { link } of rows) database.run("INSERT INTO ids VALUES (?, ?)", [link.id, link.position])
    last = { position: end.link.position, hash: end.hash }
  }

  return {
    add: (blocks, blob) => {
      for (const block of blocks) addBlock(block)
      for (const { payload, link } of blocks.flatMap(({ rows }) => rows)) {
        const digest = digestIn(payload)
        if (digest === undefined) continue
        const text = blob(digest)
        if (text === undefined) throw new Error(`the blob of @${link.position} is missing`)
        database.run("INSERT INTO blobs VALUES (?, ?) ON CONFLICT DO NOTHING", [digest, Block.pack(text)])
      }
    },
    finish: () => {
      database.run("INSERT INTO segment VALUES (?, ?, ?, ?)", [from.position + 1, last.position, from.hash, last.hash])
      database.run(`PRAGMA application_id = ${APPLICATION_ID}`)
      database.run("COMMIT")
      close()
      flush(filename)
    },
    discard: () => {
      close()
      fs.rmSync(filename, { force: true })
    },
  }
}

const blocksFrom = (rows: ReadonlyArray<StoredRow>): ReadonlyArray<ReadonlyArray<StoredRow>> => {
  const blocks: Array<Array<StoredRow>> = []
  let remaining = 0
  for (const row of rows) {
    const block = blocks.at(-1)
    if (block === undefined || remaining <= 0 || block.length === BLOCK_EVENTS) {
      blocks.push([row])
      remaining = BLOCK_CHARACTERS
    } else block.push(row)
    remaining -= row.payload.length
  }
  return blocks
}

const flush = (filename: string): void => {
  const file = fs.openSync(filename, "r")
  try {
    fs.fsyncSync(file)
  } finally {
    fs.closeSync(file)
  }
}

/** A segment open for reading. Its functions throw if the file is damaged. */
export interface SegmentFile {
  readonly first: number
  readonly last: number
  /** Of its last event. */
  readonly hash: string
  readonly page: (query: Query, limit: number) => ReadonlyArray<StoredRow>
  readonly find: (id: string) => number | undefined
  readonly blob: (digest: string) => string | undefined
  readonly ids: () => { readonly lowest: string; readonly highest: string }
  readonly close: () => void
}

export const open = (filename: string): SegmentFile => {
  const database = connect(filename, { readonly: true })
  try {
    return segmentIn(database)
  } catch (cause) {
    database.close()
    throw cause
  }
}

const segmentIn = (database: ReturnType<typeof connect>): SegmentFile => {
  const [[owner] = []] = database.rows("PRAGMA application_id")
  if (owner !== APPLICATION_ID) throw new Error("it is not a segment of a log")
  const [[first, last, hash] = []] = database.rows("SELECT first, last, hash FROM segment")
  const decodedBlocks = new Map<number, ReadonlyArray<StoredRow>>()

  const block = (position: number): ReadonlyArray<StoredRow> => {
    const known = decodedBlocks.get(position)
    if (known !== undefined) return known
    const [[content] = []] = database.rows("SELECT content FROM blocks WHERE first = ?", [position])
    const rows = Block.unpackBlock(content)
    for (const oldest of decodedBlocks.keys()) if (decodedBlocks.size >= MAX_CACHED_BLOCKS) decodedBlocks.delete(oldest)
    decodedBlocks.set(position, rows)
    return rows
  }

  return {
    first: Number(first),
    last: Number(last),
    hash: String(hash),
    page: (query, limit) => {
      const selected: Array<StoredRow> = []
      for (const position of blocksOf(database, query)) {
        for (const row of block(position)) {
          if (selected.length === limit) return selected
          if (matches(query, row.link)) selected.push(row)
        }
      }
      return selected
    },
    find: (id) => {
      const [row] = database.rows("SELECT position FROM ids WHERE id = ?", [id])
      return row === undefined ? undefined : Number(row[0])
    },
    blob: (digest) => {
      const [row] = database.rows("SELECT content FROM blobs WHERE digest = ?", [digest])
      return row === undefined ? undefined : Block.unpack(row[0])
    },
    ids: () => {
      const [row] = database.rows("SELECT min(id), max(id) FROM ids")
      return { lowest: String(row?.[0]), highest: String(row?.[1]) }
    },
    close: database.close,
  }
}

const blocksOf = (database: LogDatabase, query: Query): ReadonlyArray<number> => {
  const { after = 0, until = Number.MAX_SAFE_INTEGER, timeline, stream, taskId, types } = query
  const single = [timeline, stream, taskId].flatMap((name) => (name === undefined || name === null ? [] : [[name]]))
  const wanted = types === undefined ? single : [...single, types]
  const clauses = wanted.map(
    (names) => `first IN (SELECT block FROM block_names WHERE name IN
      (SELECT id FROM names WHERE text IN (${names.map(() => "?").join(", ")})))`,
  )
  const sql = ["SELECT first FROM blocks WHERE last > ? AND first <= ?", ...clauses].join(" AND ")
  const rows = database.rows(`${sql} ORDER BY first`, [after, until, ...wanted.flat()])
  return rows.map(([position]) => Number(position))
}
