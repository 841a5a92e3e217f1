/**
 * The command lines of the layer `bubblewrap`: bwrap(1)'s arguments for a plugin, and for a command that the host runs
 * for it.
 */
import { coverMounts, type SandboxPaths, type VisiblePath, visiblePathsOf } from "./Disk.ts"

/**
 * The arguments for a plugin. Its disk has only the paths that it may read, all read-only. It has no network, no
 * processes except its own and no capabilities.
 *
 * `--new-session` is not needed: the host starts the process as the leader of its own session, without a terminal.
 */
export const pluginArgs = (sandboxPaths: SandboxPaths): ReadonlyArray<string> => {
  const places = visiblePathsOf(sandboxPaths)
  return [
    ...["--unshare-all", "--die-with-parent", "--cap-drop", "ALL"],
    ...places.flatMap(mountArgs),
    ...["--proc", "/proc", "--dev", "/dev", ...places.flatMap(remountArgs)],
    ...["--remount-ro", "/dev", "--remount-ro", "/"],
    ...["--chdir", sandboxPaths.directory, "--"],
  ]
}

/**
 * The arguments for a command that the host runs for a plugin. It sees the machine's disk and network, except forbidden
 * paths, devices and the host's processes, through which the host's open files could be reached. It ends with the host,
 * together with all processes that it started. Root keeps the capabilities for files of other users, and none that
 * could remove a mount.
 */
export const commandArgs = (forbidden: ReadonlyArray<string>, cwd: string): ReadonlyArray<string> => {
  const places = coverMounts(forbidden)
  return [
    ...["--unshare-pid", "--die-with-parent", "--cap-drop", "ALL"],
    ...(process.getuid?.() === 0 ? FILE_CAPABILITIES.flatMap((name) => ["--cap-add", `CAP_${name}`]) : []),
    ...[
      "--bind",
      "/",
      "/",
      ...places.flatMap(mountArgs),
      "--proc",
      "/proc",
      "--dev",
      "/dev",
      ...places.flatMap(remountArgs),
    ],
    ...["--chdir", cwd, "--"],
  ]
}

/** The capabilities that a command run by root needs for files of other users. */
export const FILE_CAPABILITIES = ["CHOWN", "DAC_OVERRIDE", "FOWNER"]

const mountArgs = ({ kind, place }: VisiblePath): ReadonlyArray<string> => {
  switch (kind) {
    case "file":
    case "directory":
    case "program":
      return ["--ro-bind", place, place]
    case "written":
      return ["--bind", place, place]
    case "no directory":
      return ["--tmpfs", place]
    case "no file":
      return ["--ro-bind", "/dev/null", place]
  }
}

/**
 * Makes a covering directory read-only. This comes last, because mounts below the directory need mount points in it.
 */
const remountArgs = ({ kind, place }: VisiblePath): ReadonlyArray<string> =>
  kind === "no directory" ? ["--remount-ro", place] : []
