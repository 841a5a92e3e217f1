/** How far a log's export to a receiver has come, in a file next to the log. It survives the death of the process. */

import * as fs from "node:fs"
import * as path from "node:path"
import { Data, Effect, Schema } from "effect"
import * as AtomicFile from "../../platform/AtomicFile.ts"
import * as OwnerOnly from "../../platform/OwnerOnly.ts"
import { sha256 } from "../../values/Digest.ts"

export class PositionUnusable extends Data.TaggedError("PositionUnusable")<{
  readonly file: string
  readonly reason: string
}> {
  override get message() {
    return `${this.file}: expected how far the export has come, found ${this.reason}. Remove the file to send everything again.`
  }
}

/** The last event whose spans the receiver has. */
const Reached = Schema.Struct({ position: Schema.NonNegativeInt, event: Schema.String })

export type Reached = typeof Reached.Type

/** The file for a receiver. Its name does not show the address, which may have a key in it. */
export const fileFor = (log: string, to: URL): string => `${log}-export-${sha256(to.href).slice(0, 12)}`

/** Undefined if nothing was sent yet. */
export const read = (file: string): Effect.Effect<Reached | undefined, PositionUnusable> =>
  Effect.try({
    try: () => {
      if (!fs.existsSync(file)) return undefined
      const text = fs.readFileSync(file, "utf8")
      return Schema.decodeUnknownSync(Schema.parseJson(Reached))(text)
    },
    catch: (cause) =>
      new PositionUnusable({ file, reason: cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : "another" }),
  })

/** Replaces the file atomically. */
export const write = (file: string, reached: Reached): Effect.Effect<void, PositionUnusable> =>
  Effect.try({
    try: () => {
      AtomicFile.removeAbandonedFile(file)
      const partial = AtomicFile.nameFor(file)
      const handle = fs.openSync(partial, "wx", OwnerOnly.FILE_MODE)
      try {
        fs.writeFileSync(handle, `${JSON.stringify(reached)}\n`)
        fs.fsyncSync(handle)
      } finally {
        fs.closeSync(handle)
      }
      fs.renameSync(partial, file)
      const directory = fs.openSync(path.dirname(file), "r")
      try {
        fs.fsyncSync(directory)
      } finally {
        fs.closeSync(directory)
      }
    },
    catch: (cause) =>
      new PositionUnusable({
        file,
        reason: `that it cannot be written (${cause instanceof Error ? cause.message : cause})`,
      }),
  })
