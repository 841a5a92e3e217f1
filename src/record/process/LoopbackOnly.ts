/**
 * Runs a program in any language without a network: in a Linux network namespace with only a loopback. Selected ports
 * lead out to servers of this machine, such as the proxy that replays its recording, and the program's own servers can
 * be reached from this machine.
 */

import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { promisify } from "node:util"
import * as Loopback from "../../plugins/sandbox/layers/Loopback.ts"
import { onPath } from "../../plugins/sandbox/Tools.ts"
import { type AllowedHost, type Target, written } from "../network/AllowedHosts.ts"
import type { NetworkAttempt } from "../network/NetworkAttempt.ts"
import * as SystemCallAttempts from "../network/SystemCallAttempts.ts"
import * as NamespaceRelay from "./NamespaceRelay.ts"

export type Command = readonly [string, ...Array<string>]

export interface Confined {
  /** The command to run: inside the namespace, or the program itself if there is none. */
  readonly command: Command
  /** Why the network is still open, without a full stop; null if it is closed. */
  readonly open: string | null
  /** Ports on which servers of the program were seen. */
  readonly served: ReadonlySet<number>
  /** How the program ended, given how the command did. */
  readonly ended: (command: NamespaceRelay.Ended) => Promise<NamespaceRelay.Ended>
  /** Why servers of the program could not be reached from outside, one sentence each. */
  readonly unreachable: () => ReadonlyArray<string>
  /** The program's attempts to leave the namespace, in any language. Complete once `ended` has resolved. */
  readonly sought: () => Promise<Sought>
  /** Removes the ports. Call it after the program has ended. */
  readonly close: () => Promise<void>
}

export interface Sought {
  /** Names that it looked up, each once and in lower case. The machine's own name does not count. */
  readonly names: ReadonlyArray<string>
  /** How many attempts had no route. Those to addresses that followed no lookup, if `hasNames`; otherwise also lookups. */
  readonly refused: number
  /** Whether the namespace shows names at all. */
  readonly hasNames: boolean
  /** Attempts to reach an address, as system calls show them; undefined if the machine shows no calls. */
  readonly calls: ReadonlyArray<NetworkAttempt> | undefined
}

/**
 * Confines a program. Its streams, arguments, environment, working directory, files, exit code and user stay the same.
 *
 * @param allowed servers on the loopback, which it reaches at their outer ports
 * @param options `isReachable`: whether the program's servers can be reached from outside. Default: yes
 */
export const confine = async (
  program: Command,
  allowed: ReadonlyArray<AllowedHost>,
  { isReachable = true } = {},
): Promise<Confined> => {
  const targets = allowed.filter(isOfLoopback)
  const elsewhere = allowed.find((one) => !isOfLoopback(one))
  if (elsewhere !== undefined) {
    const { host, port } = elsewhere
    const name = port === undefined ? host : written({ host, port })
    return left(program, `it may reach ${name}, and only loopback ports can be forwarded`)
  }
  if (!exists(program[0])) return left(program, `${program[0]} is not on the PATH`)
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-loopback-"))
  const remove = () => fs.rmSync(directory, { recursive: true, force: true })
  const found = await namespace(directory)
  if ("missing" in found) {
    remove()
    return left(program, found.missing)
  }
  const tracing = await SystemCallAttempts.start(directory, found.command)
  const relay = await NamespaceRelay.start(directory, targets, { isReachable, namesLookups: found.hasNames })
  return {
    command: [...found.command, ...NamespaceRelay.command(relay.inner), ...(tracing?.command ?? []), ...program],
    open: null,
    ended: async (command) => (await relay.ended()) ?? command,
    served: relay.served,
    unreachable: relay.unreachable,
    sought: async () => ({
      names: [...relay.lookedUp].filter((name) => !isOwnName(name)),
      refused: relay.refused(),
      hasNames: found.hasNames,
      calls: await tracing?.ended(relay.pid()),
    }),
    close: async () => {
      tracing?.close()
      await relay.close()
      remove()
    },
  }
}

const left = (program: Command, why: string): Confined => ({
  command: program,
  open: why,
  ended: async (command) => command,
  served: new Set(),
  unreachable: () => [],
  sought: async () => ({ names: [], refused: 0, hasNames: false, calls: undefined }),
  close: async () => {},
})

const isOwnName = (name: string): boolean =>
  name === os.hostname().toLowerCase() || name === "localhost" || name.endsWith(".localhost")

const isOfLoopback = (one: AllowedHost): one is Target => LOOPBACK.test(one.host) && one.port !== undefined

const LOOPBACK = /^(localhost|127\.0\.0\.1|::1)$/i

const exists = (command: string) => (command.includes("/") ? fs.existsSync(command) : onPath(command) !== undefined)

/** The command that enters the namespace, and whether lookups of names reach 127.0.0.1 there; or why there is none. */
type Namespace = { readonly command: Command; readonly hasNames: boolean } | { readonly missing: string }

/** The first method that works. Each is tried, because many machines have the tools but forbid their use. */
const namespace = async (directory: string): Promise<Namespace> => {
  if (process.platform !== "linux")
    return { missing: `network namespaces need Linux, and this machine runs ${process.platform}` }
  const failures: Array<string> = []
  for (const way of ways(directory)) {
    if ("missing" in way) {
      failures.push(way.missing)
      continue
    }
    const failure = await tried(way)
    if (failure === undefined) return way
    failures.push(failure)
  }
  return { missing: `${failures.join("; ")} (\`apt-get install bubblewrap\`, and allow unprivileged user namespaces)` }
}

const ways = (directory: string): ReadonlyArray<Namespace> => {
  const [bwrap, unshare, setpriv] = ["bwrap", "unshare", "setpriv"].map(onPath)
  const ip = onPath("ip") ?? ["/usr/sbin/ip", "/sbin/ip"].find((file) => fs.existsSync(file))
  const sh = "/bin/sh"
  const byUnshare: Namespace =
    unshare === undefined || setpriv === undefined || ip === undefined
      ? { missing: "unshare, setpriv and ip are not all on the PATH" }
      : { command: ["/usr/bin/env", ...Loopback.unshareArgs({ sh, unshare, setpriv, ip })], hasNames: false }
  if (bwrap === undefined) return [{ missing: "bwrap is not on the PATH" }, byUnshare]
  const resolver = resolverIn(directory)
  const naming: ReadonlyArray<Namespace> =
    resolver === undefined ? [] : [{ command: [bwrap, ...Loopback.bubblewrapArgs(resolver)], hasNames: true }]
  return [...naming, { command: [bwrap, ...Loopback.bubblewrapArgs()], hasNames: false }, byUnshare]
}

/** Lets 127.0.0.1 answer lookups; undefined if the machine has no file that names DNS servers. */
const resolverIn = (directory: string): Loopback.Resolver | undefined => {
  if (!fs.existsSync(RESOLVERS)) return undefined
  const instead = path.join(directory, "resolv.conf")
  // Without a search domain, a program asks for exactly the names that it looks up.
  fs.writeFileSync(instead, "nameserver 127.0.0.1\nsearch .\noptions timeout:2 attempts:1\n", { mode: 0o644 })
  return { file: fs.realpathSync(RESOLVERS), instead, caches: CACHES.filter((one) => fs.existsSync(one)) }
}

const RESOLVERS = "/etc/resolv.conf"

/** Directories of services that look names up for other programs, over sockets that lead out of a network namespace. */
const CACHES = ["/run/systemd/resolve", "/run/nscd"]

/** Why a namespace does not work; undefined if a program in it sees an active loopback and nothing else. */
const tried = async ({ command: [command, ...args], hasNames }: Exclude<Namespace, { readonly missing: string }>) => {
  const answers = 'require("node:dgram").createSocket("udp4").bind(53, "127.0.0.1", function () { this.close() });'
  const names = `${hasNames ? answers : ""}process.stdout.write(Object.keys(require("node:os").networkInterfaces()).join())`
  try {
    const running = promisify(execFile)(command, [...args, process.execPath, "-e", names], { timeout: TRIAL_MS })
    const { stdout } = await running
    return stdout === "lo" ? undefined : `${command} gave a program the networks "${stdout}"`
  } catch (error) {
    const stderr = String(Reflect.get(Object(error), "stderr") ?? "").trim()
    return `${path.basename(command)} does not work here (${stderr.split("\n")[0] || String(error)})`
  }
}

const TRIAL_MS = 10_000
