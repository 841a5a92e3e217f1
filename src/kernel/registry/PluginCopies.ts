/** The copies of plugins' files that are kept next to the log and run from. */

import { constants } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Data, Effect, Schema } from "effect"
import * as AtomicFile from "../../platform/AtomicFile.ts"
import * as OwnerOnly from "../../platform/OwnerOnly.ts"
import { realpathOfExisting } from "../../platform/realpath.ts"
import * as Grants from "../../plugins/manifest/Grants.ts"
import * as Manifest from "../../plugins/manifest/Manifest.ts"
import { PluginUnavailable } from "../../plugins/PluginError.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"

/**
 * The directory of a plugin's copy. The first digits of the digest tell copies apart; the whole digest is checked
 * when the copy is loaded.
 */
export const pathOf = (copies: string, name: string, digest: string): string =>
  path.join(copies, `${name}-${digest.slice(0, 16)}`)

/**
 * Copies a plugin's files to a temporary directory, which is renamed, so that a copy exists completely or not at all.
 * A damaged copy is replaced. If another import was faster, its copy is used. Copies of other versions stay.
 * Directories and files are accessible to their owner only, since whoever can write there could replace a plugin.
 */
export const keep = (copies: string, plugin: Manifest.LoadedPlugin): Effect.Effect<void, PluginUnavailable> => {
  const target = pathOf(copies, plugin.manifest.name, plugin.digest)
  const temporaryName = () => AtomicFile.nameFor(target)
  const partial = temporaryName()
  const unavailable = (reason: string) => new PluginUnavailable({ plugin: plugin.manifest.name, reason })
  const attempt = (run: () => Promise<void>) =>
    Effect.tryPromise({
      try: run,
      catch: (cause) =>
        unavailable(
          `its files cannot be copied to ${target}: ${cause instanceof Error ? cause.message : String(cause)}`,
        ),
    })
  const isWhole = (directory: string) =>
    Manifest.load(directory, { lenient: true, trusted: true }).pipe(
      Effect.flatMap(({ digest }) =>
        Effect.map(findUnexpected(directory), (found) => digest === plugin.digest && !found),
      ),
      Effect.orElseSucceed(() => false),
    )
  const copy = attempt(async () => {
    OwnerOnly.makeDirectory(copies)
    OwnerOnly.restrictDirectory(copies)
    AtomicFile.removeAbandonedIn(copies)
    await fs.mkdir(partial, { mode: OwnerOnly.DIRECTORY_MODE })
    for (const file of plugin.files) await copyFile(path.join(plugin.directory, file), path.join(partial, file))
  }).pipe(
    Effect.zipRight(isWhole(partial)),
    Effect.filterOrFail(
      (whole) => whole,
      () => unavailable(`its files in ${plugin.directory} changed while they were copied. Import it again`),
    ),
  )
  // Renamed first, which is atomic. Another import may put its copy there in between.
  const clear = attempt(async () => {
    const aside = temporaryName()
    await fs.rename(target, aside)
    await fs.rm(aside, { recursive: true, force: true })
  })
  const moveIn = attempt(() => fs.rename(partial, target)).pipe(
    Effect.catchAll((error) => Effect.unlessEffect(Effect.zipRight(Effect.ignore(clear), error), isWhole(target))),
    Effect.retry({ times: MAX_MOVES }),
  )
  return Effect.zipRight(copy, moveIn).pipe(
    Effect.ensuring(Effect.ignore(attempt(() => fs.rm(partial, { recursive: true, force: true })))),
    Effect.uninterruptible,
    Effect.unlessEffect(isWhole(target)),
    Effect.asVoid,
  )
}

/** Copies a file. It stays executable by its owner, since a plugin may contain a program. */
const copyFile = async (from: string, to: string): Promise<void> => {
  OwnerOnly.makeDirectory(path.dirname(to))
  await fs.copyFile(from, to, constants.COPYFILE_EXCL)
  await fs.chmod(to, OwnerOnly.FILE_MODE | ((await fs.stat(from)).mode & constants.S_IXUSR))
}

/** Retries of renaming, after the directory in its place was removed. */
const MAX_MOVES = 8

/** An installed plugin, ready to be started. */
export interface InstalledPlugin extends Manifest.LoadedPlugin {
  readonly grants: Grants.Grants
}

/** Import it again: its copy differs from the imported one, or other users can write it. */
export class CopyChanged extends Data.TaggedError("CopyChanged")<{
  readonly plugin: string
  readonly directory: string
  readonly found: string
  readonly source: string
}> {
  override get message() {
    const { plugin, directory, found, source } = this
    return `Plugin ${plugin} is not started: expected its copy in ${directory} as it was imported, found ${found}. Import it again from ${source}.`
  }
}

/**
 * Loads and checks a plugin's copy before each start: its files have the recorded digest, only their owner can write
 * them, and granted paths still resolve to themselves.
 */
export const load = (
  copies: string,
  name: string,
  plugin: Pick<Plugin, "digest" | "source" | "grants">,
): Effect.Effect<InstalledPlugin, CopyChanged | PluginUnavailable> =>
  Effect.gen(function* () {
    const directory = pathOf(copies, name, plugin.digest)
    const changed = (found: string) => new CopyChanged({ plugin: name, directory, found, source: plugin.source })
    const unavailable = (reason: string) =>
      new PluginUnavailable({ plugin: name, reason: `${reason}. Import it again from ${plugin.source}` })
    const noCopy = (found: string) => unavailable(`expected its copy in ${directory}, found ${found}`)
    const found = yield* findUnexpected(directory)
    if (found !== undefined) return yield* changed(found)
    const loaded = yield* Manifest.load(directory, { lenient: true, trusted: true }).pipe(
      Effect.catchTags({
        PluginUnavailable: (error) => noCopy(error.message),
        ManifestInvalid: (error) => changed(error.message),
      }),
    )
    if (loaded.digest !== plugin.digest) return yield* changed("files that were changed since")
    // Earlier versions created the directory with the permissions of the umask.
    yield* Effect.try({
      try: () => OwnerOnly.restrictDirectory(copies),
      catch: (cause) => unavailable(`${copies} cannot be closed to other users (${String(cause)})`),
    })
    const grants = yield* Schema.decodeUnknown(Grants.Grants)(plugin.grants).pipe(
      Effect.mapError((error) => unavailable(`expected its grants, found what cannot be read (${error.message})`)),
    )
    for (const location of [...grants.read, ...grants.write]) {
      const real = yield* Effect.tryPromise({
        try: () => realpathOfExisting(location),
        catch: (cause) => unavailable(`it was granted ${location}: ${cause instanceof Error ? cause.message : cause}`),
      })
      if (real !== location) return yield* unavailable(`it was granted ${location}, which now is a link to ${real}`)
    }
    return { ...loaded, grants }
  })

/**
 * The first thing in a copy that an import never creates, or undefined: a link, a special file, a file that the
 * digest skips, or a mode that lets others write it or run it as its owner.
 */
const findUnexpected = (directory: string): Effect.Effect<string | undefined> =>
  // An unreadable directory fails when it is loaded, with the reason.
  Effect.promise(() => findUnexpectedIn(directory, "").catch(() => undefined))

const findUnexpectedIn = async (root: string, below: string): Promise<string | undefined> => {
  const stats = await fs.lstat(path.join(root, below))
  const name = below === "" ? "the directory" : below
  // A directory may inherit the set-group-id bit from its parent.
  const mode = stats.mode & (stats.isFile() ? 0o7777 : 0o777)
  if (!stats.isFile() && !stats.isDirectory()) return `${name}, which is a link or a special file`
  if (process.platform !== "win32" && (mode & REFUSED_MODES) !== 0) {
    return `${name} with the mode ${mode.toString(8).padStart(4, "0")}`
  }
  if (!stats.isDirectory()) return undefined
  for (const entry of await fs.readdir(path.join(root, below))) {
    const location = path.join(below, entry)
    if (Manifest.SKIPPED.has(entry)) return `${location}, which no import copies`
    const found = await findUnexpectedIn(root, location)
    if (found !== undefined) return found
  }
  return undefined
}

/** Set-user-id, set-group-id, and write permission for group and others. */
const REFUSED_MODES = 0o6022
