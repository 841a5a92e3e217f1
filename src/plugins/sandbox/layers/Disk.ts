import * as fs from "node:fs"
import * as path from "node:path"
import { isInside } from "../../manifest/paths.ts"
import { type Reach, readingOf } from "./Permissions.ts"

/** What a plugin's process needs on its disk besides what it may read. Absolute, real paths. */
export interface SandboxPaths extends Reach {
  /** What is started on it, and what that needs: Deno, its shared libraries. */
  readonly programs: ReadonlyArray<string>
  readonly runner: string
  /** The process's own Deno cache. */
  readonly denoDir: string
  /** Whether the cache can be written: only by Deno itself, while no line of the plugin's is run. */
  readonly cacheIsWritten: boolean
}

/** One place on a disk, and what stands there. */
export type VisiblePath =
  /** The machine's own file or directory, read-only; a program can be executed. */
  | { readonly kind: "file" | "directory" | "program"; readonly place: string }
  /** The machine's own directory, which can be written. */
  | { readonly kind: "written"; readonly place: string }
  /** Nothing: an empty directory, or an empty file. */
  | { readonly kind: "no directory" | "no file"; readonly place: string }

/**
 * All that is on a plugin's disk, in the order in which it is mounted: what comes later covers what was before. Everything
 * stands at its own path, so that a file has one name inside and outside, and Deno's permissions say the same.
 */
export const visiblePathsOf = (furnishing: SandboxPaths): ReadonlyArray<VisiblePath> => {
  const { programs, runner, denoDir, directory, cacheIsWritten } = furnishing
  const { readable, hidden } = readingOf(furnishing)
  return [
    ...parentsFirst(readable).flatMap(shown),
    ...covers(hidden),
    ...[runner, directory].flatMap(shown),
    ...programs.map((place) => ({ kind: "program", place }) as const),
    cacheIsWritten ? ({ kind: "written", place: denoDir } as const) : ({ kind: "directory", place: denoDir } as const),
  ]
}

/**
 * What covers places that nobody may see. What is not there cannot be covered without being made.
 */
export const covers = (places: ReadonlyArray<string>): ReadonlyArray<VisiblePath> =>
  parentsFirst(places)
    .filter((place, _, all) => !all.some((other) => other !== place && isInside(place, other)))
    .flatMap((place) => {
      const kind = kindOf(place)
      return kind === undefined ? [] : [{ kind: kind === "directory" ? "no directory" : "no file", place } as const]
    })

/** Devices that every program may count on. */
export const DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"]

const shown = (place: string): ReadonlyArray<VisiblePath> => {
  const kind = kindOf(place)
  return kind === undefined ? [] : [{ kind, place }]
}

/** What cannot be looked at by the host is not there for whom it starts either. */
const kindOf = (place: string): "directory" | "file" | undefined => {
  try {
    return fs.statSync(place).isDirectory() ? "directory" : "file"
  } catch {
    return undefined
  }
}

const parentsFirst = (places: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(places)].sort((one, other) => one.split(path.sep).length - other.split(path.sep).length)
