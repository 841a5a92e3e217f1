/**
 * Connects a network namespace with the machine's loopback over Unix sockets, which both sides can reach: the program
 * reaches selected ports of the machine, and the machine reaches the servers that the program starts.
 */

import type dgram from "node:dgram"
import net from "node:net"
import * as path from "node:path"
import type { Target } from "../network/AllowedHosts.ts"

/** The input of the relay in the namespace, as JSON. */
export interface Inner {
  /** Ports that lead out, each with its Unix socket. */
  readonly ports: ReadonlyArray<{ readonly port: number; readonly socket: string }>
  /** The Unix socket on which it reports: one JSON line per `Report`. */
  readonly reports: string
  /** Its own Unix socket: a connection that begins with a port and a newline leads to that port of the namespace. */
  readonly inward: string
  /** `NODE_OPTIONS` of the program, which are not for the relay. */
  readonly nodeOptions: string | undefined
  /** Whether programs in the namespace ask 127.0.0.1 for the addresses of names. */
  readonly namesLookups: boolean
}

/**
 * The program's servers, whenever they change; a name that it looked up; or how the program ended, with the number of
 * its attempts for which the namespace had no route.
 */
type Report =
  | { readonly servers: ReadonlyArray<Server> }
  | { readonly lookedUp: string }
  | { readonly ended: Ended; readonly refused: number; readonly pid: number | undefined }

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

interface Server {
  readonly host: string
  readonly port: number
}

export interface Relay {
  readonly inner: Inner
  /** How the program ended, exactly: a sandbox reports a signal as an exit code. Undefined if the relay was killed. */
  readonly ended: () => Promise<Ended | undefined>
  /** Ports on which servers of the program were seen. */
  readonly served: ReadonlySet<number>
  /** Why a server of the program could not be reached from outside of it, one sentence each. */
  readonly unreachable: () => ReadonlyArray<string>
  /** Names that programs in the namespace looked up, in vain: each once, in lower case. */
  readonly lookedUp: ReadonlySet<string>
  /** How many attempts to reach an address outside the namespace had no route. */
  readonly refused: () => number
  /** The program's process id in the namespace. Undefined until it has ended, and if it did not start. */
  readonly pid: () => number | undefined
  readonly close: () => Promise<void>
}

/**
 * @param directory a directory of this run, for the sockets
 * @param options `isReachable`: whether to open ports for its servers. `namesLookups`: see `Inner`
 */
export const start = async (
  directory: string,
  targets: ReadonlyArray<Target>,
  { isReachable, namesLookups }: { readonly isReachable: boolean; readonly namesLookups: boolean },
): Promise<Relay> => {
  const byPort = new Map(targets.map((target) => [target.port, target]))
  const outward = await Promise.all([...byPort.values()].map((target) => leadingOut(directory, target)))
  const [reports, inward] = [path.join(directory, "reports.sock"), path.join(directory, "inward.sock")]
  const published = new Map<string, Piping>()
  const served = new Set<number>()
  const unreachable = new Map<string, string>()
  const lookedUp = new Set<string>()
  let ended: Ended | undefined
  let refused = 0
  let pid: number | undefined
  let reported = Promise.resolve()
  const told = (report: Report) => {
    if ("ended" in report) {
      ended = report.ended
      refused = report.refused
      pid = report.pid
      return
    }
    if ("lookedUp" in report) return void lookedUp.add(report.lookedUp)
    const { servers } = report
    for (const { port } of servers) served.add(port)
    if (!isReachable) return
    const now = new Map(servers.map((server) => [`${server.host} ${server.port}`, server]))
    for (const [key, piping] of published) if (!now.has(key) && published.delete(key)) void piping.close()
    for (const [key, { host, port }] of now) {
      if (published.has(key)) continue
      const piping = pipingTo(
        () => net.connect({ path: inward, allowHalfOpen: true }),
        (outer) => outer.write(`${port}\n`),
      )
      published.set(key, piping)
      piping.server.on("error", ({ message }) =>
        unreachable.set(key, `The program's server on port ${port} could be reached only by the program: ${message}.`),
      )
      const hasBoth = servers.some((other) => other.port === port && other.host === "0.0.0.0")
      piping.server.listen({ host, port, ipv6Only: hasBoth })
    }
  }
  const reporting = net.createServer((socket) => {
    let text = ""
    socket.setEncoding("utf8").on("data", (piece: string) => {
      const lines = `${text}${piece}`.split("\n")
      text = lines.pop() ?? ""
      // The relay, which is of this module, wrote them.
      for (const line of lines) told(JSON.parse(line))
    })
    socket.on("error", () => socket.destroy())
    reported = new Promise((resolve) => socket.once("close", () => resolve()))
  })
  await new Promise<void>((resolve, reject) => reporting.once("error", reject).listen(reports, resolve))
  return {
    inner: {
      ports: outward.map(({ port, socket }) => ({ port, socket })),
      ...{ reports, inward, nodeOptions: process.env.NODE_OPTIONS, namesLookups },
    },
    ended: () => reported.then(() => ended),
    served,
    unreachable: () => [...unreachable.values()],
    lookedUp,
    refused: () => refused,
    pid: () => pid,
    close: async () => {
      reporting.close()
      const all = [...outward.map(({ piping }) => piping), ...published.values()]
      await Promise.all(all.map((piping) => piping.close()))
    },
  }
}

interface Piping {
  readonly server: net.Server
  /** Ends its connections, too. */
  readonly close: () => Promise<void>
}

/** A server whose connections are each piped to one that `connect` opens. */
const pipingTo = (connect: () => net.Socket, begin: (outer: net.Socket) => void = () => {}): Piping => {
  const open = new Set<net.Socket>()
  const server = net.createServer({ allowHalfOpen: true }, (inner) => {
    const outer = connect()
    begin(outer)
    for (const [one, other] of [[inner, outer] as const, [outer, inner] as const]) {
      open.add(one)
      one.once("close", () => open.delete(one))
      one.once("error", () => other.destroy())
      one.pipe(other)
    }
  })
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const one of open) one.destroy()
    })
  return { server, close }
}

const leadingOut = async (directory: string, { host, port }: Target) => {
  const socket = path.join(directory, `${port}.sock`)
  const piping = pipingTo(() => net.connect({ host, port, allowHalfOpen: true }))
  await new Promise<void>((resolve, reject) => piping.server.once("error", reject).listen(socket, resolve))
  return { port, socket, piping }
}

/** The command that opens the ports in the namespace, and runs the program that follows it. */
export const command = (inner: Inner): ReadonlyArray<string> => [
  ...["/usr/bin/env", "-u", "NODE_OPTIONS", process.execPath, "-e"],
  `(${relay.toString()})(require("node:net"), require("node:fs"), require("node:child_process"), require("node:dgram"))`,
  ...["--", JSON.stringify(inner)],
]

/** Runs in the namespace. It is sent as source text, so it must not refer to this module. */
const relay = (
  network: typeof net,
  files: typeof import("node:fs"),
  processes: typeof import("node:child_process"),
  datagrams: typeof dgram,
): void => {
  const LOOK_MS = 50
  const MAX_NAMES = 1_000
  const [, text = "", command = "", ...args] = process.argv
  const { ports, reports, inward, nodeOptions, namesLookups }: Inner = JSON.parse(text)
  const piped = (inner: net.Socket, outer: net.Socket) => {
    inner.on("error", () => outer.destroy()).pipe(outer)
    outer.on("error", () => inner.destroy()).pipe(inner)
  }
  const own = new Set(ports.map(({ port }) => port))
  const opened = ports.flatMap(({ port, socket }) =>
    ["127.0.0.1", "::1"].map(
      (host) =>
        new Promise<void>((resolve) => {
          const server = network.createServer({ allowHalfOpen: true }, (inner) =>
            piped(inner, network.connect({ path: socket, allowHalfOpen: true })),
          )
          // IPv6 may be missing.
          server.on("error", () => resolve()).listen(port, host, () => resolve())
        }),
    ),
  )
  const entrance = network.createServer({ allowHalfOpen: true }, (outer) => {
    outer.on("error", () => outer.destroy())
    const heard: Array<Buffer> = []
    const hear = (piece: Buffer) => {
      heard.push(piece)
      const all = Buffer.concat(heard)
      const end = all.indexOf("\n")
      if (end < 0) return
      outer.off("data", hear).pause()
      outer.unshift(all.subarray(end + 1))
      // Node tries both families.
      const port = Number(all.subarray(0, end))
      piped(outer, network.connect({ port, host: "localhost", autoSelectFamily: true, allowHalfOpen: true }))
    }
    outer.on("data", hear)
  })
  const entering = new Promise<void>((resolve) => entrance.listen(inward, resolve))
  const reporting = network.connect(reports)
  reporting.on("error", () => reporting.destroy())
  const report = (what: Report) => void reporting.write(`${JSON.stringify(what)}\n`)

  /** Servers of this namespace, by proc_pid_net(5): state 0A listens. Addresses are words of four bytes, turned. */
  const serversIn = (file: string): ReadonlyArray<Server> =>
    (files.existsSync(file) ? files.readFileSync(file, "utf8") : "").split("\n").flatMap((line) => {
      const [, address = "", port = ""] = /^\s*\d+: ([0-9A-F]+):([0-9A-F]{4}) \S+ 0A /.exec(line) ?? []
      const at = Number.parseInt(port, 16)
      if (address === "" || own.has(at)) return []
      const isAny = /^0+$/.test(address)
      if (address.length > 8) return [{ host: isAny ? "::" : "::1", port: at }]
      return [{ host: isAny ? "0.0.0.0" : "127.0.0.1", port: at }]
    })
  let known = "[]"
  const look = () => {
    const servers = [...serversIn("/proc/self/net/tcp"), ...serversIn("/proc/self/net/tcp6")]
    const found = JSON.stringify(servers)
    if (found !== known) report({ servers })
    known = found
  }

  /** The name in a DNS query's first question, and where the question ends (RFC 1035, 4.1). */
  const question = (query: Buffer): { readonly name: string; readonly end: number } | undefined => {
    const labels: Array<string> = []
    let at = 12
    for (let length = query[at]; length !== undefined && length > 0; length = query[at]) {
      if (length > 63) return undefined
      const label = query.toString("latin1", at + 1, at + 1 + length)
      labels.push(label.toLowerCase().replace(/[^a-z0-9_-]/g, "?"))
      at += 1 + length
    }
    const end = at + 5
    return labels.length === 0 || end > query.length ? undefined : { name: labels.join("."), end }
  }
  const names = new Set<string>()
  /** Answers that the lookup failed for now (SERVFAIL), as without a network. */
  const answering = () =>
    new Promise<void>((resolve) => {
      const resolver = datagrams.createSocket("udp4")
      resolver
        .on("error", () => resolve())
        .on("message", (query, { port, address }) => {
          const asked = question(query)
          if (asked === undefined) return
          const { name, end } = asked
          if (!names.has(name) && names.size < MAX_NAMES) {
            names.add(name)
            report({ lookedUp: name })
          }
          const answer = Buffer.from(query.subarray(0, end))
          answer.writeUInt16BE(0x8082 | (answer.readUInt16BE(2) & 0x0100), 2)
          answer.fill(0, 6, 12).writeUInt16BE(1, 4)
          resolver.send(answer, port, address)
        })
      resolver.bind(53, "127.0.0.1", resolve)
    })

  /** Packets without a route: in a namespace without a network, attempts to reach an address outside of it. */
  const withoutRoute = (): number => {
    const text = (file: string) => (files.existsSync(file) ? files.readFileSync(file, "utf8") : "")
    const [, fields = "", values = ""] = /^Ip: (.*)\nIp: (.*)$/m.exec(text("/proc/self/net/snmp")) ?? []
    const four = values.split(" ")[fields.split(" ").indexOf("OutNoRoutes")]
    const [, six] = /^Ip6OutNoRoutes\s+(\d+)$/m.exec(text("/proc/self/net/snmp6")) ?? []
    return Number(four ?? 0) + Number(six ?? 0)
  }

  Promise.all([...opened, entering, ...(namesLookups ? [answering()] : [])]).then(() => {
    const env = { ...process.env, ...(nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions }) }
    const child = processes.spawn(command, args, { stdio: "inherit", env })
    const looking = setInterval(look, LOOK_MS)
    const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const
    for (const signal of signals) process.on(signal, () => child.kill(signal))
    child.on("error", ({ message }) => {
      console.error(`hindcast: ${command}: expected a program that starts, found ${message}`)
      process.exit(127)
    })
    child.on("exit", (code, signal) => {
      clearInterval(looking)
      report({ ended: { code, signal }, refused: withoutRoute(), pid: child.pid })
      reporting.end(() => {
        if (signal === null) process.exit(code ?? 1)
        process.removeAllListeners(signal)
        process.kill(process.pid, signal)
      })
    })
  })
}
