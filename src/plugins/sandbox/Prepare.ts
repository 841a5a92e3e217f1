import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Effect } from "effect"
import * as AtomicFile from "../../platform/AtomicFile.ts"
import * as OwnerOnly from "../../platform/OwnerOnly.ts"
import { realpathOfExisting } from "../../platform/realpath.ts"
import type { Grants } from "../manifest/Grants.ts"
import type * as Manifest from "../manifest/Manifest.ts"
import { PluginUnavailable } from "../PluginError.ts"
import * as DenoCache from "./DenoCache.ts"
import type { Limits } from "./Limits.ts"
import * as Links from "./Links.ts"
import { tierOf } from "./layers/Layer.ts"
import { readingOf } from "./layers/Permissions.ts"
import * as Precomputed from "./Precomputed.ts"
import * as Runner from "./Runner.ts"
import * as Sandbox from "./Sandbox.ts"

/** What a plugin's process is to be confined to. */
export interface SandboxRequest {
  readonly plugin: string
  /** The plugin's directory: an absolute, real path. */
  readonly directory: string
  /** Absolute path of its entry. */
  readonly entry: string
  readonly grants: Grants
  /** Absolute paths of what it must not touch. */
  readonly forbidden: ReadonlyArray<string>
  /** A Deno cache directory of its own, made if missing. */
  readonly denoDir: string
  readonly limits: Limits
  /** Bytes to have at hand in a file, as its manifest says. Default: none. */
  readonly precomputed?: Manifest.Precomputed | undefined
}

/** A command line whose confinement holds on this disk, as it is now. */
export interface Prepared {
  readonly command: Sandbox.SandboxedCommand
  /** What it must not touch, by its real paths. */
  readonly forbidden: ReadonlyArray<string>
  /** Undefined where its manifest asks for none. */
  readonly precomputed: Precomputed.Found | undefined
}

export type PrepareError = PluginUnavailable | Links.LinkLeaves | Links.TooManyFiles

/**
 * Makes ready what a plugin is started in, and checks what its command line takes for granted: paths that a permission flag
 * can hold, grants by their real paths, and in the `flags` tier no link that leads out of them.
 */
export const prepare = (confining: Sandbox.Confining, wish: SandboxRequest): Effect.Effect<Prepared, PrepareError> =>
  Effect.gen(function* () {
    const { plugin, directory, grants, limits } = wish
    const forbidden = yield* resolve(wish, "paths of what no plugin may touch", wish.forbidden)
    const denoDir = yield* makeDenoDir(wish)
    const runner = yield* findRunner(wish, denoDir)
    yield* speakable(wish, [directory, ...forbidden, ...(wish.precomputed === undefined ? [] : [denoDir])])
    yield* Links.grantsAreReal(plugin, grants)
    if (tierOf(confining.layer) === "flags")
      yield* Links.stayInside(plugin, readingOf({ directory, grants, forbidden }))
    const confinement = { runner, directory, grants, forbidden, denoDir, limits }
    const made = Effect.gen(function* () {
      yield* DenoCache.fill(confining, confinement, wish.entry)
      const precomputed = wish.precomputed && (yield* Precomputed.provide(confining, confinement, wish.precomputed))
      const reading = precomputed !== undefined && "file" in precomputed ? { precomputed: precomputed.file } : {}
      const command = yield* Effect.try(() => Sandbox.command(confining, { ...confinement, ...reading }, process.env))
      return { command, forbidden, precomputed }
    })
    return yield* Effect.mapError(made, ({ error: cause }) => {
      const found = cause instanceof Error ? cause.message : String(cause)
      return new PluginUnavailable({ plugin, reason: `expected its sandbox to be made in ${denoDir}, found ${found}` })
    })
  })

const resolve = ({ plugin }: SandboxRequest, what: string, places: ReadonlyArray<string>) =>
  Effect.tryPromise({
    try: () => Promise.all(places.map(realpathOfExisting)),
    catch: (cause) =>
      new PluginUnavailable({ plugin, reason: `expected ${what} to be resolved, found ${String(cause)}` }),
  })

/**
 * A plain file where Deno would keep `localStorage` and the Cache API makes both throw: they need no permission, and the
 * runner's would be shared.
 */
const makeDenoDir = ({ plugin, denoDir }: SandboxRequest): Effect.Effect<string, PluginUnavailable> =>
  Effect.tryPromise({
    try: async () => {
      OwnerOnly.makeDirectory(denoDir)
      OwnerOnly.closeDirectory(denoDir)
      AtomicFile.removeAbandonedIn(denoDir)
      const blocked = path.join(denoDir, "location_data")
      if (!OwnerOnly.makeFile(blocked) && !(await fs.lstat(blocked)).isFile())
        throw new Error(`${blocked}, which is no file`)
      return await fs.realpath(denoDir)
    },
    catch: (cause) =>
      new PluginUnavailable({
        plugin,
        reason: `expected a directory for Deno's cache, found ${cause instanceof Error ? cause.message : String(cause)}`,
      }),
  })

/** The runner's real path. Where it has to be written first, it is kept with what Deno makes of it. */
const findRunner = ({ plugin }: SandboxRequest, denoDir: string): Effect.Effect<string, PluginUnavailable> =>
  Effect.tryPromise({
    try: async () => await fs.realpath(Runner.fileIn(denoDir, "runner")),
    catch: (cause) =>
      new PluginUnavailable({
        plugin,
        reason: `expected the runner's file, found ${cause instanceof Error ? cause.message : String(cause)}`,
      }),
  })

/** Paths go into permission flags, which a comma would split in two, and there is no way to write one. */
const speakable = (
  { plugin }: SandboxRequest,
  places: ReadonlyArray<string>,
): Effect.Effect<void, PluginUnavailable> => {
  const found = places.find((place) => /[,\n\r]/.test(place))
  if (found === undefined) return Effect.void
  const reason = `expected paths without commas and line breaks, found ${found}. Keep the log and plugins elsewhere`
  return new PluginUnavailable({ plugin, reason })
}
