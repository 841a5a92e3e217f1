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
 * Where a plugin's copy stands, below the directory of all copies. The digest's first digits are enough to tell copies
 * apart at a glance; the whole digest is checked on loading.
 */
export const pathOf = (copies: string, name: string, digest: string): string =>
  path.join(copies, `${name}-${digest.slice(0, 16)}`)

/**
 * Copies a plugin's files, into a directory of another name first, so that a copy is there whole or not at all. A copy that
 * is there and was damaged is replaced; where another import was faster, its copy is as good. Copies of other versions stay.
 * All of it is for its owner alone, as is the directory of all copies: whoever may write there could exchange a plugin.
 */
export const keep = (copies: string, plugin: Manifest.LoadedPlugin): Effect.Effect<void, PluginUnavailable> => {
  const target = pathOf(copies, plugin.manifest.name, plugin.digest)
  const besides = () => AtomicFile.nameFor(target)
  const partial = besides()
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
      Effect.flatMap(({ digest }) => Effect.map(strange(directory), (found) => digest === plugin.digest && !found)),
      Effect.orElseSucceed(() => false),
    )
  const copy = attempt(async () => {
    OwnerOnly.makeDirectory(copies)
    OwnerOnly.closeDirectory(copies)
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
  // By renaming, for that happens at once: another import's copy may come in between.
  const clear = attempt(async () => {
    const aside = besides()
    await fs.rename(target, aside)
    await fs.rm(aside, { recursive: true, force: true })
  })
  const moveIn = attempt(() => fs.rename(partial, target)).pipe(
    Effect.catchAll((error) => Effect.unlessEffect(Effect.zipRight(Effect.ignore(clear), error), isWhole(target))),
    Effect.retry({ times: MOVES }),
  )
  return Effect.zipRight(copy, moveIn).pipe(
    Effect.ensuring(Effect.ignore(attempt(() => fs.rm(partial, { recursive: true, force: true })))),
    Effect.uninterruptible,
    Effect.unlessEffect(isWhole(target)),
    Effect.asVoid,
  )
}

/** What its owner could run stays so: a plugin may bring a program. */
const copyFile = async (from: string, to: string): Promise<void> => {
  OwnerOnly.makeDirectory(path.dirname(to))
  await fs.copyFile(from, to, constants.COPYFILE_EXCL)
  await fs.chmod(to, OwnerOnly.FILE_MODE | ((await fs.stat(from)).mode & constants.S_IXUSR))
}

/** How often a copy is moved in again, after what stood in its place was cleared away. */
const MOVES = 8

/** An installed plugin as it is run. */
export interface InstalledPlugin extends Manifest.LoadedPlugin {
  readonly grants: Grants.Grants
}

/** Import it again: an installed copy is not what it was when it was imported, or somebody else may write it. */
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
 * Loads a plugin's copy, as is done before each start: its files are what was recorded, nobody but their owner may write
 * them, and what it was granted leads where it led then.
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
    const found = yield* strange(directory)
    if (found !== undefined) return yield* changed(found)
    const loaded = yield* Manifest.load(directory, { lenient: true, trusted: true }).pipe(
      Effect.catchTags({
        PluginUnavailable: (error) => noCopy(error.message),
        ManifestInvalid: (error) => changed(error.message),
      }),
    )
    if (loaded.digest !== plugin.digest) return yield* changed("files that were changed since")
    // Earlier versions left it as open as the umask did.
    yield* Effect.try({
      try: () => OwnerOnly.closeDirectory(copies),
      catch: (cause) => unavailable(`${copies} cannot be closed to other users (${String(cause)})`),
    })
    const grants = yield* Schema.decodeUnknown(Grants.Grants)(plugin.grants).pipe(
      Effect.mapError((error) => unavailable(`expected its grants, found what cannot be read (${error.message})`)),
    )
    for (const place of [...grants.read, ...grants.write]) {
      const real = yield* Effect.tryPromise({
        try: () => realpathOfExisting(place),
        catch: (cause) => unavailable(`it was granted ${place}: ${cause instanceof Error ? cause.message : cause}`),
      })
      if (real !== place) return yield* unavailable(`it was granted ${place}, which now is a link to ${real}`)
    }
    return { ...loaded, grants }
  })

/**
 * What is in a copy that an import never puts there, or undefined: links and special files, what its digest leaves out, and
 * modes by which others could write it or run it as its owner.
 */
const strange = (directory: string): Effect.Effect<string | undefined> =>
  // What cannot be looked at cannot be loaded either, which says why.
  Effect.promise(() => firstStrange(directory, "").catch(() => undefined))

const firstStrange = async (root: string, below: string): Promise<string | undefined> => {
  const stats = await fs.lstat(path.join(root, below))
  const name = below === "" ? "the directory" : below
  // A directory may have its group's bit from the one that it was made in.
  const mode = stats.mode & (stats.isFile() ? 0o7777 : 0o777)
  if (!stats.isFile() && !stats.isDirectory()) return `${name}, which is a link or a special file`
  if (process.platform !== "win32" && (mode & REFUSED_MODES) !== 0) {
    return `${name} with the mode ${mode.toString(8).padStart(4, "0")}`
  }
  if (!stats.isDirectory()) return undefined
  for (const entry of await fs.readdir(path.join(root, below))) {
    const place = path.join(below, entry)
    if (Manifest.SKIPPED.has(entry)) return `${place}, which no import copies`
    const found = await firstStrange(root, place)
    if (found !== undefined) return found
  }
  return undefined
}

/** Set-user-id, set-group-id, and writing by the group or by others. */
const REFUSED_MODES = 0o6022
