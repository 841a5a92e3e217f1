import * as fs from "node:fs"
import Database from "better-sqlite3"
import { Effect, type Scope } from "effect"
import { uuidv7 } from "uuidv7"
import { LogUnavailable } from "../EventLog.ts"
import { type Key, type Keys, newKey } from "../Keys.ts"
import { BUSY_TIMEOUT_MS } from "./database.ts"
import * as place from "./place.ts"

/** `application_id` of a key file: "Hcky" in ASCII. */
const APPLICATION_ID = 0x48636b79

/** A row without a subject is the key of snapshots; one without a secret was destroyed. */
const TABLE = `CREATE TABLE IF NOT EXISTS keys (
  id TEXT PRIMARY KEY,
  subject TEXT UNIQUE,
  secret BLOB CHECK (secret IS NULL OR length(secret) = 32),
  made_at INTEGER NOT NULL,
  shredded_by TEXT
) STRICT`

/**
 * The keys of a log in a file of their own, beside it: `<log>.keys`, for its owner's eyes only. It is made when the first
 * subject needs a key. Several processes may use it at once; what one destroys, the others do not use again.
 *
 * A destroyed secret is overwritten with zeros. Of what a disk, a snapshot of a file system or a backup keeps of earlier
 * bytes, nobody here knows: where that matters, keep this file where there is no such thing.
 */
export const open = (
  filename: string,
  options: { readonly readonly: boolean },
): Effect.Effect<Keys, never, Scope.Scope> => {
  let opened: Opened | undefined
  const closed = Effect.addFinalizer(() => Effect.sync(() => opened?.database.close()))

  /** The file's connection; undefined while there is no file, or whoever made it has not written to it. */
  const existing = (): Opened | undefined => {
    opened?.checkPlace()
    if (opened === undefined && sizeOf(filename) > 0) opened = connect(filename, options.readonly)
    return opened
  }
  const made = (): Opened => {
    if (options.readonly) throw unavailable(filename, "a log that is opened for reading only makes no keys")
    if (existing() === undefined) fs.closeSync(fs.openSync(filename, "a", OWNER_ONLY))
    opened ??= connect(filename, false)
    return opened
  }
  return Effect.as(closed, {
    name: filename,
    of: (subject) => made().of(subject),
    find: (id) => existing()?.find(id),
    subjects: () => existing()?.subjects() ?? [],
    destroy: (subject) => existing()?.destroy(subject),
    settle: (keyId) => existing()?.settle(keyId),
    ofSnapshots: () => existing()?.ofSnapshots(),
  } satisfies Keys)
}

const OWNER_ONLY = 0o600

const sizeOf = (filename: string): number => fs.statSync(filename, { throwIfNoEntry: false })?.size ?? 0

const unavailable = (log: string, reason: string) => new LogUnavailable({ log, reason })

interface Opened extends Omit<Keys, "name"> {
  readonly database: Database.Database
  /** Throws once the file is no longer where it was: keys that were made then would be lost. */
  readonly checkPlace: () => void
}

const connect = (filename: string, readonly: boolean): Opened => {
  const database = new Database(filename, { readonly, timeout: BUSY_TIMEOUT_MS })
  try {
    database.pragma("secure_delete = ON")
    if (!readonly && !isMade(database)) database.transaction(() => makeTable(filename, database)).immediate()
    return connection(filename, database)
  } catch (cause) {
    database.close()
    throw cause
  }
}

const isMade = (database: Database.Database): boolean =>
  database.pragma("application_id", { simple: true }) === APPLICATION_ID &&
  database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'keys'").get() !== undefined

const makeTable = (filename: string, database: Database.Database): void => {
  if (database.pragma("application_id", { simple: true }) !== APPLICATION_ID) {
    if (database.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() !== 0)
      throw unavailable(filename, "expected a key file of Hindcast, or none, found another database; move it away")
    database.pragma(`application_id = ${APPLICATION_ID}`)
  }
  database.exec(TABLE)
}

const connection = (filename: string, database: Database.Database): Opened => {
  const byId = database.prepare<[string], Row>("SELECT id, secret FROM keys WHERE id = ?")
  const bySubject = database.prepare<[string], Row>("SELECT id, secret FROM keys WHERE subject = ?")
  const ofNoSubject = database.prepare<[], Row>("SELECT id, secret FROM keys WHERE subject IS NULL")
  const all = database.prepare<[], SubjectRow>(
    "SELECT subject, id AS keyId, made_at AS since, shredded_by AS shreddedBy FROM keys WHERE subject IS NOT NULL ORDER BY made_at, id",
  )
  const insert = database.prepare("INSERT INTO keys (id, subject, secret, made_at) VALUES (?, ?, ?, ?)")
  const destroyed = database.prepare<[string], Shredded>(
    "SELECT id AS keyId, shredded_by AS eventId FROM keys WHERE subject = ? AND secret IS NULL",
  )
  const erase = database.prepare(
    "UPDATE keys SET secret = NULL, shredded_by = ? WHERE subject = ? AND secret IS NOT NULL",
  )
  const eraseOfSnapshots = database.prepare("DELETE FROM keys WHERE subject IS NULL")
  const forget = database.prepare("DELETE FROM keys WHERE id = ? AND secret IS NULL")

  const add = (subject: string | null): Key => {
    const key = newKey()
    insert.run(key.id, subject, key.secret, Date.now())
    return key
  }

  /** Keys by id, for as long as no other process changed the file. */
  let known = new Map<string, Key | undefined>()
  let version: unknown
  const current = () => {
    const now = database.pragma("data_version", { simple: true })
    if (now !== version) known = new Map()
    version = now
    return known
  }

  return {
    database,
    checkPlace: place.remember(filename, false),
    of: database.transaction((subject: string) => {
      const row = bySubject.get(subject)
      if (row !== undefined) return keyOf(row)
      if (ofNoSubject.get() === undefined) add(null)
      return add(subject)
    }).immediate,
    find: (id) => {
      const keys = current()
      if (!keys.has(id)) keys.set(id, keyOf(byId.get(id)))
      return keys.get(id)
    },
    subjects: () =>
      all
        .all()
        .map(({ subject, keyId, since, shreddedBy }) => ({ subject, keyId, since, shredding: shreddedBy !== null })),
    destroy: database.transaction((subject: string) => {
      known = new Map()
      if (erase.run(uuidv7(), subject).changes > 0) {
        eraseOfSnapshots.run()
        add(null)
      }
      return destroyed.get(subject)
    }).immediate,
    settle: (keyId) => {
      forget.run(keyId)
    },
    ofSnapshots: () => keyOf(ofNoSubject.get()),
  }
}

interface Row {
  readonly id: string
  readonly secret: Uint8Array | null
}

interface SubjectRow {
  readonly subject: string
  readonly keyId: string
  readonly since: number
  readonly shreddedBy: string | null
}

interface Shredded {
  readonly keyId: string
  readonly eventId: string
}

const keyOf = (row: Row | undefined): Key | undefined =>
  row?.secret == null ? undefined : { id: row.id, secret: row.secret }
