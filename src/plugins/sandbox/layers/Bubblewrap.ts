import { covers, type SandboxPaths, type VisiblePath, visiblePathsOf } from "./Disk.ts"

/**
 * bwrap(1)'s arguments for a plugin: a disk with nothing on it but what it may read, read-only all of it, no network, no process
 * but its own, no capability.
 *
 * There is no `--new-session`: the host has it lead a session of its own, without a terminal.
 */
export const pluginArgs = (furnishing: SandboxPaths): ReadonlyArray<string> => {
  const places = visiblePathsOf(furnishing)
  return [
    ...["--unshare-all", "--die-with-parent", "--cap-drop", "ALL"],
    ...places.flatMap(mounted),
    ...["--proc", "/proc", "--dev", "/dev", ...places.flatMap(sealed)],
    ...["--remount-ro", "/dev", "--remount-ro", "/"],
    ...["--chdir", furnishing.directory, "--"],
  ]
}

/**
 * bwrap(1)'s arguments for a command that the host runs for a plugin: the machine's disk and network as they are, without
 * what is forbidden, without devices, and without the host's process, by which its open files could be reached. It ends
 * with the host, together with all that it started. Root keeps the capabilities that it needs for files of other users,
 * and none by which a mount could be taken away.
 */
export const commandArgs = (forbidden: ReadonlyArray<string>, cwd: string): ReadonlyArray<string> => {
  const places = covers(forbidden)
  return [
    ...["--unshare-pid", "--die-with-parent", "--cap-drop", "ALL"],
    ...(process.getuid?.() === 0 ? FILE_CAPABILITIES.flatMap((name) => ["--cap-add", `CAP_${name}`]) : []),
    ...["--bind", "/", "/", ...places.flatMap(mounted), "--proc", "/proc", "--dev", "/dev", ...places.flatMap(sealed)],
    ...["--chdir", cwd, "--"],
  ]
}

/** What a command run by root needs for files of other users. */
export const FILE_CAPABILITIES = ["CHOWN", "DAC_OVERRIDE", "FOWNER"]

const mounted = ({ kind, place }: VisiblePath): ReadonlyArray<string> => {
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

/** An empty directory is made read-only at last: what is mounted into it needs a place. */
const sealed = ({ kind, place }: VisiblePath): ReadonlyArray<string> =>
  kind === "no directory" ? ["--remount-ro", place] : []
