/** The layer `unshare`: bubblewrap's namespaces by unshare(1), mount(8) and setpriv(1) of util-linux. */
import * as fs from "node:fs"
import * as path from "node:path"
import { FILE_CAPABILITIES } from "./Bubblewrap.ts"
import { coverMounts, DEVICES, type SandboxPaths, type VisiblePath, visiblePathsOf } from "./Disk.ts"
import { fstabLine, mountPointsBelow } from "./Mounts.ts"
import { makeDevices, makeMountPoints, writeMountTable } from "./Skeleton.ts"

/** Programs of util-linux and the shell that calls them, by absolute path. */
export interface UnshareTools {
  readonly sh: string
  readonly unshare: string
  readonly mount: string
  readonly setpriv: string
}

/**
 * Starts a plugin in the same namespaces as bubblewrap: a disk with only its readable paths, all read-only, no network,
 * no processes but its own, no capabilities. It is the first process of its PID namespace and ends with the host; the
 * command line exits with its signal.
 *
 * The disk covers a tree of empty mount points (`makeMountPoints`). After chroot(2), the plugin can neither undo mounts
 * nor make namespaces: mount(2) needs a capability, and the kernel makes no user namespace for a process in a chroot.
 */
export const pluginArgs = (tools: UnshareTools, sandboxPaths: SandboxPaths): ReadonlyArray<string> => {
  const { sh, unshare, mount, setpriv } = tools
  // setpriv is on the disk, because it drops the capabilities inside the new root: mounting and entering it need them.
  const places = visiblePathsOf({ ...sandboxPaths, programs: [...sandboxPaths.programs, setpriv] })
  const { bare, root } = makeMountPoints(sandboxPaths.denoDir, places)
  const mounts = [
    bind(bare, root, READ_ONLY),
    ...places.map((place) => mountOf(root, place, bare)),
    ...DEVICES.map((device) => bind(device, `${root}${device}`, DEVICE)),
    virtualMount("proc", `${root}/proc`, READ_ONLY),
  ]
  return [
    ...[setpriv, "--pdeathsig", "KILL", "--no-new-privs"],
    ...[unshare, ...userNamespaceArgs(), "--mount", "--net", "--pid", "--ipc", "--uts", ...END_WITH_HOST],
    ...[
      sh,
      "-c",
      MOUNT_ALL,
      "hindcast",
      mount,
      writeMountTable(sandboxPaths.denoDir, mounts),
      ...places.flatMap((place) => mountsBelow(root, place)),
    ],
    ...["--", unshare, `--root=${root}`, `--wd=${sandboxPaths.directory}`],
    ...[setpriv, "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all", "--no-new-privs", "--"],
  ]
}

/** A command's parameters. Absolute, real paths. */
export interface UnshareOptions {
  readonly forbidden: ReadonlyArray<string>
  readonly cwd: string
  /** The Deno cache of the plugin that the command serves; the command's devices are mounted there. */
  readonly denoDir: string
}

/**
 * Starts a command for a plugin. It sees the machine's disk and network, except forbidden paths and the host's
 * processes; see `commandArgs` of bubblewrap.
 *
 * The first process of the PID namespace is a waiting shell, because a first process ignores signals without a handler.
 * Without root, a second user namespace maps the process back to its own user, without capabilities over the mounts.
 */
export const commandArgs = (
  { sh, unshare, mount, setpriv }: UnshareTools,
  { forbidden, cwd, denoDir }: UnshareOptions,
): ReadonlyArray<string> => {
  const devices = makeDevices(denoDir)
  const mounts = [
    bind(devices, devices, DEVICE),
    ...DEVICES.map((device) => bind(device, path.join(devices, path.basename(device)), "nosuid,noexec")),
    virtualMount("tmpfs", path.join(devices, "shm"), SHARED_MEMORY),
    fstabLine({ source: devices, target: "/dev", type: "none", options: "rbind" }),
    ...coverMounts(forbidden).map((place) => mountOf("", place)),
    virtualMount("proc", "/proc", "nosuid,nodev,noexec"),
  ]
  const asItself = isPrivileged()
    ? [setpriv, ...keepCapabilities(FILE_CAPABILITIES), "--"]
    : [unshare, "--user", `--map-user=${process.getuid?.() ?? 0}`, `--map-group=${process.getgid?.() ?? 0}`, "--"]
  return [
    ...[setpriv, "--pdeathsig", "KILL", "--no-new-privs"],
    ...[unshare, ...userNamespaceArgs(), "--mount", "--pid", ...END_WITH_HOST],
    ...[sh, "-c", MOUNT_ALL, "hindcast", mount, writeMountTable(denoDir, mounts), "--"],
    ...[unshare, `--wd=${cwd}`, ...asItself, sh, "-c", WAIT, "hindcast"],
  ]
}

/** Mounts a table in one process, makes mounts below its directories read-only, and becomes the given program. */
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

/**
 * Waits for a program and exits with its code, or with 128 + n after signal n. Keeps the shell's messages out of the
 * program's output.
 */
const WAIT = `exec 3>&2 2>/dev/null
"$@" 2>&3 3>&-
exit $?`

const END_WITH_HOST = ["--fork", "--kill-child=KILL"]

const READ_ONLY = "ro,nosuid,nodev,noexec"
const DEVICE = "ro,nosuid,noexec"
const EMPTY = `${READ_ONLY},size=4k,mode=755`
const SHARED_MEMORY = "nosuid,nodev,noexec,size=64m,mode=1777"

const bind = (source: string, target: string, options: string): string =>
  fstabLine({ source, target, type: "none", options: `bind,${options}` })

/**
 * Mounts a virtual file system under a unique source name. mount(8) skips a known pair of source and target, so the
 * machine's own `proc` would stay at `/proc`, and a `tmpfs` that should be covered would stay visible.
 */
const virtualMount = (type: "proc" | "tmpfs", target: string, options: string): string => {
  const here = fs.readlinkSync("/proc/self/ns/mnt").replaceAll(/\D/g, "")
  return fstabLine({ source: `hindcast-${here}`, target, type, options })
}

/**
 * One path's mount. A covered directory gets the empty directory of the same path, if there is one: it holds the mount
 * points for mounts below.
 */
const mountOf = (root: string, { kind, place }: VisiblePath, bare?: string): string => {
  const target = `${root}${place}`
  switch (kind) {
    case "file":
      return bind(place, target, READ_ONLY)
    case "directory": {
      // `rbind` keeps mounts below the directory: the kernel does not allow leaving out those that cover something.
      const how = mountPointsBelow(place).length > 0 ? "rbind" : "bind"
      return fstabLine({ source: place, target, type: "none", options: `${how},${READ_ONLY}` })
    }
    case "program":
    case "libraries":
      return bind(place, target, "ro,nosuid,nodev")
    case "written":
      return bind(place, target, "nosuid,nodev,noexec")
    case "no directory":
      if (bare !== undefined) return bind(`${bare}${place}`, target, READ_ONLY)
      return virtualMount("tmpfs", target, EMPTY)
    case "no file":
      return bind("/dev/null", target, DEVICE)
  }
}

/** Mount points below a mounted directory. `rbind` does not make them read-only, so `MOUNT_ALL` does. */
const mountsBelow = (root: string, { kind, place }: VisiblePath): ReadonlyArray<string> =>
  kind === "directory" ? mountPointsBelow(place).map((point) => `${root}${point}`) : []

/** Root with its capabilities needs no user namespace; any other user becomes root in a new one. */
const userNamespaceArgs = (): ReadonlyArray<string> => (isPrivileged() ? [] : ["--user", "--map-root-user"])

const CAP_SYS_ADMIN = 21n

/** Whether this process is root with its capabilities. */
export const isPrivileged = (): boolean => {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(fs.readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0"
  return process.geteuid?.() === 0 && ((BigInt(`0x${effective}`) >> CAP_SYS_ADMIN) & 1n) === 1n
}

/** setpriv(1)'s arguments that keep only these capabilities. */
const keepCapabilities = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const list = ["-all", ...names.map((name) => `+${name.toLowerCase()}`)].join(",")
  return [`--bounding-set=${list}`, "--inh-caps=-all"]
}
