/** Ends this process by SIGKILL right after it committed events so many times: nothing runs between that commit and the end. */
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

/** To be called before a log is opened. */
export const dieAfterCommit = (count) => {
  let commits = 0
  let transaction = false
  let hasEvents = false
  const ran = (sql) => {
    if (sql.startsWith("BEGIN")) {
      transaction = true
      hasEvents = false
    } else if (sql.startsWith("INSERT INTO events ")) hasEvents = true
    if (sql.startsWith("ROLLBACK")) hasEvents = false
    if (sql.startsWith("COMMIT") || sql.startsWith("ROLLBACK")) transaction = false
    if (transaction || !hasEvents) return
    hasEvents = false
    commits += 1
    if (commits === count) process.kill(process.pid, "SIGKILL")
  }
  for (const database of databases()) {
    const { prepare } = database
    database.prepare = function (sql) {
      const statement = prepare.call(this, sql)
      const { run } = statement
      statement.run = (...parameters) => {
        const result = run.apply(statement, parameters)
        ran(sql)
        return result
      }
      return statement
    }
  }
}
