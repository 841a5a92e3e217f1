/** The socket of a hook server, for `Door`: a new name for each, in a directory that only this user can write to. */

import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as UserStore from "../platform/user/UserStore.ts"

/** Maximum length of a Unix socket's path, in bytes: macOS has 104, with a final zero. */
const MAX_BYTES = 103

/** Throws as `UserStore.open`, or if no directory has a path that is short enough. */
export const newSocket = (): string => {
  const name = `${process.pid}-${randomBytes(4).toString("hex")}.sock`
  if (process.platform === "win32") return `\\\\.\\pipe\\hindcast-hooks-${name}`
  const stored = path.join(UserStore.open("hooks", { readonly: false }), name)
  if (Buffer.byteLength(stored) <= MAX_BYTES) return stored
  const temporary = path.join(os.tmpdir(), "hindcast-XXXXXX", name)
  if (Buffer.byteLength(temporary) > MAX_BYTES)
    throw new Error(
      `expected a directory whose path leaves room for a socket (${MAX_BYTES} bytes in all), found ${path.dirname(stored)} and ${os.tmpdir()}: set TMPDIR to a shorter one`,
    )
  return path.join(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-")), name)
}
