import * as crypto from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Effect, Schema } from "effect"
import { realpathOfExisting } from "../../plugins/broker/realpath.ts"
import * as Grants from "../../plugins/Grants.ts"
import * as Manifest from "../../plugins/Manifest.ts"
import { PluginUnavailable } from "../../plugins/PluginError.ts"
import type { Plugin } from "../../projections/PluginRegistry.ts"

/**
 * Where a plugin's copy stands, below the directory of all copies. The digest's first digits are enough to tell copies
 * apart at a glance; the whole digest is checked on loading.
 */
export const pathOf = (copies: string, name: string, digest: string): string =>
  path.join(copies, `${name}-${digest.slice(0, 16)}`)

/**
 * Copies a plugin's files, into a directory of another name first, so that a copy is there whole or not at all. A copy that
 * is there and was damaged is replaced; where another import was faster, its copy is as good. Copies of other versions stay.
 */
export const keep = (copies: string, plugin: Manifest.LoadedPlugin): Effect.Effect<void, PluginUnavailable> => {
  const target = pathOf(copies, plugin.manifest.name, plugin.digest)
  const besides = () => `${target}.partial-${crypto.randomUUID()}`
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
      Effect.map(({ digest }) => digest === plugin.digest),
      Effect.orElseSucceed(() => false),
    )
  const copy = attempt(async () => {
    for (const file of plugin.files) {
      await fs.mkdir(path.dirname(path.join(partial, file)), { recursive: true })
      await fs.copyFile(path.join(plugin.directory, file), path.join(partial, file))
    }
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

/** How often a copy is moved in again, after what stood in its place was cleared away. */
const MOVES = 8

/** An installed plugin as it is run. */
export interface InstalledPlugin extends Manifest.LoadedPlugin {
  readonly grants: Grants.Grants
}

/** Loads a plugin's copy: its files are what was recorded, and what it was granted leads where it led then. */
export const load = (
  copies: string,
  name: string,
  plugin: Pick<Plugin, "digest" | "source" | "grants">,
): Effect.Effect<InstalledPlugin, PluginUnavailable> =>
  Effect.gen(function* () {
    const directory = pathOf(copies, name, plugin.digest)
    const unavailable = (reason: string) =>
      new PluginUnavailable({ plugin: name, reason: `${reason}. Import it again from ${plugin.source}` })
    const noCopy = (found: string) => unavailable(`expected its copy in ${directory}, found ${found}`)
    const loaded = yield* Manifest.load(directory, { lenient: true, trusted: true }).pipe(
      Effect.mapError((error) => noCopy(error.message)),
    )
    if (loaded.digest !== plugin.digest) return yield* noCopy("files that were changed since the import")
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
