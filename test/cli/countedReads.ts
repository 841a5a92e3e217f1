import { createRequire } from "node:module"
import { driver } from "../../src/events/sqlite/driver/choice.ts"

const require = createRequire(import.meta.url)

/** The method by which the driver of this Node answers with all rows of a statement. */
const statements = (): { all: (...parameters: ReadonlyArray<unknown>) => unknown } => {
  if (driver().name === "node:sqlite") return require("node:sqlite").StatementSync.prototype
  const Database = require("better-sqlite3")
  const database = new Database(":memory:")
  const prototype = Object.getPrototypeOf(database.prepare("SELECT 1"))
  database.close()
  return prototype
}

/** Columns of a row that is an event: `READ_COLUMNS` of the log's page query. */
const EVENT_COLUMNS = 13

/** Runs something in this process, and counts the rows of events that it reads from SQLite files. */
export const countingReads = async <A>(
  run: () => Promise<A>,
): Promise<{ readonly answer: A; readonly events: number }> => {
  const prototype = statements()
  const { all } = prototype
  let events = 0
  prototype.all = function (this: unknown, ...parameters: ReadonlyArray<unknown>) {
    const rows = all.apply(this, [...parameters])
    if (Array.isArray(rows) && Array.isArray(rows[0]) && rows[0].length === EVENT_COLUMNS) events += rows.length
    return rows
  }
  try {
    return { answer: await run(), events }
  } finally {
    prototype.all = all
  }
}
