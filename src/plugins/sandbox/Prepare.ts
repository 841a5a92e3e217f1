/**
 * Prepares a plugin's sandbox: resolves paths, checks grants and links, fills the Deno cache and builds the command
 * line.
 */
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
import { readPathsOf } from "./layers/Permissions.ts"
import * as Precomputed from "./Precomputed.ts"
import * as Runner from "./Runner.ts"
import * as Sandbox from "./Sandbox.ts"

/** The inputs of a plugin's confinement. */
export interface SandboxRequest {
  readonly plugin: string
  /** An absolute, real path. */
  readonly directory: string
  /** An absolute path. */
  readonly entry: string
  readonly grants: Grants
  /** Absolute paths that the plugin must not read or write. */
  readonly forbidden: ReadonlyArray<string>
  /** This plugin's own Deno cache. Created if missing. */
  readonly denoDir: string
  readonly limits: Limits
  /** From the manifest. Default: none. */
  readonly precomputed?: Manifest.Precomputed | undefined
  /** Records the computation of those bytes. */
  readonly precomputing: Precomputed.Recording
}

/** A command line, valid for the disk as checked. */
export interface PreparedSandbox {
  readonly command: Sandbox.SandboxedCommand
  /** The forbidden paths, resolved. */
  readonly forbidden: ReadonlyArray<string>
  /** Undefined if the manifest declares none. */
  readonly precomputed: Precomputed.Found | undefined
}

/** The ways in which preparing a sandbox fails. */
export type PrepareError = PluginUnavailable | Links.LinkLeaves | Links.TooManyFiles

/**
 * Prepares the sandbox and checks what its command line relies on: paths that fit into a permission flag, real granted
 * paths and, in the tier `flags`, no link out of the grants.
 */
export const prepare = (
  confining: Sandbox.AvailableLayer,
  request: SandboxRequest,
): Effect.Effect<PreparedSandbox, PrepareError> =>
  Effect.gen(function* () {
    const { plugin, directory, grants, limits } = request
    const forbidden = yield* resolve(request, "forbidden paths", request.forbidden)
    const denoDir = yield* makeDenoDir(request)
    const runner = yield* findRunner(request, denoDir)
    yield* assertFlagSafe(request, [directory, ...forbidden, ...(request.precomputed === undefined ? [] : [denoDir])])
    yield* Links.assertRealGrants(plugin, grants)
    if (tierOf(confining.layer) === "flags")
      yield* Links.assertLinksInside(plugin, readPathsOf({ directory, grants, forbidden }))
    const confinement = { runner, directory, grants, forbidden, denoDir, limits }
    const made = Effect.gen(function* () {
      yield* DenoCache.fill(confining, confinement, request.entry)
      const precomputed =
        request.precomputed &&
        (yield* Precomputed.provide(confining, confinement, request.precomputed, request.precomputing))
      const file = precomputed !== undefined && "file" in precomputed ? { precomputed: precomputed.file } : {}
      const command = yield* Effect.try(() => Sandbox.command(confining, { ...confinement, ...file }, process.env))
      return { command, forbidden, precomputed }
    })
    return yield* Effect.mapError(made, ({ error: cause }) => {
      const found = cause instanceof Error ? cause.message : String(cause)
      return new PluginUnavailable({ plugin, reason: `expected its sandbox to be made in ${denoDir}, found ${found}` })
    })
  })

/** Resolves the links of paths that need not exist yet. */
export const resolve = ({ plugin }: Pick<SandboxRequest, "plugin">, what: string, places: ReadonlyArray<string>) =>
  Effect.tryPromise({
    try: () => Promise.all(places.map(realpathOfExisting)),
    catch: (cause) =>
      new PluginUnavailable({ plugin, reason: `expected ${what} to be resolved, found ${String(cause)}` }),
  })

/**
 * Creates the Deno cache. A plain file blocks the place of `localStorage` and the Cache API, so that both throw: they
 * need no permission, and all plugins would share the runner's.
 */
export const makeDenoDir = ({
  plugin,
  denoDir,
}: Pick<SandboxRequest, "plugin" | "denoDir">): Effect.Effect<string, PluginUnavailable> =>
  Effect.tryPromise({
    try: async () => {
      OwnerOnly.makeDirectory(denoDir)
      OwnerOnly.restrictDirectory(denoDir)
      AtomicFile.removeAbandonedIn(denoDir)
      const blocked = path.join(denoDir, "location_data")
      if (!OwnerOnly.makeFile(blocked) && !(await fs.lstat(blocked)).isFile())
        throw new Error(`${blocked}, which is not a file`)
      return await fs.realpath(denoDir)
    },
    catch: (cause) =>
      new PluginUnavailable({
        plugin,
        reason: `expected a directory for Deno's cache, found ${cause instanceof Error ? cause.message : String(cause)}`,
      }),
  })

/** The runner's real path. A bundled program first writes the runner into the Deno cache. */
const findRunner = ({ plugin }: SandboxRequest, denoDir: string): Effect.Effect<string, PluginUnavailable> =>
  Effect.tryPromise({
    try: async () => await fs.realpath(Runner.fileIn(denoDir, "runner")),
    catch: (cause) =>
      new PluginUnavailable({
        plugin,
        reason: `expected the runner's file, found ${cause instanceof Error ? cause.message : String(cause)}`,
      }),
  })

/** Permission flags separate paths by commas, which cannot be escaped. */
const assertFlagSafe = (
  { plugin }: SandboxRequest,
  places: ReadonlyArray<string>,
): Effect.Effect<void, PluginUnavailable> => {
  const found = places.find((place) => /[,\n\r]/.test(place))
  if (found === undefined) return Effect.void
  const reason = `expected paths without commas and line breaks, found ${found}. Keep the log and plugins elsewhere`
  return new PluginUnavailable({ plugin, reason })
}
