/** Refuses logs with special files: opening a pipe or a device would never return. */

import * as fs from "node:fs"
import { LogUnavailable } from "../../log/EventLog.ts"
import { targetOf } from "./fileIdentity.ts"

/** Files that SQLite opens next to the log's file. It follows no link to them. */
const BESIDE = ["-wal", "-shm", "-journal"]

/** Throws `LogUnavailable` if the file, or one that SQLite would open with it, exists and is no regular file. */
export const assertRegular = (filename: string): void => {
  const target = targetOf(filename)
  for (const file of [target, ...BESIDE.map((suffix) => target + suffix)]) {
    const found = fs.lstatSync(file, { throwIfNoEntry: false })
    if (found === undefined || found.isFile() || found.isDirectory()) continue
    const what = found.isSymbolicLink() ? "a link" : found.isFIFO() ? "a pipe" : "a device or a socket"
    const reason = `${file} is ${what}, where SQLite needs a regular file. Somebody put it there: inspect and remove it`
    throw new LogUnavailable({ log: filename, reason })
  }
}
