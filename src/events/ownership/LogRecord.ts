/**
 * The record of one log in the user's store: a text file. Its first line has the heads before and after this user's
 * last commit to the log on this machine, overwritten in place at each commit. Each further line is a JSON object: how
 * the log became this user's own (the last valid one counts), or plugin code that the user vouched for.
 */

import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Either, Schema } from "effect"
import * as AtomicFile from "../../platform/AtomicFile.ts"
import * as OwnerOnly from "../../platform/OwnerOnly.ts"
import * as UserStore from "../../platform/user/UserStore.ts"
import type { VouchedCode } from "../log/Ownership.ts"
import type { Head } from "../vocabulary/Event.ts"

/** How a log became this user's own. */
const Ownership = Schema.Struct({
  /** The log's path, without links, or the address of a log on a server. */
  log: Schema.String,
  /** A file put in the log's place has another inode. Empty for a log on a server. */
  inode: Schema.String,
  /** Birth of the log's file in nanoseconds, if the file system keeps it: inodes of removed files are reused. */
  born: Schema.optional(Schema.String),
  /** `Machine.unpublished`: a copied store proves nothing on another machine. */
  machine: Schema.NullOr(Schema.String),
  /** Up to this position, others may have written. */
  foreignUpTo: Schema.Int,
  by: Schema.Literal("append", "answer", "option", "move", "restore", "copy"),
  at: Schema.Int,
})

export type Ownership = typeof Ownership.Type

export type FileIdentity = Pick<Ownership, "inode" | "born">

export interface LogRecord {
  /** The heads that the log may have if nobody else appended. */
  readonly heads: ReadonlyArray<Head>
  readonly ownership: Ownership
}

/** Throws if the store is unusable. */
export const directory = (options: { readonly readonly: boolean }): string => UserStore.open("logs", options)

export const nameOf = (log: string): string => crypto.createHash("sha256").update(log).digest("hex").slice(0, 32)

/** Undefined without a record, or if the text is not one. */
export const read = (file: string): LogRecord | undefined => {
  const text = readText(file)
  if (text === undefined) return undefined
  const heads = headsIn(text)
  const ownership = linesIn(text)
    .flatMap((line) => Either.match(decode(line), { onLeft: () => [], onRight: (found) => [found] }))
    .at(-1)
  return heads === undefined || ownership === undefined ? undefined : { heads, ownership }
}

/**
 * Replaces a record, all or nothing: no part of the earlier one may count next to a new head. A process that has the
 * earlier one open reads it to its end.
 */
export const create = (file: string, head: Head, ownership: Ownership): void => {
  const isReplaced = fs.existsSync(file)
  if (isReplaced) AtomicFile.removeAbandonedFile(file)
  const partial = AtomicFile.nameFor(file)
  try {
    const handle = fs.openSync(partial, "wx", OwnerOnly.FILE_MODE)
    try {
      fs.writeFileSync(handle, `${lineOf(head, head)}${JSON.stringify(ownership)}\n`)
      // A new record lost in a power failure only makes the log foreign, so it needs no flush.
      if (isReplaced) fs.fsyncSync(handle)
    } finally {
      fs.closeSync(handle)
    }
    replace(partial, file)
  } catch (cause) {
    fs.rmSync(partial, { force: true })
    throw cause
  }
}

const replace = (partial: string, file: string): void => {
  try {
    fs.renameSync(partial, file)
  } catch {
    // Windows refuses to replace an open file. Without a record in between, the log is foreign.
    fs.rmSync(file, { force: true })
    fs.renameSync(partial, file)
  }
}

export const add = (file: string, ownership: Ownership): void => appendLines(file, [ownership])

export const addCodes = (file: string, codes: ReadonlyArray<VouchedCode>): void =>
  appendLines(
    file,
    codes.map(({ plugin, digest, grants }) => ({ plugin, digest, grants })),
  )

const appendLines = (file: string, lines: ReadonlyArray<object>): void => {
  const handle = fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_APPEND | NO_FOLLOW)
  try {
    const defect = UserStore.defectOf(handle)
    if (defect !== undefined) throw new Error(`${file}, which is ${defect}`)
    // A line cut off by a crash stays separate and counts for nothing.
    fs.writeSync(handle, lines.map((line) => `\n${JSON.stringify(line)}\n`).join(""))
  } finally {
    fs.closeSync(handle)
  }
}

export const codesIn = (file: string): ReadonlyArray<VouchedCode> =>
  linesIn(readText(file) ?? "").flatMap((line) =>
    Either.match(decodeCode(line), { onLeft: () => [], onRight: (found) => [found] }),
  )

export const openHeads = (file: string): number | undefined => {
  try {
    const handle = fs.openSync(file, fs.constants.O_RDWR | NO_FOLLOW)
    if (UserStore.defectOf(handle) === undefined) return handle
    fs.closeSync(handle)
    return undefined
  } catch {
    return undefined
  }
}

export const readHeads = (handle: number): ReadonlyArray<Head> | undefined => {
  const line = Buffer.alloc(LINE_BYTES)
  fs.readSync(handle, line, 0, LINE_BYTES, 0)
  return headsIn(line.toString("latin1"))
}

export const writeHeads = (handle: number, before: Head, after: Head): void => {
  fs.writeSync(handle, lineOf(before, after), 0, "latin1")
}

export const isSameHead = (one: Head, other: Head): boolean =>
  one.position === other.position && one.hash === other.hash

export const all = (records: string): ReadonlyArray<readonly [file: string, record: LogRecord]> =>
  fs.readdirSync(records).flatMap((name) => {
    const file = path.join(records, name)
    const record = NAME.test(name) ? read(file) : undefined
    return record === undefined ? [] : [[file, record] as const]
  })

const NAME = /^[0-9a-f]{32}$/

/** The text of a store file that only this user can have written. */
export const readText = (file: string): string | undefined => {
  // A missing or unreadable file means that the log is foreign.
  const read = attempt(file)
  return "text" in read ? read.text : undefined
}

/** Why an existing record does not count, with any content. */
export const defectOf = (file: string): string | undefined => {
  const read = attempt(file)
  return "defect" in read ? read.defect : undefined
}

const attempt = (file: string): { readonly text: string } | { readonly defect: string | undefined } => {
  try {
    const handle = fs.openSync(file, fs.constants.O_RDONLY | NO_FOLLOW)
    try {
      const defect = UserStore.defectOf(handle)
      return defect === undefined ? { text: fs.readFileSync(handle, "utf8") } : { defect }
    } finally {
      fs.closeSync(handle)
    }
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)
    return { defect: code === "ENOENT" ? undefined : code === "ELOOP" ? "a link" : `unreadable (${code})` }
  }
}

/** Absent on Windows, where links need a privilege. */
const NO_FOLLOW = fs.constants.O_NOFOLLOW ?? 0

const headsIn = (text: string): ReadonlyArray<Head> | undefined => {
  const [, ...found] = HEADS.exec(text) ?? []
  const [position, hash, next, nextHash] = found
  if (position === undefined || hash === undefined || next === undefined || nextHash === undefined) return undefined
  return [
    { position: Number(position), hash },
    { position: Number(next), hash: nextHash },
  ]
}

const HEADS = /^(\d{16}) ([0-9a-f]{64}) (\d{16}) ([0-9a-f]{64})\n/

const lineOf = (before: Head, after: Head): string => `${textOf(before)} ${textOf(after)}\n`

const textOf = ({ position, hash }: Head): string => `${String(position).padStart(16, "0")} ${hash}`

const LINE_BYTES = 2 * (16 + 1 + 64) + 2

const linesIn = (text: string): ReadonlyArray<string> => text.slice(LINE_BYTES).split("\n")

const decode = Schema.decodeEither(Schema.parseJson(Ownership))

const decodeCode = Schema.decodeEither(
  Schema.parseJson(Schema.Struct({ plugin: Schema.String, digest: Schema.String, grants: Schema.Unknown })),
)
