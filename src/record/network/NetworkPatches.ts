/**
 * Patches the ways out of Node: connections (TCP, TLS, HTTP, HTTP/2, WebSockets), datagrams and DNS queries, and the handles
 * below them. Each asks `ClosedNetwork` first. Unix sockets, pipes, channels to child processes and the program's own servers stay open.
 */

import dgram from "node:dgram"
import diagnostics from "node:diagnostics_channel"
import dns from "node:dns"
import http from "node:http"
import { syncBuiltinESMExports } from "node:module"
import net from "node:net"
import tls from "node:tls"
import * as OwnConnections from "../../platform/recorded/OwnConnections.ts"
import { canParseUrl } from "../../values/url/canParseUrl.ts"
import * as AllowedHosts from "./AllowedHosts.ts"
import * as ClosedNetwork from "./ClosedNetwork.ts"
import * as HttpClients from "./HttpClients.ts"
import * as Method from "./Method.ts"
import * as RawHandles from "./RawHandles.ts"
import * as SecureSocket from "./SecureSocket.ts"

let isInstalled = false

/** Installs the patches once per process. They change nothing while the network is open. */
export const install = (): void => {
  if (isInstalled) return
  isInstalled = true
  OwnConnections.watch()
  HttpClients.note()
  noteServers()
  closeRequests()
  closeConnections()
  closeDatagrams()
  closeLookups()
  RawHandles.close(isOwnServer)
  syncBuiltinESMExports()
}

/** Servers of this process, with the closed function that opened each. */
const listening = new Map<net.Server, unknown>()

const noteServers = () =>
  Method.replace(
    net.Server.prototype,
    "listen",
    (original) =>
      function listen(this: unknown, ...args) {
        if (this instanceof net.Server) {
          listening.set(this, ClosedNetwork.region())
          this.once("close", () => listening.delete(this))
        }
        return original.apply(this, args)
      },
  )

/**
 * Whether the target is a server of the program itself. For a program replayed inside a function, only servers that it
 * opened count.
 */
export const isOwnServer = ({ host, port }: AllowedHosts.Target): boolean =>
  isHere(host) &&
  [...listening].some(([server, region]) => {
    const address = server.address()
    return region === ClosedNetwork.region() && typeof address === "object" && address?.port === port
  })

const isHere = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1|0\.0\.0\.0|::)$/i.test(host)

/** Called for each outgoing connection; `isHttp` if an HTTP client opens it for a request. */
type OnConnection = (socket: net.Socket, target: AllowedHosts.Target, isHttp: boolean) => void

const observers: Array<OnConnection> = []

/** Reports each outgoing connection from now on. */
export const observe = (onConnection: OnConnection): void => {
  install()
  observers.push(onConnection)
}

/** Refuses HTTP requests themselves, since they may reuse a connection that was open before. */
const closeRequests = () => {
  Method.replace(
    http.Agent.prototype,
    "addRequest",
    (original) =>
      function addRequest(this: unknown, ...args) {
        const [request, options] = args
        const target = targetOf([{ ...Object(options), path: Reflect.get(Object(options), "socketPath") }])
        const refused = target === undefined ? undefined : refusalOfRequest(target, addRequest)
        if (refused === undefined || !(request instanceof http.ClientRequest)) return original.apply(this, args)
        return Reflect.apply(request.onSocket, request, [null, refused])
      },
  )
  const refuse = (message: unknown) => {
    const request: unknown = Reflect.get(Object(message), "request")
    const origin = String(Reflect.get(Object(request), "origin"))
    if (typeof request !== "object" || request === null || !canParseUrl(origin)) return
    const { hostname, port, protocol } = new URL(origin)
    const target = { host: hostname, port: Number(port || (protocol === "https:" ? 443 : 80)) }
    const refused = refusalOfRequest(target, refuse)
    if (refused === undefined) return
    Reflect.set(request, "error", refused)
    // undici still opens a connection for it in this turn, which is no further attempt.
    const written = AllowedHosts.written(target)
    refusedNow.add(written)
    setImmediate(() => refusedNow.delete(written))
  }
  diagnostics.subscribe("undici:request:create", refuse)
}

/** Targets of undici requests refused in this turn of the event loop. */
const refusedNow = new Set<string>()

const refusalOfRequest = (target: AllowedHosts.Target, door: (...args: Array<never>) => unknown) =>
  isOwnServer(target) || ClosedNetwork.answering(target) !== undefined
    ? undefined
    : ClosedNetwork.refusal("connection", target, door)

const closeConnections = () => {
  Method.replace(
    net.Socket.prototype,
    "connect",
    (original) =>
      function connect(this: unknown, ...args) {
        const target = targetOf(args)
        if (target === undefined || isOwnServer(target) || !(this instanceof net.Socket))
          return original.apply(this, args)
        const isHttp = HttpClients.isConnecting(target)
        const answering = isHttp ? ClosedNetwork.answering(target) : undefined
        if (answering !== undefined) {
          answering.connect(this, { ...target, isSecure: false })
          return this
        }
        const refused = refusedNow.has(AllowedHosts.written(target))
          ? ClosedNetwork.refusalAgain(target)
          : ClosedNetwork.refusal("connection", target, secureConnect ?? connect)
        if (refused === undefined) {
          if (!ClosedNetwork.isOutside()) for (const tell of observers) tell(this, target, isHttp)
          return original.apply(this, args)
        }
        // HTTP/2 treats a socket without a handle as connected.
        if (Reflect.get(this, "_handle") === null) original.call(this, { path: NOWHERE })
        // Buffers writes, as for a connection in progress.
        Reflect.set(this, "connecting", true)
        process.nextTick(() => this.destroy(refused))
        return this
      },
  )
  Method.replace(
    tls,
    "connect",
    (original) =>
      function connect(this: unknown, ...args) {
        const options = Object(args.find((arg) => typeof arg === "object" && arg !== null))
        const told = args.at(-1)
        const { socket, path, timeout } = options
        if (ClosedNetwork.isAnswered(socket)) return SecureSocket.of(socket, told)
        const host = typeof args[1] === "string" ? args[1] : options.host
        const target = typeof args[0] === "object" ? targetOf([options]) : targetOf([args[0], host])
        const goesElsewhere = Boolean(socket) || typeof path === "string" || target === undefined || isOwnServer(target)
        if (goesElsewhere) return original.apply(this, args)
        if (!HttpClients.isConnecting(target)) return throughPlainSocket(connect, () => original.apply(this, args))
        const answering = ClosedNetwork.answering(target)
        if (answering === undefined) {
          // The socket underneath asks again.
          HttpClients.expect(target)
          return throughPlainSocket(connect, () => original.apply(this, args))
        }
        const plain = new net.Socket()
        if (typeof timeout === "number") plain.setTimeout(timeout)
        answering.connect(plain, { ...target, isSecure: true })
        return SecureSocket.of(plain, told)
      },
  )
}

type SecureConnect = (...args: Array<unknown>) => unknown

/** The patched `tls.connect` at work: it connects a plain socket, whose refusal names the caller. */
let secureConnect: SecureConnect | undefined

const throughPlainSocket = (connect: SecureConnect, connects: () => unknown): unknown => {
  secureConnect = connect
  try {
    return connects()
  } finally {
    secureConnect = undefined
  }
}

/** A path at which no socket can exist. */
const NOWHERE = process.platform === "win32" ? "\\\\.\\pipe\\hindcast-nowhere" : "/dev/null/nowhere"

/** The target of `connect` arguments (or of the list that Node makes of them); undefined for a path. */
export const targetOf = (args: ReadonlyArray<unknown>): AllowedHosts.Target | undefined => {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args
  if (typeof first === "object" && first !== null) {
    const { path, host, port } = first as { readonly path?: unknown; readonly host?: unknown; readonly port?: unknown }
    return typeof path === "string" ? undefined : { host: hostOf(host), port: Number(port) }
  }
  const port = Number(first)
  return Number.isNaN(port) ? undefined : { host: hostOf(second), port }
}

const hostOf = (host: unknown): string => (typeof host === "string" && host !== "" ? host : "localhost")

const closeDatagrams = () => {
  const { prototype } = dgram.Socket
  Method.replace(
    prototype,
    "connect",
    (original) =>
      function connect(this: unknown, ...args) {
        const [port, host] = args
        return refused(
          this,
          ClosedNetwork.refusal("datagram", { host: hostOf(host), port: Number(port) }, connect),
          args,
          original,
        )
      },
  )
  Method.replace(
    prototype,
    "send",
    (original) =>
      function send(this: unknown, ...args) {
        const [, first, second, port, address] = args
        // Overloads: (message, offset, length, port, address), (message, port, address), or (message) on a connected
        // socket.
        const isOfPart = Boolean(address) || (Boolean(port) && typeof port !== "function")
        const [to, host] = isOfPart ? [port, address] : [first, second]
        if (isConnected(this) || Number.isNaN(Number(to))) return original.apply(this, args)
        return refused(
          this,
          ClosedNetwork.refusal("datagram", { host: hostOf(host), port: Number(to) }, send),
          args,
          original,
        )
      },
  )
}

const isConnected = (socket: unknown): boolean => {
  try {
    return socket instanceof dgram.Socket && socket.remoteAddress() !== undefined
  } catch {
    return false
  }
}

/** Calls a method, or fails it through its callback or an `error` event. */
const refused = (
  socket: unknown,
  why: Error | undefined,
  args: ReadonlyArray<unknown>,
  original: Method.Method,
): unknown => {
  if (why === undefined) return original.apply(socket, [...args])
  const told = args.at(-1)
  process.nextTick(() => {
    if (typeof told === "function") told.call(socket, why)
    else if (socket instanceof dgram.Socket) socket.emit("error", why)
  })
  return undefined
}

const closeLookups = () => {
  for (const of of [dns, dns.Resolver.prototype]) {
    for (const name of lookupsOf(of)) Method.replace(of, name, (original) => askingByCallback(name, original))
  }
  for (const of of [dns.promises, dns.promises.Resolver.prototype]) {
    for (const name of lookupsOf(of)) Method.replace(of, name, (original) => askingByPromise(name, original))
  }
}

const lookupsOf = (of: object) =>
  Method.namesOf(of).filter((name) => /^(lookup|lookupService|reverse|resolve.*)$/.test(name))

/** Whether the query needs no server. Only `lookup` resolves addresses and loopback names locally. */
const asksNobody = (name: string, asked: string): boolean => name === "lookup" && AllowedHosts.isKnownHere(asked)

const askingByCallback = (name: string, original: Method.Method): Method.Method =>
  function ask(this: unknown, ...args) {
    const [asked, told] = [String(args[0] ?? ""), args.at(-1)]
    const refused = asksNobody(name, asked) ? undefined : ClosedNetwork.refusalOfName(asked, ask)
    if (refused === undefined || typeof told !== "function") return original.apply(this, args)
    process.nextTick(told, refused)
    return {}
  }

const askingByPromise = (name: string, original: Method.Method): Method.Method =>
  async function ask(this: unknown, ...args) {
    const asked = String(args[0] ?? "")
    const refused = asksNobody(name, asked) ? undefined : ClosedNetwork.refusalOfName(asked, ask)
    if (refused !== undefined) throw refused
    return await original.apply(this, args)
  }
