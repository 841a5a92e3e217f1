/**
 * Runs a program in any language without a network: in a Linux network namespace with only a loopback. Selected ports
 * lead out to servers of this machine, such as the proxy that replays its recording.
 */

import { execFile } from "node:child_process"
import * as fs from "node:fs"
import net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { promisify } from "node:util"
import * as Loopback from "../../plugins/sandbox/layers/Loopback.ts"
import { onPath } from "../../plugins/sandbox/Tools.ts"
import { type AllowedHost, type Target, written } from "../network/AllowedHosts.ts"

export type Command = readonly [string, ...Array<string>]

export interface Confined {
  /** The command to run: inside the namespace, or the program itself if there is none. */
  readonly command: Command
  /** Why the network is still open, in one sentence; null if it is closed. */
  readonly open: string | null
  /** Removes the ports. Call it after the program has ended. */
  readonly close: () => Promise<void>
}

/**
 * Confines a program. Its streams, arguments, environment, working directory, files, exit code and user stay the same.
 *
 * @param allowed servers on the loopback, which it reaches at their outer ports
 */
export const confine = async (program: Command, allowed: ReadonlyArray<AllowedHost>): Promise<Confined> => {
  const targets = allowed.filter(isOfLoopback)
  const elsewhere = allowed.find((one) => !isOfLoopback(one))
  if (elsewhere !== undefined) {
    const { host, port } = elsewhere
    const name = port === undefined ? host : written({ host, port })
    return left(program, `it may reach ${name}, and only loopback ports can be forwarded`)
  }
  const found = await namespace()
  if ("missing" in found) return left(program, found.missing)
  if (!exists(program[0])) return left(program, `${program[0]} is not on the PATH`)
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-loopback-"))
  const relays = await Promise.all(targets.map((target) => relayTo(directory, target)))
  const ports = relays.map(({ port, socket }) => ({ port, socket }))
  return {
    command: [...found.command, ...inside(ports), ...program],
    open: null,
    close: async () => {
      await Promise.all(relays.map(({ close }) => close()))
      fs.rmSync(directory, { recursive: true, force: true })
    },
  }
}

const left = (program: Command, why: string): Confined => ({
  command: program,
  open: `The program keeps its network access: ${why}. Only its requests through the proxy are answered from the recording.`,
  close: async () => {},
})

const isOfLoopback = (one: AllowedHost): one is Target => LOOPBACK.test(one.host) && one.port !== undefined

const LOOPBACK = /^(localhost|127\.0\.0\.1|::1)$/i

const exists = (command: string) => (command.includes("/") ? fs.existsSync(command) : onPath(command) !== undefined)

/** The command that enters the namespace, or why there is none. */
type Namespace = { readonly command: Command } | { readonly missing: string }

/** The first method that works. Each is tried, because many machines have the tools but forbid their use. */
const namespace = async (): Promise<Namespace> => {
  if (process.platform !== "linux")
    return { missing: `network namespaces need Linux, and this machine runs ${process.platform}` }
  const failures: Array<string> = []
  for (const way of ways()) {
    if ("missing" in way) {
      failures.push(way.missing)
      continue
    }
    const failure = await tried(way.command)
    if (failure === undefined) return way
    failures.push(failure)
  }
  return { missing: `${failures.join("; ")} (\`apt-get install bubblewrap\`, and allow unprivileged user namespaces)` }
}

const ways = (): ReadonlyArray<Namespace> => {
  const [bwrap, unshare, setpriv] = ["bwrap", "unshare", "setpriv"].map(onPath)
  const ip = onPath("ip") ?? ["/usr/sbin/ip", "/sbin/ip"].find((file) => fs.existsSync(file))
  const sh = "/bin/sh"
  const byUnshare: Namespace =
    unshare === undefined || setpriv === undefined || ip === undefined
      ? { missing: "unshare, setpriv and ip are not all on the PATH" }
      : { command: ["/usr/bin/env", ...Loopback.unshareArgs({ sh, unshare, setpriv, ip })] }
  const byBubblewrap: Namespace =
    bwrap === undefined ? { missing: "bwrap is not on the PATH" } : { command: [bwrap, ...Loopback.bubblewrapArgs()] }
  return [byBubblewrap, byUnshare]
}

/** Why a namespace does not work; undefined if a program in it sees an active loopback and nothing else. */
const tried = async ([command, ...args]: Command): Promise<string | undefined> => {
  const names = 'process.stdout.write(Object.keys(require("node:os").networkInterfaces()).join())'
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

/** A port in the namespace and the Unix socket that it leads to, which both sides can reach. */
interface Port {
  readonly port: number
  readonly socket: string
}

const relayTo = async (directory: string, { host, port }: Target) => {
  const socket = path.join(directory, `${port}.sock`)
  const open = new Set<net.Socket>()
  const server = net.createServer({ allowHalfOpen: true }, (inner) => {
    const outer = net.connect({ host, port, allowHalfOpen: true })
    for (const [one, other] of [[inner, outer] as const, [outer, inner] as const]) {
      open.add(one)
      one.once("close", () => open.delete(one))
      one.once("error", () => other.destroy())
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(socket, resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const one of open) one.destroy()
    })
  return { port, socket, close }
}

/** The command that opens the ports in the namespace and runs the program after it. */
const inside = (ports: ReadonlyArray<Port>): ReadonlyArray<string> => [
  ...[process.execPath, "-e", `(${relay.toString()})(require("node:net"), require("node:child_process"))`, "--"],
  JSON.stringify(ports),
]

/** Runs in the namespace. It is sent as source text, so it must not refer to this module. */
const relay = (network: typeof net, processes: typeof import("node:child_process")) => {
  const [, ports = "[]", command = "", ...args] = process.argv
  const listening = (JSON.parse(ports) as ReadonlyArray<Port>).flatMap(({ port, socket }) =>
    ["127.0.0.1", "::1"].map(
      (host) =>
        new Promise<void>((resolve) => {
          const server = network.createServer({ allowHalfOpen: true }, (inner) => {
            const outer = network.connect({ path: socket, allowHalfOpen: true })
            inner.on("error", () => outer.destroy()).pipe(outer)
            outer.on("error", () => inner.destroy()).pipe(inner)
          })
          // IPv6 may be missing.
          server.on("error", () => resolve()).listen(port, host, () => resolve())
        }),
    ),
  )
  Promise.all(listening).then(() => {
    const child = processes.spawn(command, args, { stdio: "inherit" })
    const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const
    for (const signal of signals) process.on(signal, () => child.kill(signal))
    child.on("error", ({ message }) => {
      console.error(`hindcast: ${command}: expected a program that starts, found ${message}`)
      process.exit(127)
    })
    child.on("exit", (code, signal) => {
      if (signal === null) process.exit(code ?? 1)
      process.removeAllListeners(signal)
      process.kill(process.pid, signal)
    })
  })
}
