/** The groups of the inbox: which conversation or trace a record belongs to. */

import type { Connection } from "../events/sqlite/driver/Driver.ts"
import type { Received } from "./Batch.ts"

/** Maximum records and bytes of a group, for its mapping in memory. Later records begin the next group. */
const MAX_RECORDS = 20_000
const MAX_BYTES = 64 * 1024 * 1024

/** Group rows and traces that stay in memory. */
const MAX_CACHED = 50_000

export interface GroupRow {
  readonly id: number
  readonly base: string
  readonly part: number
  /** Whether a conversation names it, rather than a trace. */
  readonly isNamed: boolean
  records: number
  bytes: number
  isMapped: boolean
}

type Names = Pick<Received, "source" | "trace" | "conversation">

const baseOf = ({ source, trace, conversation }: Names): string =>
  conversation === undefined ? `trace ${trace}` : `${source} ${conversation}`

/** Adds to a cache, and forgets everything in a full one: the file has it. */
const cache = <Key, Value>(in_: Map<Key, Value>, key: Key, value: Value): void => {
  if (in_.size >= MAX_CACHED && !in_.has(key)) in_.clear()
  in_.set(key, value)
}

export class InboxGroups {
  readonly #database: Connection
  readonly #groups = new Map<number, GroupRow>()
  /** The last group of each conversation or trace. */
  readonly #latest = new Map<string, number>()
  readonly #traces = new Map<string, number>()
  #moves: Array<readonly [from: number, to: number]> = []

  constructor(database: Connection) {
    this.#database = database
  }

  /** The group of a record, with room for it: that of its conversation, otherwise of its trace. */
  of({ source, trace, conversation }: Received): GroupRow {
    const known = trace === undefined ? undefined : this.#groupOfTrace(trace)
    if (known !== undefined && (known.isNamed || conversation === undefined || known.isMapped))
      return this.#roomIn(known, { source, trace, conversation })
    const group = this.#latestOf({ source, trace, conversation })
    if (trace === undefined) return group
    if (known !== undefined) this.#move(known, group)
    this.#run(
      `INSERT INTO trace (id, "group") VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET "group" = excluded."group"`,
      [trace, group.id],
    )
    cache(this.#traces, trace, group.id)
    return group
  }

  #groupOfTrace(trace: string): GroupRow | undefined {
    const id = this.#traces.get(trace) ?? Number(this.#rows(`SELECT "group" FROM trace WHERE id = ?`, [trace])[0]?.[0])
    if (!Number.isInteger(id)) return undefined
    cache(this.#traces, trace, id)
    return this.#load(id)
  }

  /** The last part of a conversation or trace, with room for more. */
  #latestOf(names: Names): GroupRow {
    const base = baseOf(names)
    const sql = `SELECT id FROM "group" WHERE base = ? ORDER BY part DESC LIMIT 1`
    const id = this.#latest.get(base) ?? Number(this.#rows(sql, [base])[0]?.[0])
    const found = Number.isInteger(id) ? this.#load(id) : undefined
    return found === undefined ? this.#create(base, 1, names) : this.#roomIn(found, names)
  }

  #roomIn(group: GroupRow, names: Names): GroupRow {
    if (group.records < MAX_RECORDS && group.bytes < MAX_BYTES) return group
    const sql = `SELECT id FROM "group" WHERE base = ? AND part = ?`
    const next = Number(this.#rows(sql, [group.base, group.part + 1])[0]?.[0])
    const found = Number.isInteger(next) ? this.#load(next) : undefined
    return found === undefined ? this.#create(group.base, group.part + 1, names) : this.#roomIn(found, names)
  }

  #create(base: string, part: number, { source, trace, conversation }: Names): GroupRow {
    this.#run(`INSERT INTO "group" (base, part, source, conversation, trace, touched) VALUES (?, ?, ?, ?, ?, ?)`, [
      ...[base, part, source, conversation ?? null],
      ...[conversation === undefined ? (trace ?? null) : null, 0],
    ])
    const id = Number(this.#rows("SELECT last_insert_rowid()", [])[0]?.[0])
    const row = { id, base, part, isNamed: conversation !== undefined, records: 0, bytes: 0, isMapped: false }
    cache(this.#groups, id, row)
    cache(this.#latest, base, id)
    return row
  }

  #load(id: number): GroupRow | undefined {
    const cached = this.#groups.get(id)
    if (cached !== undefined) return cached
    const sql = `SELECT base, part, conversation, records, bytes, mapped FROM "group" WHERE id = ?`
    const [found] = this.#rows(sql, [id])
    if (found === undefined) return undefined
    const [base, part, conversation, records, bytes, mapped] = found
    const row = {
      ...{ id, base: String(base), part: Number(part), isNamed: conversation !== null },
      ...{ records: Number(records), bytes: Number(bytes), isMapped: Number(mapped) > 0 },
    }
    cache(this.#groups, id, row)
    return row
  }

  /** A trace turns out to belong to a conversation before it was mapped. */
  #move(from: GroupRow, to: GroupRow): void {
    this.#run(`UPDATE record SET "group" = ? WHERE "group" = ?`, [to.id, from.id])
    this.#run(`UPDATE "group" SET records = records + ?, bytes = bytes + ?, arrived = arrived + ? WHERE id = ?`, [
      from.records,
      from.bytes,
      from.records,
      to.id,
    ])
    this.#run(`DELETE FROM "group" WHERE id = ?`, [from.id])
    to.records += from.records
    to.bytes += from.bytes
    this.#groups.delete(from.id)
    this.#latest.delete(from.base)
    this.#moves.push([from.id, to.id])
  }

  mapped(id: number): void {
    const cached = this.#groups.get(id)
    if (cached !== undefined) cached.isMapped = true
  }

  /** Groups merged into others since the last call. */
  takeMoves(): ReadonlyArray<readonly [from: number, to: number]> {
    const moves = this.#moves
    this.#moves = []
    return moves
  }

  /** Forgets its memory, after a rollback or a removal. */
  forget(): void {
    this.#groups.clear()
    this.#latest.clear()
    this.#traces.clear()
    this.#moves = []
  }

  #rows(sql: string, parameters: ReadonlyArray<unknown>): ReadonlyArray<ReadonlyArray<unknown>> {
    return this.#database.prepare(sql).rows(parameters)
  }

  #run(sql: string, parameters: ReadonlyArray<unknown>): number {
    return this.#database.prepare(sql).run(parameters)
  }
}
