import { createRequire } from "node:module"
import type BetterSqlite3 from "better-sqlite3"
import { driver } from "../src/events/sqlite/driver/choice.ts"

/**
 * An SQLite file as any other program would open it, to look into it and to tamper with it: by the driver that Hindcast uses on
 * this Node, but with nothing of Hindcast in between. Methods are named as better-sqlite3 names them.
 */
export class Database {
  readonly #raw: Raw

  constructor(filename: string, { readonly = false }: { readonly readonly?: boolean } = {}) {
    this.#raw = driver().name === "node:sqlite" ? ofNode(filename, readonly) : ofBetterSqlite3(filename, readonly)
  }

  /** Runs statements one after the other. */
  exec(sql: string): this {
    this.#raw.script(sql)
    return this
  }

  prepare(sql: string): Statement {
    return new Statement(this.#raw.prepare(sql))
  }

  /** What a pragma answers: its rows, or with `simple` the first column of the first. */
  pragma(sql: string, { simple = false }: { readonly simple?: boolean } = {}): unknown {
    const statement = this.prepare(`PRAGMA ${sql}`)
    return simple ? statement.pluck().get() : statement.all()
  }

  /** Lets statements do what can damage a file. */
  unsafeMode(): void {
    this.#raw.unsafe()
  }

  /** Copies the database as it is now, with what is in its write-ahead log. */
  backup(copy: string): Promise<unknown> {
    return this.#raw.backup(copy)
  }

  close(): void {
    this.#raw.close()
  }
}

/** A prepared statement, whose rows are objects, or with `raw` arrays, or with `pluck` the first column. */
class Statement {
  readonly #raw: RawStatement
  #shape: (row: ReadonlyArray<unknown>) => unknown = (row) =>
    Object.fromEntries(this.#raw.columns().map((column, index) => [column, row[index]]))

  constructor(raw: RawStatement) {
    this.#raw = raw
  }

  /** Whether it answers with rows. */
  get reader(): boolean {
    return this.#raw.columns().length > 0
  }

  pluck(): this {
    this.#shape = ([first]) => first
    return this
  }

  raw(): this {
    this.#shape = (row) => row
    return this
  }

  all(...parameters: ReadonlyArray<unknown>): ReadonlyArray<unknown> {
    return this.#raw.rows(parameters).map((row) => this.#shape(row.map(asBuffer)))
  }

  get(...parameters: ReadonlyArray<unknown>): unknown {
    return this.all(...parameters)[0]
  }

  run(...parameters: ReadonlyArray<unknown>): { readonly changes: number } {
    return { changes: this.#raw.run(parameters) }
  }
}

/** Bytes as better-sqlite3 answers with them. */
const asBuffer = (value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value

interface Raw {
  readonly prepare: (sql: string) => RawStatement
  readonly script: (sql: string) => void
  readonly unsafe: () => void
  readonly backup: (copy: string) => Promise<unknown>
  readonly close: () => void
}

interface RawStatement {
  readonly columns: () => ReadonlyArray<string>
  readonly rows: (parameters: ReadonlyArray<unknown>) => ReadonlyArray<ReadonlyArray<unknown>>
  readonly run: (parameters: ReadonlyArray<unknown>) => number
}

const require = createRequire(import.meta.url)

const ofBetterSqlite3 = (filename: string, readonly: boolean): Raw => {
  const Opened: typeof BetterSqlite3 = require("better-sqlite3")
  const database: BetterSqlite3.Database = new Opened(filename, { readonly })
  return {
    prepare: (sql) => {
      const statement = database.prepare<Array<unknown>>(sql)
      if (statement.reader) statement.raw(true)
      return {
        columns: () => (statement.reader ? statement.columns().map(({ name }) => name) : []),
        rows: (parameters) => {
          if (statement.reader) return statement.all(...parameters) as ReadonlyArray<ReadonlyArray<unknown>>
          statement.run(...parameters)
          return []
        },
        run: (parameters) => statement.run(...parameters).changes,
      }
    },
    script: (sql) => {
      database.exec(sql)
    },
    unsafe: () => {
      database.unsafeMode(true)
    },
    backup: (copy) => database.backup(copy),
    close: () => {
      database.close()
    },
  }
}

/** What is used of `node:sqlite`, of which Node 20 knows no types. */
interface NodeSqlite {
  readonly DatabaseSync: new (
    filename: string,
    options: { readonly readOnly: boolean; readonly timeout: number },
  ) => NodeDatabase
  readonly backup: (database: NodeDatabase, copy: string) => Promise<unknown>
}

interface NodeDatabase {
  readonly prepare: (sql: string) => {
    readonly setReturnArrays: (enabled: boolean) => void
    readonly columns: () => ReadonlyArray<{ readonly name: string }>
    readonly all: (...parameters: ReadonlyArray<unknown>) => ReadonlyArray<ReadonlyArray<unknown>>
    readonly run: (...parameters: ReadonlyArray<unknown>) => { readonly changes: number | bigint }
  }
  readonly exec: (sql: string) => void
  /** Node 22 is never on its guard. */
  readonly enableDefensive?: (enabled: boolean) => void
  readonly close: () => void
}

const ofNode = (filename: string, readonly: boolean): Raw => {
  const { DatabaseSync, backup } = process.getBuiltinModule("node:sqlite") as NodeSqlite
  const database = new DatabaseSync(filename, { readOnly: readonly, timeout: 5000 })
  return {
    prepare: (sql) => {
      const statement = database.prepare(sql)
      statement.setReturnArrays(true)
      return {
        columns: () => statement.columns().map(({ name }) => name),
        rows: (parameters) => statement.all(...parameters),
        run: (parameters) => Number(statement.run(...parameters).changes),
      }
    },
    script: (sql) => database.exec(sql),
    unsafe: () => database.enableDefensive?.(false),
    backup: (copy) => backup(database, copy),
    close: () => database.close(),
  }
}
