import * as crypto from "node:crypto"
import * as fs from "node:fs"
import { targetOf } from "../file/fileIdentity.ts"

/**
 * The key by which a log's snapshots are known to be its own. It proves who stored a snapshot and hides nothing, so that losing
 * it loses nothing: a new one is made, and snapshots under the old one are no longer used.
 */
export interface SnapshotKey {
  /** The key as it is now; undefined where there is none that can be trusted. */
  readonly find: () => Uint8Array | undefined
  /** The same, made where there is none; undefined where it cannot be made. */
  readonly make: () => Uint8Array | undefined
}

/** Bytes of a key, as HMAC-SHA256 wants it (RFC 2104, section 3). */
const KEY_BYTES = 32

/** For its owner alone. */
const OWNER_ONLY = 0o600

/** Where the key of a log's snapshots is. */
export const fileOf = (log: string): string => `${targetOf(log)}.snapshot-key`

/** A key in memory, for a log in memory: nobody else can write there. */
export const inMemory = (): SnapshotKey => {
  const key = crypto.randomBytes(KEY_BYTES)
  return { find: () => key, make: () => key }
}

/**
 * The key in a file of its own beside the log: `<log>.snapshot-key`, 32 random bytes.
 *
 * It is not among the keys of personal data (`<log>.keys`), because those are the owner's to keep, to copy and to destroy,
 * and whether they are there decides how events read. This one is of no use elsewhere and need not be copied: a copy of a log
 * without it folds its states from events, and makes a key of its own when it is written to.
 *
 * The file is read at each use, so that several processes agree whichever of them made or replaced it. Only a regular file of
 * this user or of the log's owner that nobody else may read is believed. Anything else in its place is never followed or
 * written to; where it is this user's, it is removed and made anew.
 */
export const inFile = (log: string): SnapshotKey => {
  const file = fileOf(log)
  const find = () => {
    const found = read(file, log)
    return found.kind === "key" ? found.key : undefined
  }
  const make = () => {
    const found = read(file, log)
    if (found.kind === "key") return found.key
    if (found.kind === "foreign") return undefined
    try {
      if (found.kind === "unfit") fs.unlinkSync(file)
      create(file, log)
    } catch {
      // Another process was faster, or nothing can be made here: then states are folded from events.
    }
    return find()
  }
  return { find, make }
}

type Read =
  | { readonly kind: "key"; readonly key: Uint8Array }
  /** `unfit`: a link, a file of another length, or one that others may read. `foreign`: what belongs to another user. */
  | { readonly kind: "none" | "unfit" | "foreign" }

const read = (file: string, log: string): Read => {
  let opened: number
  try {
    // Without waiting, should it be a pipe.
    opened = fs.openSync(file, fs.constants.O_RDONLY | NO_FOLLOW | NO_WAIT)
  } catch (cause) {
    const code = codeOf(cause)
    if (code === "ENOENT") return { kind: "none" }
    return { kind: code === "ELOOP" ? "unfit" : "foreign" }
  }
  try {
    const found = fs.fstatSync(opened)
    if (!belongs(found, log)) return { kind: "foreign" }
    if (!found.isFile() || found.size !== KEY_BYTES || isOpenToOthers(found)) return { kind: "unfit" }
    const key = Buffer.alloc(KEY_BYTES)
    return fs.readSync(opened, key) === KEY_BYTES ? { kind: "key", key } : { kind: "unfit" }
  } catch {
    return { kind: "foreign" }
  } finally {
    fs.closeSync(opened)
  }
}

/** Not on Windows, where there are neither. */
const NO_FOLLOW = fs.constants.O_NOFOLLOW ?? 0
const NO_WAIT = fs.constants.O_NONBLOCK ?? 0

/** Only where nothing stands there yet. It is closed to others before it holds the key; until it holds it, nobody believes it. */
const create = (file: string, log: string): void => {
  const { O_CREAT, O_EXCL, O_WRONLY } = fs.constants
  const opened = fs.openSync(file, O_CREAT | O_EXCL | O_WRONLY | NO_FOLLOW, OWNER_ONLY)
  try {
    // A strict umask may have taken the owner's own rights away.
    fs.fchmodSync(opened, OWNER_ONLY)
    const owner = ownerOf(log)
    if (process.geteuid?.() === 0 && owner !== undefined) fs.fchownSync(opened, owner.uid, owner.gid)
    fs.writeSync(opened, crypto.randomBytes(KEY_BYTES))
  } finally {
    fs.closeSync(opened)
  }
}

const isOpenToOthers = ({ mode }: fs.Stats): boolean => process.platform !== "win32" && (mode & 0o077) !== 0

/** Whether it is this user's or that of the log's owner, who can write events as well. */
const belongs = ({ uid }: fs.Stats, log: string): boolean => {
  const user = process.geteuid?.()
  return user === undefined || uid === user || uid === ownerOf(log)?.uid
}

const ownerOf = (log: string): fs.Stats | undefined => fs.statSync(log, { throwIfNoEntry: false })

const codeOf = (cause: unknown): unknown =>
  typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
