import * as fs from "node:fs"
import * as path from "node:path"
import { isInside } from "../paths.ts"
import { type Reach, readingOf } from "./Permissions.ts"

/** Where a program's shared libraries stand; whichever of them there are. */
const LIBRARIES = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"]

/** What a plugin's process needs on its disk besides what it may read. Absolute, real paths. */
export interface Furnishing extends Reach {
  readonly deno: string
  readonly runner: string
  /** The process's own Deno cache, which it writes. */
  readonly denoDir: string
}

/**
 * bwrap(1)'s arguments for a plugin: a disk with nothing on it but what it may read, no network, no process but its own,
 * no capability. Everything stands at its own path, so that a file has one name inside and outside, and Deno's
 * permissions say the same. The order matters: what is mounted later covers what was before.
 *
 * There is no `--new-session`: the host has it lead a session of its own, without a terminal.
 */
export const pluginArgs = (furnishing: Furnishing): ReadonlyArray<string> => {
  const { deno, runner, denoDir, directory } = furnishing
  const { readable, hidden } = readingOf(furnishing)
  const masks = coversOf(hidden)
  return [
    ...["--unshare-all", "--die-with-parent", "--cap-drop", "ALL"],
    ...LIBRARIES.flatMap((place) => ["--ro-bind-try", place, place]),
    ...parentsFirst(readable).flatMap((place) => ["--ro-bind-try", place, place]),
    ...masks.over,
    ...[deno, runner, directory].flatMap((place) => ["--ro-bind", place, place]),
    ...["--bind", denoDir, denoDir, "--proc", "/proc", "--dev", "/dev"],
    ...masks.seal,
    ...["--chdir", directory, "--"],
  ]
}

/**
 * bwrap(1)'s arguments for a command that the host runs for a plugin: the machine's disk and network as they are, without
 * what is forbidden, without devices, and without the host's process, by which its open files could be reached. It ends
 * with the host, together with all that it started. Root keeps the capabilities that it needs for files of other users,
 * and none by which a mount could be taken away.
 */
export const commandArgs = (forbidden: ReadonlyArray<string>, cwd: string): ReadonlyArray<string> => {
  const masks = coversOf(forbidden)
  return [
    ...["--unshare-pid", "--die-with-parent", "--cap-drop", "ALL"],
    ...(process.getuid?.() === 0 ? FILE_CAPABILITIES.flatMap((name) => ["--cap-add", name]) : []),
    ...["--bind", "/", "/", ...masks.over, "--proc", "/proc", "--dev", "/dev", ...masks.seal, "--chdir", cwd, "--"],
  ]
}

const FILE_CAPABILITIES = ["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER"]

/**
 * Covers what is there: a directory by an empty one, which is made read-only at last, a file by one that is empty. What
 * is not there cannot be covered without being made.
 */
const coversOf = (places: ReadonlyArray<string>) => {
  const found = parentsFirst(places)
    .filter((place, _, all) => !all.some((other) => other !== place && isInside(place, other)))
    .flatMap((place) => {
      const stats = fs.statSync(place, { throwIfNoEntry: false })
      return stats === undefined ? [] : [{ place, directory: stats.isDirectory() }]
    })
  return {
    over: found.flatMap(({ place, directory }) => (directory ? ["--tmpfs", place] : ["--ro-bind", "/dev/null", place])),
    seal: found.flatMap(({ place, directory }) => (directory ? ["--remount-ro", place] : [])),
  }
}

const parentsFirst = (places: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(places)].sort((one, other) => one.split(path.sep).length - other.split(path.sep).length)
