/**
 * Starts a program with only a loopback as its network. It sees the machine's disk and processes, and keeps its user.
 */
import { isPrivileged } from "./Unshare.ts"

/** Programs that make such a network without bubblewrap, by absolute path. */
export interface LoopbackTools {
  readonly sh: string
  readonly unshare: string
  readonly setpriv: string
  /** Of iproute2: a new loopback is down. */
  readonly ip: string
}

/** How programs look names up, by absolute paths. */
export interface Resolver {
  /** The file that names DNS servers: resolv.conf(5). */
  readonly file: string
  /** The file to show instead: it names 127.0.0.1. */
  readonly instead: string
  /** Directories with sockets of services that look names up. */
  readonly caches: ReadonlyArray<string>
}

/**
 * bwrap(1) brings the loopback up itself.
 *
 * @param resolver lets programs ask 127.0.0.1 alone for the addresses of names, and listen on its port 53
 */
export const bubblewrapArgs = (resolver?: Resolver): ReadonlyArray<string> => [
  ...["--dev-bind", "/", "/", "--unshare-net", "--die-with-parent"],
  ...LEADING_OUT.flatMap((name) => ["--cap-drop", `CAP_${name}`]),
  ...(resolver === undefined ? [] : ["--cap-add", "CAP_NET_BIND_SERVICE", ...asking(resolver)]),
  "--",
]

const asking = ({ file, instead, caches }: Resolver): ReadonlyArray<string> => [
  ...caches.flatMap((directory) => ["--tmpfs", directory]),
  ...["--ro-bind", instead, file],
]

/** The command line with unshare(1). */
export const unshareArgs = ({ sh, unshare, setpriv, ip }: LoopbackTools): ReadonlyArray<string> => {
  const bounding = LEADING_OUT.map((name) => `-${name.toLowerCase()}`).join(",")
  const asItself = isPrivileged()
    ? [setpriv, `--bounding-set=${bounding}`, "--no-new-privs", "--"]
    : [unshare, "--user", `--map-user=${process.getuid?.() ?? 0}`, `--map-group=${process.getgid?.() ?? 0}`, "--"]
  const user = isPrivileged() ? [] : ["--user", "--map-root-user"]
  return [unshare, ...user, "--net", sh, "-c", RAISE, "hindcast", ip, ...asItself]
}

/** Capabilities with which root could enter the machine's own network. */
const LEADING_OUT = ["SYS_ADMIN", "SYS_PTRACE", "SYS_MODULE", "SYS_RAWIO", "NET_ADMIN"]

/** Brings the loopback up, and becomes the given program. */
const RAISE = `"$1" link set lo up || exit 1
shift
exec "$@"`
