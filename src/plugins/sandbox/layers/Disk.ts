/** The disk of a plugin's process: the list of paths that are mounted on it, and of paths that are covered. */
import * as fs from "node:fs"
import * as path from "node:path"
import { isInside } from "../../manifest/paths.ts"
import { type ReadScope, readPathsOf } from "./Permissions.ts"

/** The paths that a plugin's process needs on its disk, besides those that it may read. Absolute, real paths. */
export interface SandboxPaths extends ReadScope {
  /** The programs that are started on the disk, and their shared libraries: Deno, for example. */
  readonly programs: ReadonlyArray<string>
  readonly runner: string
  /** The Deno cache of this plugin alone. */
  readonly denoDir: string
  /** Whether the cache is writable. Only Deno writes to it, while no code of the plugin runs. */
  readonly cacheIsWritten: boolean
}

/** One path on a disk, and what is mounted there. */
export type VisiblePath =
  /** The machine's file or directory, read-only. A `program` can be executed. */
  | { readonly kind: "file" | "directory" | "program"; readonly place: string }
  /** The machine's directory, writable. */
  | { readonly kind: "written"; readonly place: string }
  /** A cover: an empty directory or an empty file. */
  | { readonly kind: "no directory" | "no file"; readonly place: string }

/**
 * The paths on a plugin's disk, in mount order: later ones cover earlier ones. Each is mounted at its own path, so that
 * a file has the same path inside and outside, and Deno's permissions mean the same.
 */
export const visiblePathsOf = (sandboxPaths: SandboxPaths): ReadonlyArray<VisiblePath> => {
  const { programs, runner, denoDir, directory, cacheIsWritten } = sandboxPaths
  const { readable, hidden } = readPathsOf(sandboxPaths)
  return [
    ...parentsFirst(readable).flatMap(visiblePath),
    ...coverMounts(hidden),
    ...[runner, directory].flatMap(visiblePath),
    ...programs.map((place) => ({ kind: "program", place }) as const),
    cacheIsWritten ? ({ kind: "written", place: denoDir } as const) : ({ kind: "directory", place: denoDir } as const),
  ]
}

/**
 * The mounts that cover paths which nobody may see. A path that does not exist is left out, because covering it would
 * create it.
 */
export const coverMounts = (places: ReadonlyArray<string>): ReadonlyArray<VisiblePath> =>
  parentsFirst(places)
    .filter((place, _, all) => !all.some((other) => other !== place && isInside(place, other)))
    .flatMap((place) => {
      const kind = kindOf(place)
      return kind === undefined ? [] : [{ kind: kind === "directory" ? "no directory" : "no file", place } as const]
    })

/** The devices that every program may expect. */
export const DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"]

const visiblePath = (place: string): ReadonlyArray<VisiblePath> => {
  const kind = kindOf(place)
  return kind === undefined ? [] : [{ kind, place }]
}

/**
 * The kind of a path; undefined if it does not exist or the host cannot read it, because then it cannot be mounted
 * either.
 */
const kindOf = (place: string): "directory" | "file" | undefined => {
  try {
    return fs.statSync(place).isDirectory() ? "directory" : "file"
  } catch {
    return undefined
  }
}

const parentsFirst = (places: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(places)].sort((one, other) => one.split(path.sep).length - other.split(path.sep).length)
