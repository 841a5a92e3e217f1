import * as fs from "node:fs"
import * as OwnerOnly from "../../../platform/OwnerOnly.ts"
import { LogUnavailable } from "../../log/EventLog.ts"
import { wayTo } from "./fileIdentity.ts"

/**
 * Makes the empty file that SQLite is to fill, unless one is there: for its owner alone, whatever the umask. What SQLite puts beside
 * a file (-wal, -shm, -journal) gets the mode of that file. One that is there stays as open as it is: somebody may have meant it so.
 *
 * A link is followed as SQLite follows it; but where it leads to nothing, only if this user or root laid it.
 */
export const make = (filename: string): void => {
  const { links, target } = wayTo(filename)
  if (fs.existsSync(target)) return
  const foreign = links.find((link) => !OwnerOnly.isTrusted(fs.lstatSync(link)))
  if (foreign !== undefined) {
    const reason = `${foreign} is another user's link, to what is not there. Name the file that is meant, or make it first`
    throw new LogUnavailable({ log: filename, reason })
  }
  OwnerOnly.makeFile(target)
}
