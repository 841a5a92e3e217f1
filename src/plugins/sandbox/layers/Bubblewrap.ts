/** The layer `bubblewrap`: bwrap(1)'s arguments for a plugin, and for a command that the host runs for it. */
import { coverMounts, type SandboxPaths, type VisiblePath, visiblePathsOf } from "./Disk.ts"

/**
 * A plugin's disk has only its readable paths, all read-only. It has no network, no processes but its own and no
 * capabilities.
 *
 * `--new-session` is unnecessary: the host starts the process as the leader of its own session, without a terminal.
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
 * A command for a plugin sees the machine's disk and network, except forbidden paths, devices, and the host's
 * processes, through which it could reach the host's open files. It ends with the host and with all its children. Root
 * keeps the capabilities for other users' files, and none that could remove a mount.
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

/** Capabilities that root's commands need for other users' files. */
export const FILE_CAPABILITIES = ["CHOWN", "DAC_OVERRIDE", "FOWNER"]

const mountArgs = ({ kind, place }: VisiblePath): ReadonlyArray<string> => {
  switch (kind) {
    case "file":
    case "directory":
    case "program":
    case "libraries":
      return ["--ro-bind", place, place]
    case "written":
      return ["--bind", place, place]
    case "no directory":
      return ["--tmpfs", place]
    case "no file":
      return ["--ro-bind", "/dev/null", place]
  }
}

/** Makes a covering directory read-only: last, because mounts below it need mount points in it. */
const remountArgs = ({ kind, place }: VisiblePath): ReadonlyArray<string> =>
  kind === "no directory" ? ["--remount-ro", place] : []
