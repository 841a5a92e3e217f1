/**
 * Who wrote a log on a server, by its record in the user's store.
 *
 * Several people may write to it, and the server decides who may. Trust therefore is about the log and not about single
 * commits: a log that this user began on this machine, or trusted here, stays the user's own while its first event is the
 * same. Any other log with events is foreign, unless this user copied it there from an own log.
 */

import * as path from "node:path"
import { Effect } from "effect"
import { type Machine, machine } from "../../platform/user/Machine.ts"
import type { LogError } from "../log/LogErrors.ts"
import { type Ownership, type Provenance, StoreUnusable, type TrustedBy, type VouchedCode } from "../log/Ownership.ts"
import type { Head } from "../vocabulary/Event.ts"
import * as LogRecord from "./LogRecord.ts"

/** A log without events contains nothing of a stranger. Its record keeps what the user vouches for until `began`. */
const NONE: Head = { position: 0, hash: "0".repeat(64) }

export interface ServerLog {
  /** The log's address, without a password. */
  readonly name: string
  readonly head: Effect.Effect<Head, LogError>
  /** The first event of a log that has one: it identifies the log. */
  readonly first: Effect.Effect<Head, LogError>
}

/** Also records that this process appended the first event: recorders never ask whose a log is. */
export interface OwnershipOfServerLog extends Ownership {
  readonly began: (first: Head) => Effect.Effect<void>
}

export const make = ({ name, head: headOf, first: firstOf }: ServerLog): OwnershipOfServerLog => {
  let own: Provenance | undefined
  const vouched: Array<VouchedCode> = []

  const recorded = (here: Machine, first: Head, how: Pick<LogRecord.Ownership, "foreignUpTo" | "by">): void => {
    const ownership = { log: name, inode: "", machine: here.unpublished ?? null, ...how, at: Date.now() }
    LogRecord.create(fileOf(name, { readonly: false }), first, ownership)
  }

  /** Completes the record of a log that was empty then, with what the user vouched for since. */
  const identified = (here: Machine, first: Head, how: Pick<LogRecord.Ownership, "foreignUpTo" | "by">): void => {
    const file = fileOf(name, { readonly: false })
    const codes = LogRecord.codesIn(file)
    recorded(here, first, how)
    if (codes.length > 0) LogRecord.addCodes(file, codes)
  }

  const look = (here: Machine, head: Head, first: Head): Provenance => {
    try {
      if (head.position === 0) {
        // Another process of this user may have appended the first event meanwhile.
        if (!isBegun(LogRecord.read(fileOf(name, { readonly: false }))))
          recorded(here, NONE, { foreignUpTo: 0, by: "append" })
        return { kind: "own", foreignUpTo: 0 }
      }
      const record = LogRecord.read(fileOf(name, { readonly: true }))
      if (record === undefined) return { kind: "foreign", head, why: NO_RECORD }
      const { foreignUpTo, machine: owner } = record.ownership
      if (owner !== (here.unpublished ?? null)) return { kind: "foreign", head, why: OTHERS }
      // Somebody else appended the first event, or a copy brought it.
      if (!isBegun(record)) return { kind: "foreign", head, why: NO_RECORD }
      const [begun] = record.heads
      if (begun === undefined || !LogRecord.isSameHead(begun, first))
        return { kind: "foreign", head, why: "its first event is another one than when you trusted it" }
      return { kind: "own", foreignUpTo }
    } catch (cause) {
      if (head.position === 0) return { kind: "own", foreignUpTo: 0 }
      return {
        kind: "foreign",
        head,
        why: isMissing(cause) ? NO_RECORD : `your own store cannot be used: ${reasonOf(cause)}`,
      }
    }
  }

  return {
    began: (first) =>
      Effect.flatMap(machine, (here) =>
        // Without a usable store, the log is foreign to later processes.
        Effect.ignore(
          Effect.try(() => {
            identified(here, first, { foreignUpTo: 0, by: "append" })
            own = { kind: "own", foreignUpTo: 0 }
          }),
        ),
      ),
    provenance: Effect.suspend(() => {
      if (own !== undefined) return Effect.succeed(own)
      return Effect.gen(function* () {
        const head = yield* headOf
        const first = head.position === 0 ? NONE : yield* firstOf
        const found = look(yield* machine, head, first)
        if (found.kind === "own") own = found
        return found
      })
    }),
    trust: (head: Head, by: TrustedBy) =>
      Effect.gen(function* () {
        own = { kind: "own", foreignUpTo: head.position }
        const first = yield* Effect.mapError(firstOf, (cause) => new StoreUnusable({ reason: reasonOf(cause) }))
        const here = yield* machine
        yield* Effect.try({
          try: () => recorded(here, first, { foreignUpTo: head.position, by }),
          catch: (cause) => new StoreUnusable({ reason: reasonOf(cause) }),
        })
      }),
    vouch: (codes) =>
      Effect.try({
        try: () => {
          vouched.push(...codes)
          const file = fileOf(name, { readonly: false })
          // Without a record the log is foreign: trusting it vouches for its code.
          if (codes.length > 0 && LogRecord.read(file) !== undefined) LogRecord.addCodes(file, codes)
        },
        catch: (cause) => new StoreUnusable({ reason: reasonOf(cause) }),
      }),
    vouched: Effect.sync(() => {
      try {
        return [...vouched, ...LogRecord.codesIn(fileOf(name, { readonly: true }))]
      } catch {
        return vouched
      }
    }),
  }
}

/** Whether a record names the first event of a log. */
const isBegun = (record: LogRecord.LogRecord | undefined): boolean => {
  const first = record?.heads[0]
  return first !== undefined && !LogRecord.isSameHead(first, NONE)
}

const NO_RECORD = "your own store has no record that you began it on this machine or trusted it here"

const OTHERS = "the record in your own store is another machine's or another user's"

const fileOf = (name: string, options: { readonly readonly: boolean }): string =>
  path.join(LogRecord.directory(options), LogRecord.nameOf(name))

const isMissing = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "ENOENT"

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
