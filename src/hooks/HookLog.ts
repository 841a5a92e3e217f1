/** The log that this user's hooks write. Light: commands about recorded files look here when no log is named. */

import * as fs from "node:fs"
import * as path from "node:path"
import * as ServerUrl from "../events/log/ServerUrl.ts"
import * as UserStore from "../platform/user/UserStore.ts"

/** The name of the settings in the store's directory `hooks`. */
export const SETTINGS = "settings.json"

/** The default log in that directory. */
export const DEFAULT = "sessions.db"

/** The path of the log, if it exists, or its URL on a server. Undefined if the store or its settings cannot be read: `hooks status` says why. */
export const existing = (): string | undefined => {
  try {
    const directory = UserStore.open("hooks", { readonly: true })
    const settings = path.join(directory, SETTINGS)
    const log: unknown = fs.existsSync(settings)
      ? JSON.parse(fs.readFileSync(settings, "utf8")).log
      : path.join(directory, DEFAULT)
    return typeof log === "string" && (ServerUrl.isAddress(log) || fs.existsSync(log)) ? log : undefined
  } catch {
    return undefined
  }
}
