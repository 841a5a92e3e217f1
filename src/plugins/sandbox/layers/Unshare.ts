import * as fs from "node:fs"
import * as path from "node:path"
import { FILE_CAPABILITIES } from "./Bubblewrap.ts"
import { covers, DEVICES, type SandboxPaths, type VisiblePath, visiblePathsOf } from "./Disk.ts"
import { fstabLine, mountPointsBelow } from "./Mounts.ts"
import { devicesOf, skeletonOf, tableOf } from "./Skeleton.ts"

/** The programs of util-linux that make namespaces, and the shell that calls them. Absolute paths. */
export interface Means {
  readonly sh: string
  readonly unshare: string
  readonly mount: string
  readonly setpriv: string
}

/**
 * The command line that starts a plugin as bwrap(1) would, made by unshare(1): a disk with nothing on it but what it may read,
 * read-only all of it, no network, no process but its own, no capability. The program becomes the first process of its
 * namespace. It ends with the host, and its signal is the exit of the command line.
 *
 * The disk is mounted over a directory with nothing but places to mount at (`skeletonOf`). After chroot(2) nothing is
 * left by which its mounts could be undone or other namespaces made: mount(2) needs a capability, and the kernel makes no user
 * namespace for a process with a root of its own.
 */
export const pluginArgs = (means: Means, furnishing: SandboxPaths): ReadonlyArray<string> => {
  const { sh, unshare, mount, setpriv } = means
  // What drops the capabilities does so inside: nothing could be mounted or entered without them.
  const places = visiblePathsOf({ ...furnishing, programs: [...furnishing.programs, setpriv] })
  const { bare, root } = skeletonOf(furnishing.denoDir, places)
  const mounts = [
    bind(bare, root, READ_ONLY),
    ...places.map((place) => mountOf(root, place, bare)),
    ...DEVICES.map((device) => bind(device, `${root}${device}`, DEVICE)),
    made("proc", `${root}/proc`, READ_ONLY),
  ]
  return [
    ...[setpriv, "--pdeathsig", "KILL", "--no-new-privs"],
    ...[unshare, ...ownUsers(), "--mount", "--net", "--pid", "--ipc", "--uts", ...ENDING_TOGETHER],
    ...[
      sh,
      "-c",
      MOUNT_ALL,
      "hindcast",
      mount,
      tableOf(furnishing.denoDir, mounts),
      ...places.flatMap((place) => below(root, place)),
    ],
    ...["--", unshare, `--root=${root}`, `--wd=${furnishing.directory}`],
    ...[setpriv, "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all", "--no-new-privs", "--"],
  ]
}

/** What a command is run with. Absolute, real paths. */
export interface UnshareOptions {
  readonly forbidden: ReadonlyArray<string>
  readonly cwd: string
  /** The Deno cache of the plugin that it is run for: its devices are mounted there. */
  readonly denoDir: string
}

/**
 * The command line that starts a command for a plugin: the machine's disk and network as they are, without what is forbidden
 * and without the host's process; see `commandArgs` of bubblewrap. A shell that waits is the first process of the
 * namespace, because the first one hears no signal that it does not listen for. Others than root are themselves again in
 * user namespace of their own inside, where they have no capability over the mounts.
 */
export const commandArgs = (
  { sh, unshare, mount, setpriv }: Means,
  { forbidden, cwd, denoDir }: UnshareOptions,
): ReadonlyArray<string> => {
  const devices = devicesOf(denoDir)
  const mounts = [
    bind(devices, devices, DEVICE),
    ...DEVICES.map((device) => bind(device, path.join(devices, path.basename(device)), "nosuid,noexec")),
    made("tmpfs", path.join(devices, "shm"), SHARED_MEMORY),
    fstabLine({ source: devices, target: "/dev", type: "none", options: "rbind" }),
    ...covers(forbidden).map((place) => mountOf("", place)),
    made("proc", "/proc", "nosuid,nodev,noexec"),
  ]
  const asItself = isPrivileged()
    ? [setpriv, ...kept(FILE_CAPABILITIES), "--"]
    : [unshare, "--user", `--map-user=${process.getuid?.() ?? 0}`, `--map-group=${process.getgid?.() ?? 0}`, "--"]
  return [
    ...[setpriv, "--pdeathsig", "KILL", "--no-new-privs"],
    ...[unshare, ...ownUsers(), "--mount", "--pid", ...ENDING_TOGETHER],
    ...[sh, "-c", MOUNT_ALL, "hindcast", mount, tableOf(denoDir, mounts), "--"],
    ...[unshare, `--wd=${cwd}`, ...asItself, sh, "-c", WAIT, "hindcast"],
  ]
}

/** Mounts a whole table in one process, makes read-only what is mounted below directories in it, and becomes a program. */
const MOUNT_ALL = `set -eu
mount=$1
"$mount" --all --fstab "$2"
shift 2
while [ "$1" != -- ]; do
  if [ -e "$1" ]; then "$mount" --options remount,bind,ro,nosuid,nodev,noexec "$1"; fi
  shift
done
shift
exec "$@"`

/** Waits for a program and ends as it does, by 128 + n where a signal ended it; what the shell has to say of that is no output of the program's. */
const WAIT = `exec 3>&2 2>/dev/null
"$@" 2>&3 3>&-
exit $?`

const ENDING_TOGETHER = ["--fork", "--kill-child=KILL"]

const READ_ONLY = "ro,nosuid,nodev,noexec"
const DEVICE = "ro,nosuid,noexec"
const EMPTY = `${READ_ONLY},size=4k,mode=755`
const SHARED_MEMORY = "nosuid,nodev,noexec,size=64m,mode=1777"

const bind = (source: string, target: string, options: string): string =>
  fstabLine({ source, target, type: "none", options: `bind,${options}` })

/**
 * A file system that comes from nowhere, mounted under a name that nothing here has: mount(8) leaves out what is mounted already, and
 * tells that by source and target. The machine's own `proc` at `/proc` would stay, and so would a `tmpfs` that is to be covered.
 */
const made = (type: "proc" | "tmpfs", target: string, options: string): string => {
  const here = fs.readlinkSync("/proc/self/ns/mnt").replaceAll(/\D/g, "")
  return fstabLine({ source: `hindcast-${here}`, target, type, options })
}

/** A directory is covered by the same one of the bare disk, where there is one: in it are the places for what is mounted below. */
const mountOf = (root: string, { kind, place }: VisiblePath, bare?: string): string => {
  const target = `${root}${place}`
  switch (kind) {
    case "file":
      return bind(place, target, READ_ONLY)
    case "directory": {
      // What is mounted below a directory cannot be left out where that would show what it covers.
      const how = mountPointsBelow(place).length > 0 ? "rbind" : "bind"
      return fstabLine({ source: place, target, type: "none", options: `${how},${READ_ONLY}` })
    }
    case "program":
      return bind(place, target, "ro,nosuid,nodev")
    case "written":
      return bind(place, target, "nosuid,nodev,noexec")
    case "no directory":
      if (bare !== undefined) return bind(`${bare}${place}`, target, READ_ONLY)
      return made("tmpfs", target, EMPTY)
    case "no file":
      return bind("/dev/null", target, DEVICE)
  }
}

/** Where something is mounted below a place of the new disk: those mounts come with it, as writable as they are. */
const below = (root: string, { kind, place }: VisiblePath): ReadonlyArray<string> =>
  kind === "directory" ? mountPointsBelow(place).map((point) => `${root}${point}`) : []

/** Root with its capabilities needs no user namespace; everybody else is root in one of its own. */
const ownUsers = (): ReadonlyArray<string> => (isPrivileged() ? [] : ["--user", "--map-root-user"])

const CAP_SYS_ADMIN = 21n

const isPrivileged = (): boolean => {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(fs.readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0"
  return process.geteuid?.() === 0 && ((BigInt(`0x${effective}`) >> CAP_SYS_ADMIN) & 1n) === 1n
}

/** These capabilities and no others, for setpriv(1). */
const kept = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const list = ["-all", ...names.map((name) => `+${name.toLowerCase()}`)].join(",")
  return [`--bounding-set=${list}`, "--inh-caps=-all"]
}
