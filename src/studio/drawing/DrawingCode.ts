/**
 * The drawing code of a plugin: the HTML file that its manifest names, from a directory whose files have the recorded
 * digest.
 */

import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Data, Effect } from "effect"
import * as Manifest from "../../plugins/manifest/Manifest.ts"
import { type Json, valueAt } from "../../values/Json.ts"
import { short } from "./Consent.ts"

/** The directory does not have the recorded files, or cannot be read. */
export class DrawingUnavailable extends Data.TaggedError("DrawingUnavailable")<{
  readonly plugin: string
  readonly digest: string
  readonly directory: string
  readonly found: string
}> {
  override get message() {
    const { plugin, digest, directory, found } = this
    return `${plugin} is not drawn by its own code: expected the files of ${plugin}@${short(digest)} in ${directory}, found ${found}. Import it again, or name a directory that has them: --draw ${plugin}@${short(digest)}=DIRECTORY.`
  }
}

export const fileIn = (manifest: Json): string | undefined => {
  const file = valueAt(manifest, ["peas", "environment", "viewHtml"])
  return typeof file === "string" ? file : undefined
}

/** Reads the code if the directory's files have the digest. Runs nothing. */
export const read = (plugin: string, digest: string, directory: string): Effect.Effect<string, DrawingUnavailable> =>
  Effect.gen(function* () {
    const unavailable = (found: string) => new DrawingUnavailable({ plugin, digest, directory, found })
    const loaded = yield* Manifest.load(directory, { lenient: true, trusted: true }).pipe(
      Effect.mapError(({ message }) => unavailable(`files that cannot be loaded (${message})`)),
    )
    const changed = `others, with the digest ${loaded.digest}: they have changed since, or belong to another version`
    if (loaded.digest !== digest || loaded.manifest.name !== plugin) return yield* unavailable(changed)
    const file = loaded.manifest.peas.environment?.viewHtml
    if (file === undefined) return yield* unavailable("none with drawing code: its manifest has no `viewHtml`")
    const code = yield* Effect.tryPromise({
      try: () => fs.readFile(path.join(loaded.directory, file), "utf8"),
      catch: (cause) => unavailable(`that ${file} cannot be read (${String(cause)})`),
    })
    // Check again, since the directory may have changed between digesting and reading.
    const after = yield* Effect.option(Manifest.load(directory, { lenient: true, trusted: true }))
    return after._tag === "Some" && after.value.digest === digest ? code : yield* unavailable(changed)
  })
