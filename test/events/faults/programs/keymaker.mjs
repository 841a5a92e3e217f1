/**
 * Makes the keys of several logs' snapshots under a umask, while others do the same, and tells as one line of JSON what it got for
 * each: the key in hexadecimal, or null where another program was at it.
 *
 * Input: { logs, umask }.
 */
import * as fs from "node:fs"
import { inFile } from "../../../../dist/events/sqlite/keys/snapshotKey.js"

const { logs, umask } = JSON.parse(fs.readFileSync(0, "utf8"))
process.umask(umask)
const made = logs.map((log) => {
  const key = inFile(log).make()
  return key === undefined ? null : Buffer.from(key).toString("hex")
})
fs.writeSync(1, `${JSON.stringify(made)}\n`)
