/**
 * The user's store keeps, for each backup that this user made of an own log, its head and the plugin code that the user
 * vouched for. A head's hash covers every event before it, so a verified copy with this head has exactly the log's
 * events. A restored copy is then this user's own too; any other is foreign.
 */

import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Either, Schema } from "effect"
import * as AtomicFile from "../../../platform/AtomicFile.ts"
import * as OwnerOnly from "../../../platform/OwnerOnly.ts"
import { machine } from "../../../platform/user/Machine.ts"
import * as UserStore from "../../../platform/user/UserStore.ts"
import * as Digest from "../../../values/Digest.ts"
import type { VouchedCode } from "../../log/Ownership.ts"
import * as LogRecord from "../../ownership/LogRecord.ts"
import type { Head } from "../../vocabulary/Event.ts"
import * as Ownership from "./ownership.ts"

const Kept = Schema.Struct({
  position: Schema.Int,
  hash: Schema.String,
  /** `Machine.unpublished`: a copied store proves nothing on another machine. */
  machine: Schema.NullOr(Schema.String),
  /** Up to this position, others may have written. */
  foreignUpTo: Schema.Int,
  codes: Schema.Array(Schema.Struct({ plugin: Schema.String, digest: Schema.String, grants: Schema.Unknown })),
  at: Schema.Int,
})

const decode = Schema.decodeEither(Schema.parseJson(Kept))

export interface Source {
  /** The heads that make the log this user's own; none if it is foreign. */
  readonly heads: ReadonlyArray<Head>
  readonly foreignUpTo: number
  readonly codes: ReadonlyArray<VouchedCode>
}

/** Looks a log up. Called while the copy's moment is pinned, so that a writer is at most one commit ahead. */
export const sourceOf = (filename: string): Effect.Effect<() => Source> =>
  Effect.map(machine, (here) => () => Ownership.ownedHeads(filename, here))

/** Records that this user made a backup with this head. Without a usable store, a restored copy is foreign. */
export const keep = (source: Source, { position, hash }: Head): Effect.Effect<void> =>
  Effect.flatMap(machine, ({ unpublished }) =>
    Effect.ignore(
      Effect.try(() => {
        if (!source.heads.some((own) => LogRecord.isSameHead(own, { position, hash }))) return
        const { foreignUpTo, codes } = source
        const kept: typeof Kept.Type = {
          position,
          hash,
          machine: unpublished ?? null,
          foreignUpTo,
          codes: codes.map(({ plugin, digest, grants }) => ({ plugin, digest, grants })),
          at: Date.now(),
        }
        const file = fileOf({ position, hash }, { readonly: false })
        const partial = AtomicFile.nameFor(file)
        try {
          fs.writeFileSync(partial, `${JSON.stringify(kept)}\n`, { flag: "wx", mode: OwnerOnly.FILE_MODE })
          fs.renameSync(partial, file)
        } finally {
          fs.rmSync(partial, { force: true })
        }
      }),
    ),
  )

/**
 * Makes a restored log this user's own if its head is that of a backup that this user made, on this machine, of an own
 * log. Returns whether it did. Verify the log first: only then does its head prove its content.
 */
export const adopt = (filename: string, head: Head): Effect.Effect<boolean> =>
  Effect.flatMap(machine, (here) =>
    Effect.try(() => {
      const kept = decode(LogRecord.readText(fileOf(head, { readonly: true })) ?? "")
      if (Either.isLeft(kept)) return false
      const { foreignUpTo, codes, ...found } = kept.right
      if (!LogRecord.isSameHead(found, head) || found.machine !== (here.unpublished ?? null)) return false
      Ownership.own(filename, here, head, { foreignUpTo, by: "restore", codes })
      return true
    }).pipe(Effect.orElseSucceed(() => false)),
  )

const fileOf = ({ position, hash }: Head, options: { readonly readonly: boolean }): string =>
  path.join(UserStore.open("backups", options), Digest.sha256(`${position} ${hash}`))
