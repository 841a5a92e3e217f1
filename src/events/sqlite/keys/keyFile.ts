/** Keys of personal data, in an SQLite file next to the log. */

import * as fs from "node:fs"
import { Effect, type Scope } from "effect"
import { LogUnavailable } from "../../log/EventLog.ts"
import type { StoredKey } from "../../maintenance/CopySink.ts"
import { type Key, type Keys, newKey } from "../../payload/PersonalDataKeys.ts"
import { newId } from "../../vocabulary/Event.ts"
import { driver } from "../driver/choice.ts"
import type { Connection } from "../driver/Driver.ts"
import { BUSY_TIMEOUT_MS, statementError } from "../file/database.ts"
import * as fileIdentity from "../file/fileIdentity.ts"
import * as newFile from "../file/newFile.ts"

/** `application_id`: "Hcky" in ASCII. */
const APPLICATION_ID = 0x48636b79

/** A row without a subject is the snapshots' key; one without a secret is a destroyed key. */
const TABLE = `CREATE TABLE IF NOT EXISTS keys (
  id TEXT PRIMARY KEY,
  subject TEXT UNIQUE,
  secret BLOB CHECK (secret IS NULL OR length(secret) = 32),
  made_at INTEGER NOT NULL,
  shredded_by TEXT
) STRICT`

/**
 * The keys of a log in `<log>.keys`, readable only by its owner. The first subject that needs a key creates the file.
 * Several processes may use it at once; none uses a key that another has destroyed.
 *
 * A destroyed secret is overwritten with zeros. Earlier bytes may survive on the disk, in file system snapshots and in
 * backups. If that matters, keep this file on a medium without such copies.
 */
export const open = (
  filename: string,
  options: { readonly readonly: boolean },
): Effect.Effect<Keys, never, Scope.Scope> => {
  let opened: Opened | undefined
  const closed = Effect.addFinalizer(() => Effect.sync(() => opened?.database.close()))

  /** Undefined while the file is missing, or its creator has written nothing. */
  const existing = (): Opened | undefined => {
    opened?.checkIdentity()
    if (opened === undefined && sizeOf(filename) > 0) opened = connect(filename, options.readonly)
    return opened
  }
  const openOrCreate = (): Opened => {
    if (options.readonly) throw unavailable(filename, "a log that is opened for reading only makes no keys")
    if (existing() === undefined) newFile.make(filename)
    opened ??= connect(filename, false)
    return opened
  }
  return Effect.as(closed, {
    name: filename,
    of: (subject) => withFileName(filename, () => openOrCreate().of(subject)),
    find: (id) => withFileName(filename, () => existing()?.find(id)),
    subjects: () => withFileName(filename, () => existing()?.subjects() ?? []),
    destroy: (subject) => withFileName(filename, () => existing()?.destroy(subject)),
    settle: (keyId) => withFileName(filename, () => existing()?.settle(keyId)),
    ofSnapshots: () => withFileName(filename, () => existing()?.ofSnapshots()),
  } satisfies Keys)
}

/** All keys of subjects in a log's key file; none if there is no file. */
export const storedIn = (filename: string): ReadonlyArray<StoredKey> =>
  withFileName(filename, () => {
    if (sizeOf(filename) === 0) return []
    const { database } = connect(filename, true)
    try {
      return database
        .prepare("SELECT id, subject, secret, made_at, shredded_by FROM keys WHERE subject IS NOT NULL ORDER BY id")
        .rows([])
        .map(([id, subject, secret, madeAt, shreddedBy]) => ({
          id: String(id),
          subject: String(subject),
          secret: secret instanceof Uint8Array ? secret : null,
          madeAt: Number(madeAt),
          shreddedBy: shreddedBy === null ? null : String(shreddedBy),
        }))
    } finally {
      database.close()
    }
  })

/**
 * Adds keys of another log to a log's key file, which is created if necessary. Existing keys of subjects stay, but not
 * one that the other log has destroyed.
 */
export const add = (filename: string, keys: ReadonlyArray<StoredKey>): void =>
  withFileName(filename, () => {
    newFile.make(filename)
    const { database } = connect(filename, false)
    try {
      const insert = database.prepare(
        "INSERT INTO keys (id, subject, secret, made_at, shredded_by) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
      )
      inTransaction(database, () => {
        const destroyed = keys.flatMap(({ id, secret }) => (secret === null ? [id] : []))
        deleteIn(database, destroyed)
        for (const { id, subject, secret, madeAt, shreddedBy } of keys)
          insert.run([id, subject, secret, madeAt, shreddedBy])
        if (scalarOf(database, "SELECT 1 FROM keys WHERE subject IS NULL") !== undefined) return
        const ofSnapshots = newKey()
        insert.run([ofSnapshots.id, null, ofSnapshots.secret, Date.now(), null])
      })
    } finally {
      database.close()
    }
  })

/** Destroys keys by id, for a copy of a log that records it. */
export const destroy = (filename: string, ids: ReadonlyArray<string>): void =>
  withFileName(filename, () => {
    if (sizeOf(filename) === 0) return
    const { database } = connect(filename, false)
    try {
      inTransaction(database, () => deleteIn(database, ids))
    } finally {
      database.close()
    }
  })

const deleteIn = (database: Connection, ids: ReadonlyArray<string>): void => {
  const remove = database.prepare("DELETE FROM keys WHERE id = ? AND subject IS NOT NULL")
  const removed = ids.reduce((sum, id) => sum + remove.run([id]), 0)
  // Snapshots have what the keys have encrypted. The next subject makes a new key for them.
  if (removed > 0) database.prepare("DELETE FROM keys WHERE subject IS NULL").run([])
}

/** Errors of this file name it; the caller would name the log. */
const withFileName = <A>(filename: string, run: () => A): A => {
  try {
    return run()
  } catch (cause) {
    const error = statementError(filename, cause)
    if (error._tag === "LogUnavailable") throw error
    if (error._tag === "LogCorrupt")
      throw unavailable(filename, `this key file is damaged (${error.reason}); restore it from a copy`)
    throw cause
  }
}

const sizeOf = (filename: string): number => fs.statSync(filename, { throwIfNoEntry: false })?.size ?? 0

const unavailable = (log: string, reason: string) => new LogUnavailable({ log, reason })

interface Opened extends Omit<Keys, "name"> {
  readonly database: Connection
  /** Throws if the file was moved or replaced: new keys would be lost. */
  readonly checkIdentity: () => void
}

const connect = (filename: string, readonly: boolean): Opened => {
  const database = driver().open(filename, { readonly, busyTimeoutMs: BUSY_TIMEOUT_MS })
  try {
    database.script("PRAGMA secure_delete = ON")
    if (!readonly && !isKeyFile(database)) inTransaction(database, () => makeTable(filename, database))
    return connection(filename, database)
  } catch (cause) {
    database.close()
    throw cause
  }
}

const scalarOf = (database: Connection, sql: string): unknown => database.prepare(sql).rows([])[0]?.[0]

const inTransaction = <A>(database: Connection, body: () => A): A => {
  database.script("BEGIN IMMEDIATE")
  try {
    const answer = body()
    database.script("COMMIT")
    return answer
  } catch (cause) {
    if (database.inTransaction()) database.script("ROLLBACK")
    throw cause
  }
}

const isKeyFile = (database: Connection): boolean =>
  scalarOf(database, "PRAGMA application_id") === APPLICATION_ID &&
  scalarOf(database, "SELECT 1 FROM sqlite_schema WHERE name = 'keys'") !== undefined

const makeTable = (filename: string, database: Connection): void => {
  if (scalarOf(database, "PRAGMA application_id") !== APPLICATION_ID) {
    if (scalarOf(database, "SELECT count(*) FROM sqlite_schema") !== 0)
      throw unavailable(filename, "expected a key file of Hindcast, or none, found another database; move it away")
    database.script(`PRAGMA application_id = ${APPLICATION_ID}`)
  }
  database.script(TABLE)
}

const connection = (filename: string, database: Connection): Opened => {
  const keyBy = (condition: string) => {
    const found = database.prepare(`SELECT id, secret FROM keys WHERE ${condition}`)
    return (...parameters: ReadonlyArray<unknown>): Key | undefined => keyOf(found.rows(parameters)[0])
  }
  const byId = keyBy("id = ?")
  const ofNoSubject = keyBy("subject IS NULL")
  const bySubject = database.prepare("SELECT id, secret FROM keys WHERE subject = ?")
  const all = database.prepare(
    "SELECT subject, id, made_at, shredded_by FROM keys WHERE subject IS NOT NULL ORDER BY made_at, id",
  )
  const insert = database.prepare("INSERT INTO keys (id, subject, secret, made_at) VALUES (?, ?, ?, ?)")
  const destroyed = database.prepare("SELECT id, shredded_by FROM keys WHERE subject = ? AND secret IS NULL")
  const erase = database.prepare(
    "UPDATE keys SET secret = NULL, shredded_by = ? WHERE subject = ? AND secret IS NOT NULL",
  )
  const eraseOfSnapshots = database.prepare("DELETE FROM keys WHERE subject IS NULL")
  const forget = database.prepare("DELETE FROM keys WHERE id = ? AND secret IS NULL")

  const add = (subject: string | null): Key => {
    const key = newKey()
    if (insert.run([key.id, subject, key.secret, Date.now()]) !== 1)
      throw unavailable(
        filename,
        "it does not store a new key, because of a trigger that another program added. Drop the trigger",
      )
    return key
  }

  /** Keys by id, until another process changes the file. */
  let known = new Map<string, Key | undefined>()
  let version: unknown
  const current = () => {
    const now = scalarOf(database, "PRAGMA data_version")
    if (now !== version) known = new Map()
    version = now
    return known
  }

  return {
    database,
    checkIdentity: fileIdentity.rememberIdentity(filename, false),
    of: (subject) =>
      inTransaction(database, () => {
        const [row] = bySubject.rows([subject])
        if (row !== undefined) return keyOf(row)
        if (ofNoSubject() === undefined) add(null)
        return add(subject)
      }),
    find: (id) => {
      const keys = current()
      if (!keys.has(id)) keys.set(id, byId(id))
      return keys.get(id)
    },
    subjects: () =>
      all.rows([]).map(([subject, id, since, shreddedBy]) => ({
        subject: String(subject),
        keyId: String(id),
        since: Number(since),
        shredding: shreddedBy !== null,
      })),
    destroy: (subject) =>
      inTransaction(database, () => {
        known = new Map()
        if (erase.run([newId(), subject]) > 0) {
          eraseOfSnapshots.run([])
          add(null)
        }
        const [row] = destroyed.rows([subject])
        return row === undefined ? undefined : { keyId: String(row[0]), eventId: String(row[1]) }
      }),
    settle: (keyId) => {
      forget.run([keyId])
    },
    ofSnapshots: () => ofNoSubject(),
  }
}

const keyOf = (row: ReadonlyArray<unknown> | undefined): Key | undefined => {
  const [id, secret] = row ?? []
  return secret instanceof Uint8Array ? { id: String(id), secret } : undefined
}
