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
