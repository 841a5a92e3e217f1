/** Keeps copies of plugins' files next to the log. Plugins run from these copies. */

import { constants } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Data, Effect, Schema } from "effect"
import * as BesideLog from "../../../events/log/BesideLog.ts"
import * as AtomicFile from "../../../platform/AtomicFile.ts"
import * as OwnerOnly from "../../../platform/OwnerOnly.ts"
import { realpathOfExisting } from "../../../platform/realpath.ts"
import * as Grants from "../../../plugins/manifest/Grants.ts"
import * as Manifest from "../../../plugins/manifest/Manifest.ts"
import { PluginUnavailable } from "../../../plugins/PluginError.ts"
import type { Plugin } from "../../../projections/state/PluginRegistry.ts"

/**
 * The directory of a log's copies: next to its file. For a log on a server, each machine has its own in the user's
 * store. Throws if no directory for that is known.
 *
 * @param log the log's name, without a password
 */
export const directoryOf = (log: string): string => `${BesideLog.of(log)}.plugins`

/** The path carries the digest's first digits; `load` checks the whole digest. */
export const pathOf = (copies: string, name: string, digest: string): string =>
  path.join(copies, `${name}-${digest.slice(0, 16)}`)

/**
 * Copies a plugin's files to a temporary directory and renames it, so that a copy is complete or absent. Replaces a
 * damaged copy; a faster concurrent import wins. Only the owner has access, because whoever can write there can replace
 * a plugin.
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
  // Rename first, which is atomic; another import may then move its copy in.
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

/** Keeps the owner's execute permission: a plugin may contain a program. */
const copyFile = async (from: string, to: string): Promise<void> => {
  OwnerOnly.makeDirectory(path.dirname(to))
  await fs.copyFile(from, to, constants.COPYFILE_EXCL)
  await fs.chmod(to, OwnerOnly.FILE_MODE | ((await fs.stat(from)).mode & constants.S_IXUSR))
}

/** Maximum retries of the rename after clearing the target. */
const MAX_MOVES = 8

/** An installed plugin, ready to start. */
export interface InstalledPlugin extends Manifest.LoadedPlugin {
  readonly grants: Grants.Grants
}

/** A plugin's copy differs from the imported files, or other users can write it. */
export class CopyChanged extends Data.TaggedError("CopyChanged")<{
  readonly plugin: string
  readonly directory: string
  readonly found: string
  readonly source: string
}> {
  override get message() {
    const { plugin, directory, found, source } = this
    return `Plugin ${plugin} is not started: expected an unchanged copy in ${directory}, found ${found}. Import it again from ${source}.`
  }
}

/**
 * Loads a plugin's copy before each start. Its files must have the recorded digest and be writable by their owner only,
 * and granted paths must resolve to themselves.
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
    if (loaded.digest !== plugin.digest) return yield* changed("changed files")
    // Earlier versions created the directory with the umask's permissions.
    yield* Effect.try({
      try: () => OwnerOnly.restrictDirectory(copies),
      catch: (cause) => unavailable(`${copies} cannot be closed to other users (${String(cause)})`),
    })
    const grants = yield* Schema.decodeUnknown(Grants.Grants)(plugin.grants).pipe(
      Effect.mapError((error) => unavailable(`expected readable grants, found invalid ones (${error.message})`)),
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
 * The first thing that no import creates: a link, a special file, a skipped name, or a mode that lets others write or
 * sets the user id.
 */
const findUnexpected = (directory: string): Effect.Effect<string | undefined> =>
  // Loading an unreadable directory fails too, with the reason.
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
