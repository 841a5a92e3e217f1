/** The disk of a plugin's process: the paths mounted on it, and the covered ones. */
import * as fs from "node:fs"
import * as path from "node:path"
import { isInside } from "../../manifest/paths.ts"
import { type ReadScope, readPathsOf } from "./Permissions.ts"

/** A process's paths: readable ones and those of its programs. Absolute, real paths. */
export interface SandboxPaths extends ReadScope {
  /** Programs that start on the disk, such as Deno, and their shared libraries. */
  readonly programs: ReadonlyArray<string>
  /** Directories of libraries whose code the programs load, such as Python's. Default: none. */
  readonly libraryDirectories?: ReadonlyArray<string>
  readonly runner: string
  /** This plugin's own Deno cache. */
  readonly denoDir: string
  /** Whether the cache is writable: only for Deno, while no code of the plugin runs. */
  readonly cacheIsWritten: boolean
}

/** A path on a disk, and its mount. */
export type VisiblePath =
  /** The machine's file or directory, read-only. Code of a `program` and in a directory of `libraries` is executable. */
  | { readonly kind: "file" | "directory" | "program" | "libraries"; readonly place: string }
  /** The machine's directory, writable. */
  | { readonly kind: "written"; readonly place: string }
  /** A cover: an empty directory or file. */
  | { readonly kind: "no directory" | "no file"; readonly place: string }

/**
 * A disk's paths in mount order: later ones cover earlier ones. Each is mounted at its own path, so that Deno's
 * permissions mean the same inside.
 */
export const visiblePathsOf = (sandboxPaths: SandboxPaths): ReadonlyArray<VisiblePath> => {
  const { programs, libraryDirectories = [], runner, denoDir, directory, cacheIsWritten } = sandboxPaths
  const { readable, hidden } = readPathsOf(sandboxPaths)
  return [
    ...parentsFirst(libraryDirectories).map((place) => ({ kind: "libraries", place }) as const),
    ...parentsFirst(readable).flatMap(visiblePath),
    ...coverMounts(hidden),
    ...[runner, directory].flatMap(visiblePath),
    ...programs.map((place) => ({ kind: "program", place }) as const),
    cacheIsWritten ? ({ kind: "written", place: denoDir } as const) : ({ kind: "directory", place: denoDir } as const),
  ]
}

/** Covers paths that nobody may see. Skips missing paths, because covering one would create it. */
export const coverMounts = (places: ReadonlyArray<string>): ReadonlyArray<VisiblePath> =>
  parentsFirst(places)
    .filter((place, _, all) => !all.some((other) => other !== place && isInside(place, other)))
    .flatMap((place) => {
      const kind = kindOf(place)
      return kind === undefined ? [] : [{ kind: kind === "directory" ? "no directory" : "no file", place } as const]
    })

/** Devices that every program may expect. */
export const DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"]

const visiblePath = (place: string): ReadonlyArray<VisiblePath> => {
  const kind = kindOf(place)
  return kind === undefined ? [] : [{ kind, place }]
}

/** Undefined if the path does not exist, or the host cannot read it and so cannot mount it. */
const kindOf = (place: string): "directory" | "file" | undefined => {
  try {
    return fs.statSync(place).isDirectory() ? "directory" : "file"
  } catch {
    return undefined
  }
}

const parentsFirst = (places: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(places)].sort((one, other) => one.split(path.sep).length - other.split(path.sep).length)
