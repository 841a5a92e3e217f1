/**
 * The contents of recorded files, each stored once under its digest, in an SQLite file next to the log. Several
 * processes may use it at once. All methods are synchronous and throw `StoreUnavailable`.
 */

import * as crypto from "node:crypto"
import * as zlib from "node:zlib"
import { type Connection, SqliteError } from "../../events/sqlite/driver/Driver.ts"
import type { Entry, Tree } from "../model/Entry.ts"
import * as StoreFile from "./StoreFile.ts"
import * as Trees from "./Trees.ts"

/** The digest of a content. */
export const digestOf = (bytes: Uint8Array): string => crypto.createHash("sha256").update(bytes).digest("hex")

export class ContentStore {
  readonly file: string
  readonly #database: Connection
  readonly #isReadOnly: boolean

  private constructor(file: string, database: Connection, isReadOnly: boolean) {
    this.file = file
    this.#database = database
    this.#isReadOnly = isReadOnly
  }

  /** Opens a store, and creates it if it is missing. */
  static open(file: string): ContentStore {
    return new ContentStore(file, StoreFile.open(file), false)
  }

  /** Opens a store for queries; undefined if there is none. */
  static openReadOnly(file: string): ContentStore | undefined {
    const database = StoreFile.openReadOnly(file)
    return database && new ContentStore(file, database, true)
  }

  /** A content; undefined if the store lacks it. Checks it against its digest. */
  get(digest: string): Uint8Array | undefined {
    return this.#guarded(() => {
      const [row] = this.#rows("SELECT size, body FROM content WHERE digest = ?", [bytesOf(digest)])
      if (row === undefined) return undefined
      const [size, body] = [Number(row[0]), asBytes(row[1])]
      if (!(size <= MAX_CONTENT_BYTES)) throw new Error(`the content ${digest} is larger than any that is stored`)
      const content = body.length === size ? body : zlib.inflateRawSync(body, { maxOutputLength: Math.max(size, 1) })
      if (digestOf(content) !== digest) throw new Error(`the content ${digest} was changed. Restore a backup`)
      return content
    })
  }

  has(digest: string): boolean {
    return this.#guarded(() => this.#rows("SELECT 1 FROM content WHERE digest = ?", [bytesOf(digest)]).length > 0)
  }

  /** Whether a person removed the content for good. */
  isPurged(digest: string): boolean {
    return this.#guarded(
      () => this.#knows("purged") && this.#rows("SELECT 1 FROM purged WHERE digest = ?", [bytesOf(digest)]).length > 0,
    )
  }

  /** A number that grows with each purge. */
  purges(): number {
    return this.#guarded(() =>
      this.#knows("purge") ? Number(this.#rows("SELECT coalesce(max(number), 0) FROM purge", [])[0]?.[0]) : 0,
    )
  }

  /** A store of an earlier build that is open for queries may lack the table. */
  #knows(table: "purge" | "purged"): boolean {
    return !this.#isReadOnly || this.#rows("SELECT 1 FROM sqlite_master WHERE name = ?", [table]).length > 0
  }

  /**
   * Adds a content under its digest, unless the store already has it or it was purged. On the disk after the
   * transaction.
   */
  put(digest: string, content: Uint8Array): void {
    this.#guarded(() => {
      if (this.has(digest) || this.isPurged(digest)) return
      const packed = zlib.deflateRawSync(content)
      const body = packed.length < content.length ? packed : content
      this.#run("INSERT OR IGNORE INTO content VALUES (?, ?, ?)", [bytesOf(digest), content.length, body])
    })
  }

  /** Adds a tree, and returns its digest. Skips directories that the store has. */
  putTree(tree: Tree): string {
    return this.#guarded(() =>
      Trees.write(tree, (text) => {
        const body = Buffer.from(text)
        const digest = digestOf(body)
        if (this.#rows("SELECT 1 FROM tree WHERE digest = ?", [bytesOf(digest)]).length === 0)
          this.#run("INSERT OR IGNORE INTO tree VALUES (?, ?)", [bytesOf(digest), zlib.deflateRawSync(body)])
        return digest
      }),
    )
  }

  /** A tree; undefined if the store lacks a part of it. */
  tree(digest: string): Tree | undefined {
    return this.#guarded(() => Trees.read(digest, (wanted) => this.#directory(wanted)))
  }

  /** One entry of a tree, without reading the others. */
  entryIn(digest: string, path: string): Trees.Found {
    return this.#guarded(() => Trees.find(digest, path, (wanted) => this.#directory(wanted)))
  }

  /** Looks for paths in a tree. */
  search(digest: string, paths: Trees.Search, found: (path: string, entry: Entry) => void): void {
    this.#guarded(() => paths.in(digest, (wanted) => this.#directory(wanted), found))
  }

  /** The directories that were read last, by digest: trees of successive moments share most of theirs. */
  readonly #directories = new Map<string, string>()
  #directoryChars = 0

  #directory(wanted: string): string | undefined {
    const known = this.#directories.get(wanted)
    if (known !== undefined) return known
    const [row] = this.#rows("SELECT body FROM tree WHERE digest = ?", [bytesOf(wanted)])
    if (row === undefined) return undefined
    const bytes = zlib.inflateRawSync(asBytes(row[0]), { maxOutputLength: MAX_DIRECTORY_BYTES })
    if (digestOf(bytes) !== wanted) throw new Error(`the tree ${wanted} was changed. Restore a backup`)
    const text = bytes.toString("utf8")
    this.#directories.set(wanted, text)
    this.#directoryChars += text.length
    for (const [oldest, { length }] of this.#directories) {
      if (this.#directoryChars <= MAX_DIRECTORY_CHARS) break
      this.#directories.delete(oldest)
      this.#directoryChars -= length
    }
    return text
  }

  /** The digest of a content that nobody may guess, with a key that never leaves the store. */
  secretDigest(content: Uint8Array): string {
    return this.#guarded(() => crypto.createHmac("sha256", this.#secret()).update(content).digest("hex"))
  }

  #key: Uint8Array | undefined
  #secret(): Uint8Array {
    if (this.#key !== undefined) return this.#key
    const sql = "INSERT INTO secret SELECT ? WHERE NOT EXISTS (SELECT 1 FROM secret)"
    if (!this.#isReadOnly) this.#run(sql, [crypto.randomBytes(32)])
    const [row] = this.#rows("SELECT key FROM secret", [])
    this.#key = asBytes(row?.[0])
    return this.#key
  }

  /** The remembered files below a root, by path. */
  remembered(root: string): ReadonlyArray<readonly [path: string, entry: string]> {
    const sql = `SELECT path, entry FROM stat WHERE root = (SELECT id FROM root WHERE path = ?)`
    return this.#guarded(() => this.#rows(sql, [root]).map(([path, entry]) => [String(path), String(entry)] as const))
  }

  /** Remembers files below a root; undefined forgets one. */
  remember(root: string, entries: Iterable<readonly [path: string, entry: string | undefined]>): void {
    this.#guarded(() => {
      this.#run("INSERT OR IGNORE INTO root (path) VALUES (?)", [root])
      const id = Number(this.#rows("SELECT id FROM root WHERE path = ?", [root])[0]?.[0])
      for (const [path, entry] of entries) {
        if (entry === undefined) this.#run("DELETE FROM stat WHERE root = ? AND path = ?", [id, path])
        else this.#run("INSERT OR REPLACE INTO stat VALUES (?, ?, ?)", [id, path, entry])
      }
    })
  }

  /** Runs `work` in one transaction: all of its writes are on the disk when it returns, or none. */
  transaction<A>(work: () => A): A {
    this.begin()
    try {
      const result = this.#guarded(work)
      this.commit()
      return result
    } catch (cause) {
      this.rollback()
      throw cause
    }
  }

  /** Begins a transaction: no other process writes until its end. */
  begin(): void {
    this.#guarded(() => this.#database.script("BEGIN IMMEDIATE"))
  }

  commit(): void {
    this.#guarded(() => this.#database.script("COMMIT"))
  }

  /** Rolls the transaction back, unless it has ended. */
  rollback(): void {
    this.#guarded(() => {
      if (this.#database.inTransaction()) this.#database.script("ROLLBACK")
    })
  }

  /** The stored bytes of each content that the store has. */
  sizesOf(digests: Iterable<string>): ReadonlyMap<string, number> {
    const sql = "SELECT length(body) FROM content WHERE digest = ?"
    return this.#guarded(() => {
      const sizes = new Map<string, number>()
      for (const digest of digests) {
        const [row] = this.#rows(sql, [bytesOf(digest)])
        if (row !== undefined) sizes.set(digest, Number(row[0]))
      }
      return sizes
    })
  }

  /**
   * Removes contents in the present transaction, and forgets the files that had them, so that the next snapshot reads
   * them again. With `forever`, the store refuses them from now on.
   */
  remove(digests: ReadonlyArray<string>, { forever }: { readonly forever: boolean }): void {
    this.#guarded(() => {
      for (const digest of digests) {
        this.#run("DELETE FROM content WHERE digest = ?", [bytesOf(digest)])
        if (forever) this.#run("INSERT OR IGNORE INTO purged VALUES (?)", [bytesOf(digest)])
      }
      const isRemoved = "json_extract(entry, '$[0].digest') IN (SELECT value FROM json_each(?))"
      this.#run(`DELETE FROM stat WHERE ${isRemoved}`, [JSON.stringify(digests)])
      this.#run("INSERT INTO purge DEFAULT VALUES", [])
    })
  }

  /**
   * Overwrites the bytes of removed contents in the file and its write-ahead log, and frees the space. Returns whether
   * it could: if another process reads, old bytes may stay in the write-ahead log until it ends.
   */
  overwrite(): boolean {
    // If SQLite refuses, for example on a full disk, the pages stay free; they are already overwritten.
    this.#attempt("VACUUM")
    return this.#attempt("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /** Runs a maintenance statement. Returns whether SQLite completed it. */
  #attempt(sql: string): boolean {
    try {
      const [row] = this.#rows(sql, [])
      return row === undefined || Number(row[0]) === 0
    } catch (cause) {
      if (!(cause instanceof SqliteError)) throw cause
      return false
    }
  }

  close(): void {
    this.#guarded(() => this.#database.close())
  }

  #rows(sql: string, parameters: ReadonlyArray<unknown>): ReadonlyArray<ReadonlyArray<unknown>> {
    return this.#database.prepare(sql).rows(parameters)
  }

  #run(sql: string, parameters: ReadonlyArray<unknown>): number {
    return this.#database.prepare(sql).run(parameters)
  }

  #guarded<A>(work: () => A): A {
    return StoreFile.guarded(this.file, work)
  }
}

/**
 * No content has the empty key. A log from elsewhere may name anything as a digest, and `Buffer` would decode its
 * beginning.
 */
const bytesOf = (digest: string): Uint8Array => Buffer.from(DIGEST.test(digest) ? digest : "", "hex")

const DIGEST = /^[0-9a-f]{64}$/

const asBytes = (value: unknown): Uint8Array => {
  if (value instanceof Uint8Array) return value
  throw new Error("a row has no bytes. Restore a backup")
}

/** Above the limit of snapshots: a store from elsewhere may state any size. */
const MAX_CONTENT_BYTES = 64 * 1024 * 1024

/** Of directories in memory, all together. */
const MAX_DIRECTORY_CHARS = 1024 * 1024

const MAX_DIRECTORY_BYTES = 256 * 1024 * 1024
