/**
 * SQLite without Hindcast, by Hindcast's driver on this Node (or the one that `HINDCAST_SQLITE_DRIVER` names): the
 * reference.
 */
import { createRequire } from "node:module"
import { driver } from "../dist/events/sqlite/driver/choice.js"

/** A database whose statements return rows as arrays, with the driver's own settings. */
export const openRaw = (filename) => (driver().name === "node:sqlite" ? ofNode(filename) : ofBetterSqlite3(filename))

const ofNode = (filename) => {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
  const database = new DatabaseSync(filename)
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql)
      statement.setReturnArrays(true)
      return statement
    },
    close: () => database.close(),
  }
}

const ofBetterSqlite3 = (filename) => {
  const Database = createRequire(import.meta.url)("better-sqlite3")
  const database = new Database(filename)
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql)
      return statement.reader ? statement.raw() : statement
    },
    close: () => database.close(),
  }
}

/**
 * Counts requests to SQLite over any connection: appends, pages of events, and heads. A heartbeat of the lease changes
 * the file, and the head read after it does not count.
 */
export const countingCalls = () => {
  const prototype =
    driver().name === "node:sqlite"
      ? process.getBuiltinModule("node:sqlite").DatabaseSync.prototype
      : createRequire(import.meta.url)("better-sqlite3").prototype
  const { prepare } = prototype
  const counted = { events: 0, heads: 0, heartbeats: 0 }
  prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql)
    const kind = kindOf(sql)
    if (kind === undefined) return statement
    for (const name of ["all", "run"]) {
      const original = statement[name]
      statement[name] = (...parameters) => {
        counted[kind] += 1
        return original.apply(statement, parameters)
      }
    }
    return statement
  }
  return {
    reset: () => {
      Object.assign(counted, { events: 0, heads: 0, heartbeats: 0 })
    },
    calls: () => counted.events + Math.max(0, counted.heads - counted.heartbeats),
    end: () => {
      prototype.prepare = prepare
    },
  }
}

const kindOf = (sql) => {
  if (sql.startsWith("UPDATE lease")) return "heartbeats"
  if (/ORDER BY position DESC LIMIT 1$/.test(sql)) return "heads"
  return /\b(?:INTO|FROM) events\b/.test(sql) && !sql.startsWith("SELECT 1 ") ? "events" : undefined
}
