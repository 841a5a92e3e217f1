/** The place of files that belong to a log: next to its file, or in the user's store for a log on a server. */

import * as path from "node:path"
import * as OwnerOnly from "../../platform/OwnerOnly.ts"
import * as UserStore from "../../platform/user/UserStore.ts"
import { sha256 } from "../../values/Digest.ts"
import * as ServerUrl from "./ServerUrl.ts"

/**
 * The absolute path to which a caller adds an ending, such as `.plugins`. For a log on a server, each user of each machine
 * has one. Throws if no directory for that is known.
 *
 * @param log the log's name, without a password
 */
export const of = (log: string): string => {
  if (!ServerUrl.isAddress(log)) return path.resolve(log)
  const store = UserStore.directory()
  if (store === undefined)
    throw new Error(
      `no directory for files of a log on a server is known: set ${UserStore.VARIABLE} to an absolute path`,
    )
  return path.join(store, "servers", sha256(log).slice(0, 32))
}

/** Like `of`; creates the directory for a log on a server. */
export const made = (log: string): string => {
  const stem = of(log)
  if (ServerUrl.isAddress(log)) OwnerOnly.makeDirectory(path.dirname(stem))
  return stem
}
