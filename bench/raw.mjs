/** SQLite without Hindcast, by the driver that Hindcast uses on this Node (or that `HINDCAST_SQLITE_DRIVER` names): what is measured against. */
import { createRequire } from "node:module"
import { driver } from "../dist/events/sqlite/driver/choice.js"

/** A database whose statements answer with rows as arrays. It leaves in place what the driver sets by itself. */
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

/** Counts what is asked of SQLite, by whatever connection: appends of events, and reads of them that answer with more than whether one is there. */
export const countingCalls = () => {
  const prototype =
    driver().name === "node:sqlite"
      ? process.getBuiltinModule("node:sqlite").DatabaseSync.prototype
      : createRequire(import.meta.url)("better-sqlite3").prototype
  const { prepare } = prototype
  let calls = 0
  prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql)
    if (!isCall(sql)) return statement
    for (const name of ["all", "run"]) {
      const original = statement[name]
      statement[name] = (...parameters) => {
        calls += 1
        return original.apply(statement, parameters)
      }
    }
    return statement
  }
  return {
    reset: () => {
      calls = 0
    },
    calls: () => calls,
    end: () => {
      prototype.prepare = prepare
    },
  }
}

const isCall = (sql) => /\b(?:INTO|FROM) events\b/.test(sql) && !sql.startsWith("SELECT 1 ")
