/** The key that authenticates a log's snapshots. */

import * as crypto from "node:crypto"
import * as fs from "node:fs"
import { targetOf } from "../file/fileIdentity.ts"

/**
 * Authenticates a log's own snapshots. It encrypts nothing, so its loss does no harm: a new key replaces it, and
 * snapshots under the old one are no longer used.
 */
export interface SnapshotKey {
  readonly problem: () => string | undefined
  /** The current key; undefined if none can be trusted. */
  readonly find: () => Uint8Array | undefined
  /** The current key, created if missing; undefined if that fails. */
  readonly make: () => Uint8Array | undefined
}

/** In bytes, as recommended for HMAC-SHA256 (RFC 2104, section 3). */
const KEY_BYTES = 32

/**
 * An older empty file was left by a crash; in a younger one another process may still write its key. In milliseconds.
 */
const BEING_WRITTEN_MS = 5_000

/** How often, and at which interval in milliseconds, to read again a file that another process is writing. */
const REREADS = 10
const REREAD_MS = 5

const OWNER_ONLY = 0o600

export const fileOf = (log: string): string => `${targetOf(log)}.snapshot-key`

/** A key in memory, for a log in memory, where no other program can write. */
export const inMemory = (): SnapshotKey => {
  const key = crypto.randomBytes(KEY_BYTES)
  return { problem: () => undefined, find: () => key, make: () => key }
}

/**
 * The key in `<log>.snapshot-key`: 32 random bytes.
 *
 * It is separate from the keys of personal data (`<log>.keys`), which the owner keeps, copies and destroys, and which
 * determine how events read. Nobody needs to copy the snapshot key: a copy of a log without it folds its states from
 * events, and creates a new key at the first write.
 *
 * Each use reads the file, so that processes agree on the key. Only a regular file of this user or of the log's owner,
 * unreadable to others, is trusted. Anything else at the path is never followed or written to; if it belongs to this
 * user, a new key replaces it.
 */
export const inFile = (log: string): SnapshotKey => {
  const file = fileOf(log)
  const find = () => {
    const found = read(file, log)
    return found.kind === "key" ? found.key : undefined
  }
  const problem = () => PROBLEMS[read(file, log).kind]
  const make = () => {
    const found = readWritten(file, log)
    if (found.kind === "key") return found.key
    if (found.kind === "foreign" || found.kind === "being written") return undefined
    try {
      if (found.kind === "unfit" || found.kind === "open") fs.unlinkSync(file)
      create(file, log)
    } catch {
      // Another process was faster, or no file can be created here. States are then folded from events.
    }
    return find()
  }
  return { problem, find, make }
}

const PROBLEMS: { readonly [Kind in Read["kind"]]?: string } = {
  "being written": "it is empty",
  open: "other users can read it; the next kernel that writes the log makes a new one",
  unfit: "it is a link, or does not hold a key; the next kernel that writes the log makes a new one",
  foreign: "it belongs to another user, or cannot be read",
}

type Read =
  | { readonly kind: "key"; readonly key: Uint8Array }
  /**
   * `being written`: an empty file that another process may just have created. `open`: others can read it. `unfit`: a
   * link, or of another length. `foreign`: another user's.
   */
  | { readonly kind: "none" | "being written" | "open" | "unfit" | "foreign" }

/** Reads again while another process is writing the file. Blocks for at most `REREADS` × `REREAD_MS`. */
const readWritten = (file: string, log: string, rereads = REREADS): Read => {
  const found = read(file, log)
  if (found.kind !== "being written" || rereads === 0) return found
  Atomics.wait(NEVER_NOTIFIED, 0, 0, REREAD_MS)
  return readWritten(file, log, rereads - 1)
}

const NEVER_NOTIFIED = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

const read = (file: string, log: string): Read => {
  let opened: number
  try {
    // Non-blocking, in case the path is a pipe.
    opened = fs.openSync(file, fs.constants.O_RDONLY | NO_FOLLOW | NO_WAIT)
  } catch (cause) {
    const code = codeOf(cause)
    if (code === "ENOENT") return { kind: "none" }
    return { kind: code === "ELOOP" ? "unfit" : "foreign" }
  }
  try {
    const found = fs.fstatSync(opened)
    if (!belongs(found, log)) return { kind: "foreign" }
    if (!found.isFile()) return { kind: "unfit" }
    if (isOpenToOthers(found)) return { kind: "open" }
    if (found.size === 0 && Math.abs(Date.now() - found.mtimeMs) < BEING_WRITTEN_MS) return { kind: "being written" }
    if (found.size !== KEY_BYTES) return { kind: "unfit" }
    const key = Buffer.alloc(KEY_BYTES)
    return fs.readSync(opened, key) === KEY_BYTES ? { kind: "key", key } : { kind: "unfit" }
  } catch {
    return { kind: "foreign" }
  } finally {
    fs.closeSync(opened)
  }
}

/** Windows has neither flag. */
const NO_FOLLOW = fs.constants.O_NOFOLLOW ?? 0
const NO_WAIT = fs.constants.O_NONBLOCK ?? 0

/**
 * Creates the file exclusively and closes it to others before writing the key. The key goes through no other file:
 * plugins are denied this one (`ManagedProcess.filesOf`), and a crash leaves nothing else.
 */
const create = (file: string, log: string): void => {
  const { O_CREAT, O_EXCL, O_WRONLY } = fs.constants
  const opened = fs.openSync(file, O_CREAT | O_EXCL | O_WRONLY | NO_FOLLOW, OWNER_ONLY)
  try {
    // A strict umask may have removed the owner's permissions.
    fs.fchmodSync(opened, OWNER_ONLY)
    const owner = ownerOf(log)
    if (process.geteuid?.() === 0 && owner !== undefined) fs.fchownSync(opened, owner.uid, owner.gid)
    fs.writeSync(opened, crypto.randomBytes(KEY_BYTES))
  } finally {
    fs.closeSync(opened)
  }
}

const isOpenToOthers = ({ mode }: fs.Stats): boolean => process.platform !== "win32" && (mode & 0o077) !== 0

/** True if the file belongs to this user or to the log's owner, who can write events anyway. */
const belongs = ({ uid }: fs.Stats, log: string): boolean => {
  const user = process.geteuid?.()
  return user === undefined || uid === user || uid === ownerOf(log)?.uid
}

const ownerOf = (log: string): fs.Stats | undefined => fs.statSync(log, { throwIfNoEntry: false })

const codeOf = (cause: unknown): unknown =>
  typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
