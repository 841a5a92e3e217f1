/** The small files that a format has beside its own, such as the rewards of a trajectory. */

import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import type { Found } from "./Detection.ts"
import { FileRefused } from "./SourceText.ts"

const MAX_BYTES = 32 * 1024 * 1024

/** The companions of a file. */
export interface Companions {
  /** Their texts, by their relative paths. */
  readonly texts: ReadonlyMap<string, string>
  /** Those that are there and too large. */
  readonly tooLarge: ReadonlyArray<string>
}

/** Reads a file's companions. What is not there, or no file, is left out; one that cannot be read refuses the file, of which a part would be missing. */
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
            expected: `what is beside it to be readable, or not there`,
            found: cause instanceof Error ? cause.message : String(cause),
          }),
      })
      if (text === TOO_LARGE) tooLarge.push(name)
      else if (text !== undefined) texts.set(name, text)
    }
    return { texts, tooLarge }
  })

/** Largest file that a record may name, in bytes. */
const MAX_BLOB_BYTES = 32 * 1024 * 1024

/** The text of a file that a record names; undefined if its format has no such files, it is not there, too large, or cannot be read. */
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
