/**
 * Acknowledged spans and log records that the log does not have yet, in a file next to it. They
 * survive the death of the process and of the machine.
 */

import * as fs from "node:fs"
import { Data } from "effect"
import * as choice from "../events/sqlite/driver/choice.ts"
import type { Connection } from "../events/sqlite/driver/Driver.ts"
import * as OwnerOnly from "../platform/OwnerOnly.ts"
import type { Received, RecordKind } from "./Batch.ts"
import { InboxGroups } from "./InboxGroups.ts"
import { APPLICATION_ID, TABLES, VERSION } from "./InboxSchema.ts"

export class InboxUnavailable extends Data.TaggedError("InboxUnavailable")<{
  readonly file: string
  readonly reason: string
}> {
  override get message() {
    return `${this.file}: the inbox of the log cannot be used: ${this.reason}`
  }
}

/** A group that is due. */
export interface Group {
  readonly id: number
  readonly source: string
  readonly conversation: string | undefined
  readonly trace: string | undefined
  /** 1, or more for a conversation that was too large for one task. */
  readonly part: number
  readonly arrived: number
  /** Of its records, those dropped included. */
  readonly bytes: number
  /** The last arrival, in epoch milliseconds. */
  readonly touched: number
}

export interface Kept {
  readonly kind: RecordKind
  readonly body: string
}

export interface Backlog {
  /** Groups with records that are not in the log yet, and these records' bytes. */
  readonly groups: number
  readonly bytes: number
}

interface Waiting {
  /** Writes in the next commit, and adds to `committed` what to do after it. */
  readonly write: (committed: Array<() => void>) => void
  readonly reject: (cause: unknown) => void
}

export class Inbox {
  readonly #database: Connection
  readonly #dueAfter: (source: string) => number
  #waiting: Array<Waiting> = []
  readonly #groups: InboxGroups
  /** Bytes that wait for their mapping, by group. */
  readonly #unmapped = new Map<number, number>()
  #backlogBytes = 0
  /** Until when groups wait after a failure. */
  readonly #postponed = new Map<number, number>()

  /**
   * Opens or creates the inbox for this process alone. Throws `InboxUnavailable`.
   *
   * @param dueAfter milliseconds of silence before the mapping of a source's group
   */
  static open(file: string, dueAfter: (source: string) => number): Inbox {
    try {
      const isNew = !fs.existsSync(file)
      if (isNew) OwnerOnly.makeFile(file)
      const database = choice.driver().open(file, { readonly: false, busyTimeoutMs: BUSY_MS })
      const scalar = (sql: string) => database.prepare(sql).rows([])[0]?.[0]
      // The lock ends with the process, however it ends.
      database.script(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
        PRAGMA secure_delete = ON`)
      const [id, version] = [scalar("PRAGMA application_id"), scalar("PRAGMA user_version")]
      const isEmpty = scalar("SELECT count(*) FROM sqlite_master") === 0
      if (!isEmpty && (id !== APPLICATION_ID || version !== VERSION)) {
        database.close()
        throw new InboxUnavailable({ file, reason: "it is another file, or one of another version. Move it away" })
      }
      database.script(`BEGIN IMMEDIATE; ${TABLES}
        PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${VERSION};
        UPDATE "group" SET due = 0, since = NULL WHERE due IS NOT NULL; COMMIT`)
      return new Inbox(database, dueAfter)
    } catch (cause) {
      if (cause instanceof InboxUnavailable) throw cause
      const isBusy = cause instanceof Error && "code" in cause && String(cause.code).startsWith("SQLITE_BUSY")
      const reason = isBusy
        ? "another process receives for this log. Stop it, or name another log"
        : cause instanceof Error
          ? cause.message
          : String(cause)
      throw new InboxUnavailable({ file, reason })
    }
  }

  private constructor(database: Connection, dueAfter: (source: string) => number) {
    this.#database = database
    this.#dueAfter = dueAfter
    this.#groups = new InboxGroups(database)
    const left = `SELECT "group", sum(length(body)) FROM record
      WHERE "group" IN (SELECT id FROM "group" WHERE arrived > mapped) AND body IS NOT NULL GROUP BY "group"`
    for (const [group, bytes] of database.prepare(left).rows([])) this.#count(Number(group), Number(bytes))
  }

  /**
   * Adds records, except known ones, and resolves once they are on the disk. Calls of one turn of the event loop share
   * a commit. Rejects, and adds nothing, if writing the file fails.
   *
   * @returns how many were new
   */
  add(records: ReadonlyArray<Received>): Promise<number> {
    return this.#withNextCommit((committed) => this.#insert(records, committed))
  }

  get backlog(): Backlog {
    return { groups: this.#unmapped.size, bytes: this.#backlogBytes }
  }

  /** The groups to map now, the longest due first. */
  due(limit: number): ReadonlyArray<Group> {
    const now = performance.now()
    for (const [id, until] of this.#postponed) if (until <= now) this.#postponed.delete(id)
    const sql = `SELECT ${GROUP} FROM "group" WHERE due <= ? ORDER BY due LIMIT ?`
    const due = this.#rows(sql, [now, limit + this.#postponed.size]).map(groupOf)
    return due.filter(({ id }) => !this.#postponed.has(id)).slice(0, limit)
  }

  /** The groups with something that is not in the log yet, whenever they are due. */
  unmapped(): ReadonlyArray<Group> {
    return this.#rows(`SELECT ${GROUP} FROM "group" WHERE arrived > mapped ORDER BY id`, []).map(groupOf)
  }

  /** A group's records in order of arrival, without dropped ones. */
  recordsOf({ id }: Group): ReadonlyArray<Kept> {
    const sql = `SELECT kind, body FROM record WHERE "group" = ? AND body IS NOT NULL ORDER BY id`
    return this.#rows(sql, [id]).map(([kind, body]) => ({ kind: kindOf(kind), body: String(body) }))
  }

  /**
   * Marks a group as mapped up to the arrivals that `group` names, and resolves once this is on the disk. Shares commits
   * as `add` does, and rejects in the same way.
   *
   * @param againAfterMs when to map it again without new arrivals; null for never
   */
  mapped(group: Group, againAfterMs: number | null): Promise<void> {
    return this.#withNextCommit((committed) => this.#mark(group, againAfterMs, committed))
  }

  /** Maps a group later, after a failure. Writes nothing: the disk may be full. */
  postponed({ id }: Group, ms: number): void {
    this.#postponed.set(id, performance.now() + ms)
  }

  /**
   * Drops the bodies of groups with nothing left to do that had no arrival for `keptMs` milliseconds, and everything of
   * those that had none for `knownMs`. Overwrites dropped bodies. Works in steps; returns whether there is more to drop.
   */
  drop(keptMs: number, knownMs: number): boolean {
    const [bodiesBefore, keysBefore] = [Date.now() - keptMs, Date.now() - knownMs]
    const old = `SELECT id FROM "group" WHERE due IS NULL AND touched < ?`
    const bodies = this.#run(
      `UPDATE record SET body = NULL WHERE id IN
         (SELECT id FROM record WHERE body IS NOT NULL AND "group" IN (${old}) LIMIT ${DROP_STEP})`,
      [bodiesBefore],
    )
    const keys = this.#run(
      `DELETE FROM record WHERE id IN (SELECT id FROM record WHERE "group" IN (${old}) LIMIT ${DROP_STEP})`,
      [keysBefore],
    )
    if (keys === 0) {
      this.#run(`DELETE FROM trace WHERE "group" IN (${old})`, [keysBefore])
      if (this.#run(`DELETE FROM "group" WHERE due IS NULL AND touched < ?`, [keysBefore]) > 0) this.#groups.forget()
    }
    // Copies in the journal go, too.
    if (bodies + keys > 0) this.#database.script("PRAGMA wal_checkpoint(TRUNCATE)")
    return bodies === DROP_STEP || keys === DROP_STEP
  }

  close(): void {
    this.#database.close()
  }

  #withNextCommit<A>(write: (committed: Array<() => void>) => A): Promise<A> {
    return new Promise((resolve, reject) => {
      const writeAndResolve: Waiting["write"] = (committed) => {
        const written = write(committed)
        committed.push(() => resolve(written))
      }
      this.#waiting.push({ write: writeAndResolve, reject })
      if (this.#waiting.length === 1) setImmediate(() => this.#commit())
    })
  }

  #commit(): void {
    const waiting = this.#waiting
    this.#waiting = []
    const committed: Array<() => void> = []
    try {
      this.#database.script("BEGIN IMMEDIATE")
      for (const { write } of waiting) write(committed)
      this.#database.script("COMMIT")
    } catch (cause) {
      if (this.#database.inTransaction()) this.#database.script("ROLLBACK")
      this.#groups.forget()
      for (const { reject } of waiting) reject(cause)
      return
    }
    for (const done of committed) done()
    for (const [from, to] of this.#groups.takeMoves()) {
      this.#unmapped.set(to, (this.#unmapped.get(to) ?? 0) + (this.#unmapped.get(from) ?? 0))
      this.#unmapped.delete(from)
    }
  }

  #mark({ id, arrived }: Group, againAfterMs: number | null, committed: Array<() => void>): void {
    const again = againAfterMs === null ? null : performance.now() + againAfterMs
    // Arrivals in the meantime have set a time of their own.
    const sql = `UPDATE "group" SET mapped = ?, since = NULL, due = CASE WHEN arrived = ? THEN ? ELSE due END
      WHERE id = ? RETURNING arrived`
    const [row] = this.#rows(sql, [arrived, arrived, again, id])
    this.#groups.mapped(id)
    if (row === undefined || Number(row[0]) !== arrived) return
    committed.push(() => {
      this.#backlogBytes -= this.#unmapped.get(id) ?? 0
      this.#unmapped.delete(id)
    })
  }

  #insert(records: ReadonlyArray<Received>, committed: Array<() => void>): number {
    const insert = this.#database.prepare(
      `INSERT INTO record (key, "group", kind, body) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`,
    )
    const touched = new Map<number, { readonly source: string; records: number; bytes: number }>()
    let added = 0
    for (const received of records) {
      const group = this.#groups.of(received)
      const { key, kind, source, body } = received
      if (insert.run([key, group.id, kind, body]) === 0) continue
      added += 1
      group.records += 1
      group.bytes += body.length
      const sums = touched.get(group.id) ?? { source, records: 0, bytes: 0 }
      sums.records += 1
      sums.bytes += body.length
      touched.set(group.id, sums)
    }
    const touch = this.#database.prepare(
      `UPDATE "group" SET records = records + ?, bytes = bytes + ?, arrived = arrived + ?,
         since = coalesce(since, ?), due = min(?, coalesce(since + ${MAX_WAIT_MS}, ?)), touched = ? WHERE id = ?`,
    )
    const [now, clock] = [performance.now(), Date.now()]
    for (const [id, { source, records: count, bytes }] of touched) {
      const due = now + this.#dueAfter(source)
      touch.run([count, bytes, count, now, due, due, clock, id])
      committed.push(() => this.#count(id, bytes))
    }
    return added
  }

  #count(group: number, bytes: number): void {
    this.#unmapped.set(group, (this.#unmapped.get(group) ?? 0) + bytes)
    this.#backlogBytes += bytes
  }

  #rows(sql: string, parameters: ReadonlyArray<unknown>): ReadonlyArray<ReadonlyArray<unknown>> {
    return this.#database.prepare(sql).rows(parameters)
  }

  #run(sql: string, parameters: ReadonlyArray<unknown>): number {
    return this.#database.prepare(sql).run(parameters)
  }
}

const BUSY_MS = 500

/** Maximum wait for a group whose records keep coming. */
const MAX_WAIT_MS = 60_000

const DROP_STEP = 5_000

const GROUP = "id, source, conversation, trace, part, arrived, bytes, touched"

const groupOf = (row: ReadonlyArray<unknown>): Group => {
  const [id, source, conversation, trace, part, arrived, bytes, touched] = row
  return {
    ...{ id: Number(id), source: String(source), part: Number(part), arrived: Number(arrived) },
    conversation: conversation === null ? undefined : String(conversation),
    trace: trace === null ? undefined : String(trace),
    ...{ bytes: Number(bytes), touched: Number(touched) },
  }
}

const kindOf = (value: unknown): RecordKind => (value === "evaluation" || value === "log" ? value : "span")
