/** Reads small files that belong to an imported one, such as the rewards of a trajectory. */

import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import type { Found } from "./Detection.ts"
import { FileRefused } from "./SourceText.ts"

const MAX_BYTES = 32 * 1024 * 1024

export interface Companions {
  readonly texts: ReadonlyMap<string, string>
  /** Existing ones that are too large. */
  readonly tooLarge: ReadonlyArray<string>
}

/**
 * Reads a file's companions and skips missing ones. An unreadable one refuses the file, since data would be missing.
 */
export const of = ({ file, source, pieces }: Found): Effect.Effect<Companions, FileRefused> =>
  Effect.gen(function* () {
    const directory = pieces === undefined ? path.dirname(file) : file
    const texts = new Map<string, string>()
    const tooLarge: Array<string> = []
    for (const name of source.companions ?? []) {
      const beside = path.join(directory, name)
      const text = yield* Effect.try({
        try: () => textOf(beside),
        catch: (cause) =>
          new FileRefused({
            file,
            expected: "readable files beside it, or none",
            found: cause instanceof Error ? cause.message : String(cause),
          }),
      })
      if (text === TOO_LARGE) tooLarge.push(name)
      else if (text !== undefined) texts.set(name, text)
    }
    return { texts, tooLarge }
  })

/** Maximum size of a file that a record refers to, in bytes. */
const MAX_BLOB_BYTES = 32 * 1024 * 1024

/**
 * The text of a file that a record refers to; undefined if the format has none, or if it is missing, too large or
 * unreadable.
 */
export const blobOf =
  ({ file, source }: Found) =>
  (name: string): string | undefined => {
    if (source.blobs?.test(name) !== true) return undefined
    try {
      const beside = path.join(path.dirname(file), name)
      const stat = fs.lstatSync(beside, { throwIfNoEntry: false })
      return stat?.isFile() === true && stat.size <= MAX_BLOB_BYTES ? fs.readFileSync(beside, "utf8") : undefined
    } catch {
      return undefined
    }
  }

const TOO_LARGE = Symbol("too large")

const textOf = (file: string): string | typeof TOO_LARGE | undefined => {
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  if (stat?.isFile() !== true) return undefined
  return stat.size <= MAX_BYTES ? fs.readFileSync(file, "utf8") : TOO_LARGE
}
