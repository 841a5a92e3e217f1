/** Creates a log's empty file with safe permissions before SQLite opens it. */

import * as fs from "node:fs"
import * as OwnerOnly from "../../../platform/OwnerOnly.ts"
import { LogUnavailable } from "../../log/EventLog.ts"
import { resolveLinks } from "./fileIdentity.ts"

/**
 * Creates the empty file readable only by its owner, under any umask. SQLite gives its own files (-wal, -shm, -journal)
 * the same mode. An existing file keeps its mode, which may be intended. Follows symbolic links as SQLite does, but a
 * dangling one only if this user or root created it.
 */
export const make = (filename: string): void => {
  const { links, target } = resolveLinks(filename)
  if (fs.existsSync(target)) return
  const foreign = links.find((link) => !OwnerOnly.isTrusted(fs.lstatSync(link)))
  if (foreign !== undefined) {
    const reason = `${foreign} is a symbolic link of another user, and its target does not exist. Name the file itself, or create it first`
    throw new LogUnavailable({ log: filename, reason })
  }
  OwnerOnly.makeFile(target)
}
