/**
 * Finds out who wrote a log in an SQLite file, by its record in the user's store (`LogRecord`).
 *
 * Each commit of this user's processes first writes the heads before and after it to the record, within the commit's
 * transaction. A log that only this user wrote, on this machine, therefore has one of the two heads, even after a kill.
 * A log extended elsewhere, or by a program that keeps no record, has another head. A file that a stranger put in the
 * log's place has another inode or birth. A copy has no record, because a record is for one path, unless it is a
 * restored backup of this user (`BackupRecord`). A moved log keeps its record: its old path is gone, and inode and head
 * are the same.
 */

import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, type Scope } from "effect"
import { type Machine, machine } from "../../../platform/user/Machine.ts"
import {
  type Ownership,
  type Provenance,
  StoreUnusable,
  type TrustedBy,
  type VouchedCode,
} from "../../log/Ownership.ts"
import * as LogRecord from "../../ownership/LogRecord.ts"
import type { Head } from "../../vocabulary/Event.ts"
import { attemptRead } from "../file/database.ts"

/** Records a commit, if everything before it is this user's own. Called in the commit's transaction after its rows. */
export type Seal = (before: Head, after: Head) => void

/** Creates the seal of a log's file. It never throws: a log whose record cannot be written becomes foreign. */
export const seal = (
  filename: string,
  machine: Pick<Machine, "unpublished">,
): Effect.Effect<Seal, never, Scope.Scope> =>
  Effect.gen(function* () {
    let place: Place | undefined
    let handle: number | undefined
    let last: Head | undefined
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        if (handle !== undefined) fs.closeSync(handle)
      }),
    )

    /** A log without events contains nothing of a stranger. */
    const begin = (before: Head): number | undefined => {
      if (handle !== undefined) fs.closeSync(handle)
      handle = undefined
      place = placeOf(filename, { readonly: false })
      const { file, ...identity } = place
      LogRecord.create(file, before, { ...identity, ...owner(machine), foreignUpTo: 0, by: "append", at: Date.now() })
      handle = LogRecord.openHeads(file)
      return handle
    }

    const record = (before: Head): number | undefined => {
      if (before.position === 0) return begin(before)
      place ??= placeOf(filename, { readonly: false })
      handle ??= LogRecord.openHeads(place.file)
      if (handle === undefined || (last !== undefined && LogRecord.isSameHead(last, before))) return handle
      if (hasHead(handle, before)) return handle
      // Another process may have replaced the record, because the log was trusted meanwhile.
      fs.closeSync(handle)
      handle = LogRecord.openHeads(place.file)
      return handle !== undefined && hasHead(handle, before) ? handle : undefined
    }

    return (before, after) => {
      try {
        const found = record(before)
        if (found === undefined) return
        LogRecord.writeHeads(found, before, after)
        last = after
      } catch {
        // The store is unusable. `provenance` says why once somebody wants to act on the log.
        last = undefined
      }
    }
  })

const hasHead = (handle: number, wanted: Head): boolean =>
  (LogRecord.readHeads(handle) ?? []).some((head) => LogRecord.isSameHead(head, wanted))

export const make = (filename: string, readHead: () => Head): Ownership => {
  const look = (here: Machine): Provenance => {
    // A commit of another process between the two reads changes both.
    for (let attempt = 0; ; attempt++) {
      const before = found(filename, here)
      const provenance = provenanceOf(before, readHead(), here)
      if (provenance.kind === "own" || attempt === MAX_ATTEMPTS || isSame(before, found(filename, here))) {
        return provenance
      }
    }
  }
  // Valid for this opening: an answer that another machine appends meanwhile must not stop the work.
  let own: Provenance | undefined
  const vouched: Array<VouchedCode> = []
  return {
    provenance: Effect.suspend(() => {
      if (own !== undefined) return Effect.succeed(own)
      return Effect.tap(
        Effect.flatMap(machine, (here) => attemptRead(filename, () => look(here))),
        (found) => {
          if (found.kind === "own") own = found
        },
      )
    }),
    trust: (head, by) =>
      Effect.suspend(() => {
        own = { kind: "own", foreignUpTo: head.position }
        return Effect.flatMap(machine, (here) => trust(filename, here, head, by))
      }),
    vouch: (codes) =>
      Effect.try({
        try: () => {
          vouched.push(...codes)
          const { file } = placeOf(filename, { readonly: false })
          // Without a record the log is foreign: trusting it vouches for its code.
          if (codes.length > 0 && LogRecord.read(file) !== undefined) LogRecord.addCodes(file, codes)
        },
        catch: (cause) => new StoreUnusable({ reason: reasonOf(cause) }),
      }),
    vouched: Effect.sync(() => {
      try {
        return [...vouched, ...LogRecord.codesIn(placeOf(filename, { readonly: true }).file)]
      } catch {
        return vouched
      }
    }),
  }
}

/** The heads that make a log this user's own, and the rest of its record; none if it is foreign. Never throws. */
export const ownedHeads = (filename: string, machine: Pick<Machine, "unpublished">) => {
  const { record, place } = found(filename, machine)
  return record === undefined || place === undefined
    ? { heads: [], foreignUpTo: 0, codes: [] }
    : { heads: record.heads, foreignUpTo: record.ownership.foreignUpTo, codes: LogRecord.codesIn(place.file) }
}

export const own = (
  filename: string,
  machine: Pick<Machine, "unpublished">,
  head: Head,
  { codes, ...how }: Pick<LogRecord.Ownership, "foreignUpTo" | "by"> & { readonly codes: ReadonlyArray<VouchedCode> },
): void => {
  const { file, ...identity } = placeOf(filename, { readonly: false })
  LogRecord.create(file, head, { ...identity, ...owner(machine), ...how, at: Date.now() })
  if (codes.length > 0) LogRecord.addCodes(file, codes)
}

const MAX_ATTEMPTS = 100

/** The store's record of a log, or why none counts. */
type Found =
  | { readonly record: LogRecord.LogRecord; readonly place: Place }
  | { readonly record: undefined; readonly why: string; readonly place?: Place }

const found = (filename: string, machine: Pick<Machine, "unpublished">): Found => {
  let place: Place
  try {
    place = placeOf(filename, { readonly: true })
  } catch (cause) {
    return {
      record: undefined,
      why: isMissing(cause) ? NO_RECORD : `your own store cannot be used: ${reasonOf(cause)}`,
    }
  }
  const record = LogRecord.read(place.file)
  if (record === undefined) return { record, why: whyNot(place.file), place }
  const { ownership } = record
  if (ownership.machine !== owner(machine).machine) {
    return { record: undefined, why: "the record in your own store is another machine's or another user's", place }
  }
  if (!isSameFile(ownership, place)) {
    return { record: undefined, why: "another file was put in the place of the log that you wrote", place }
  }
  return { record, place }
}

const whyNot = (file: string): string => {
  const defect = LogRecord.defectOf(file)
  return defect === undefined ? NO_RECORD : `its record in your own store does not count: ${file} is ${defect}`
}

/** Old records, and file systems without births, have no `born`. */
const isSameFile = (one: LogRecord.FileIdentity, other: LogRecord.FileIdentity): boolean =>
  one.inode === other.inode && (one.born === undefined || one.born === other.born)

const NO_RECORD = "your own store has no record that you wrote it on this machine"

const provenanceOf = (found: Found, head: Head, machine: Pick<Machine, "unpublished">): Provenance => {
  if (head.position === 0) return { kind: "own", foreignUpTo: 0 }
  const { record } = found
  if (record?.heads.some((own) => LogRecord.isSameHead(own, head))) {
    return { kind: "own", foreignUpTo: record.ownership.foreignUpTo }
  }
  if (record !== undefined) {
    const last = record.heads.at(-1)?.position ?? 0
    return {
      kind: "foreign",
      head,
      why: `it does not end as you left it at @${last}: it was extended or changed elsewhere`,
    }
  }
  const moved = found.place === undefined ? undefined : adoptMoved(found.place, head, machine)
  return moved === undefined
    ? { kind: "foreign", head, why: found.why }
    : { kind: "own", foreignUpTo: moved.foreignUpTo }
}

/** Takes the record from the log's former path. A copy has another inode. */
const adoptMoved = (
  { file, ...identity }: Place,
  head: Head,
  machine: Pick<Machine, "unpublished">,
): LogRecord.Ownership | undefined => {
  for (const [former, { heads, ownership }] of LogRecord.all(path.dirname(file))) {
    const isSame = isSameFile(ownership, identity) && ownership.machine === owner(machine).machine
    if (!isSame || !heads.some((own) => LogRecord.isSameHead(own, head)) || fs.existsSync(ownership.log)) continue
    fs.renameSync(former, file)
    LogRecord.add(file, { ...ownership, ...identity, by: "move", at: Date.now() })
    return ownership
  }
  return undefined
}

const trust = (filename: string, machine: Pick<Machine, "unpublished">, head: Head, by: TrustedBy) =>
  Effect.try({
    try: () => own(filename, machine, head, { foreignUpTo: head.position, by, codes: [] }),
    catch: (cause) => new StoreUnusable({ reason: reasonOf(cause) }),
  })

interface Place {
  readonly file: string
  readonly log: string
  readonly inode: string
  readonly born?: string
}

const placeOf = (filename: string, options: { readonly readonly: boolean }): Place => {
  const log = fs.realpathSync(filename)
  const { ino, birthtimeNs, ctimeNs } = fs.statSync(log, { bigint: true })
  // Where births are not kept, Node returns none, or the time of the last change.
  const born = birthtimeNs > 0n && birthtimeNs !== ctimeNs ? { born: String(birthtimeNs) } : {}
  return { file: path.join(LogRecord.directory(options), LogRecord.nameOf(log)), log, inode: String(ino), ...born }
}

const owner = ({ unpublished }: Pick<Machine, "unpublished">) => ({ machine: unpublished ?? null })

const isSame = (one: Found, other: Found): boolean => JSON.stringify(one) === JSON.stringify(other)

const isMissing = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "ENOENT"

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
