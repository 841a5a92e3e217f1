/** Ends this process by SIGKILL right before or after it commits events for the n-th time: nothing runs between that commit and the end. */
import { createRequire } from "node:module"

/** What has the method `prepare` of SQLite's drivers: that of better-sqlite3, and that of Node where it has one. */
const databases = () => {
  const found = []
  try {
    found.push(createRequire(import.meta.url)("better-sqlite3").prototype)
  } catch {
    // It is not installed where Node's own is used.
  }
  const ofNode = process.getBuiltinModule?.("node:sqlite")
  if (ofNode !== undefined) found.push(ofNode.DatabaseSync.prototype)
  return found
}

/**
 * To be called before a log is opened.
 *
 * @param moment `before` or `after` the commit
 */
export const dieAtCommit = (count, moment) => {
  let commits = 0
  let transaction = false
  let hasEvents = false
  const die = (at) => {
    if (commits === count && moment === at) process.kill(process.pid, "SIGKILL")
  }
  /** Runs a statement. One that commits events is an INSERT by itself, or the end of a transaction that has one. */
  const ran = (sql, run) => {
    if (sql.startsWith("INSERT INTO events ")) hasEvents = true
    if (sql.startsWith("BEGIN")) transaction = true
    if (sql.startsWith("ROLLBACK")) hasEvents = false
    const commit = hasEvents && (!transaction || sql.startsWith("COMMIT"))
    if (commit) commits += 1
    if (commit) die("before")
    const result = run()
    if (commit) die("after")
    if (commit) hasEvents = false
    if (sql.startsWith("COMMIT") || sql.startsWith("ROLLBACK")) transaction = false
    return result
  }
  for (const database of databases()) {
    const { prepare } = database
    database.prepare = function (sql) {
      const statement = prepare.call(this, sql)
      const { run } = statement
      statement.run = (...parameters) => ran(sql, () => run.apply(statement, parameters))
      return statement
    }
  }
}
