/** The driver over better-sqlite3, for versions of Node without a usable SQLite. */

import * as path from "node:path"
import type BetterSqlite3 from "better-sqlite3"
import * as Installed from "../../../platform/packages/Installed.ts"
import {
  BACKUP_PAGES,
  type Connection,
  type ConnectionOptions,
  cachingStatements,
  type Driver,
  DriverUnavailable,
  IN_MEMORY,
  type Prepared,
  SETTINGS,
  SqliteError,
} from "./Driver.ts"

/**
 * Loads better-sqlite3 12 (https://github.com/WiseLibs/better-sqlite3) and its addon. Throws `DriverUnavailable` if the
 * package is missing or its addon was not built.
 *
 * @param from the module to resolve it from
 */
export const load = (from: string = import.meta.url): Driver => {
  const require = Installed.requireOf(from)
  try {
    const Database: typeof BetterSqlite3 = require(Installed.resolve(NAME, from) ?? NAME)
    // The first database loads the addon.
    new Database(IN_MEMORY).close()
    return { name: "better-sqlite3", open: (filename, options) => open(Database, filename, options) }
  } catch (cause) {
    throw new DriverUnavailable(adviceOn(cause), { cause })
  }
}

const NAME = "better-sqlite3"

const adviceOn = (cause: unknown): string => {
  const { code, message } = cause instanceof Error ? (cause as NodeJS.ErrnoException) : { message: `${cause}` }
  const { node } = process.versions
  const needed = `SQLite's driver for Node ${node}, better-sqlite3,`
  const otherwise = "or use Node 24.15 or later, which has SQLite of its own"
  if (code === "MODULE_NOT_FOUND" && message.includes("'better-sqlite3'")) {
    return (
      `${needed} is not installed, because it was left out or could not be compiled: with a C++ compiler, make and python3 at ` +
      `hand run \`npm install better-sqlite3@12\` (\`pnpm add better-sqlite3@12\`) where Hindcast is installed, ${otherwise}`
    )
  }
  return (
    `${needed} ${faultOf(code, message)}: run \`npm rebuild better-sqlite3\` (with pnpm: \`pnpm approve-builds\`, then ` +
    `\`pnpm rebuild better-sqlite3\`) where Hindcast is installed, ${otherwise}`
  )
}

const faultOf = (code: string | undefined, message: string): string => {
  if (code === "ERR_DLOPEN_FAILED") return "was built for another Node or machine"
  // The addon's loader lists every path that it tried.
  if (message.startsWith("Could not locate the bindings file")) return "was not built when Hindcast was installed"
  return `cannot be loaded (${message.split("\n")[0]})`
}

const open = (
  Database: typeof BetterSqlite3,
  filename: string,
  { readonly, busyTimeoutMs }: ConnectionOptions,
): Connection => {
  const resolved = filename === IN_MEMORY ? filename : path.resolve(filename)
  const database = withSqliteErrors(() => new Database(resolved, { readonly, timeout: busyTimeoutMs }))
  const connection: Connection = {
    prepare: cachingStatements((sql) => prepared(withSqliteErrors(() => database.prepare<Array<unknown>>(sql)))),
    script: (sql) => {
      withSqliteErrors(() => database.exec(sql))
    },
    inTransaction: () => database.inTransaction,
    backup: async (file, onPages) => {
      const progress = ({ totalPages, remainingPages }: BetterSqlite3.BackupMetadata) => {
        onPages(totalPages - remainingPages, totalPages)
        return BACKUP_PAGES
      }
      await database.backup(file, { progress }).catch((cause) => {
        throw sqliteErrorOf(cause)
      })
    },
    close: () => {
      database.close()
    },
  }
  connection.script(SETTINGS)
  return connection
}

const prepared = (statement: BetterSqlite3.Statement<Array<unknown>>): Prepared => {
  if (statement.reader) statement.raw(true)
  return {
    columns: () => (statement.reader ? statement.columns().map(({ name }) => name) : []),
    rows: (parameters) =>
      withSqliteErrors(() => {
        if (statement.reader) return statement.all(...parameters) as ReadonlyArray<ReadonlyArray<unknown>>
        statement.run(...parameters)
        return []
      }),
    run: (parameters) =>
      withSqliteErrors(() => {
        if (!statement.reader) return statement.run(...parameters).changes
        statement.all(...parameters)
        return 0
      }),
  }
}

const withSqliteErrors = <A>(run: () => A): A => {
  try {
    return run()
  } catch (cause) {
    throw sqliteErrorOf(cause)
  }
}

const sqliteErrorOf = (cause: unknown): unknown => {
  if (!(cause instanceof Error)) return cause
  // better-sqlite3 checks the directory itself, and reports it without SQLite's code.
  if (cause.message === NO_DIRECTORY) return new SqliteError("SQLITE_CANTOPEN", "unable to open database file")
  const { code } = cause as NodeJS.ErrnoException
  return code?.startsWith("SQLITE_") ? new SqliteError(code, cause.message) : cause
}

const NO_DIRECTORY = "Cannot open database because the directory does not exist"
