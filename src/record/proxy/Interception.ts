/** Terminates connections that a program opens through an HTTP proxy, and reads them as their servers would. */

import type * as http from "node:http"
import * as net from "node:net"
import type { Duplex } from "node:stream"
import * as tls from "node:tls"
import type { Authority } from "./Authority.ts"

export interface Interception {
  /** The server that a connection is meant for, such as `https://api.mistral.ai`; undefined for the proxy itself. */
  readonly originOf: (socket: Duplex) => string | undefined
  /** Accepts a connection to another server. @param serve reads it as HTTP */
  readonly connect: (
    request: http.IncomingMessage,
    socket: Duplex,
    head: Buffer,
    serve: (socket: Duplex) => void,
  ) => void
}

/** The first byte of TLS (RFC 8446, section 5.1). */
const HANDSHAKE = 22

/**
 * @param onUnread called with a connection that cannot be read, and why
 * @param passesOthers whether non-TLS connections reach their server. Default: true
 */
export const make = (
  authority: Authority,
  onUnread: (place: string) => void,
  { passesOthers = true }: { readonly passesOthers?: boolean } = {},
): Interception => {
  const origins = new WeakMap<Duplex, string>()
  return {
    originOf: (socket) => origins.get(socket),
    connect: ({ url = "" }, socket, head, serve) => {
      const [, bare = "", port = ""] = /^(.*):(\d+)$/.exec(url) ?? []
      const host = bare.replace(/^\[(.*)\]$/, "$1")
      if (host === "" || !(socket instanceof net.Socket)) return void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n")
      const begun = (first: Buffer) => {
        socket.pause()
        socket.unshift(first)
        if (first[0] === HANDSHAKE) secure(host, port, socket)
        else if (passesOthers) tunnel(host, Number(port), socket)
        else socket.destroy()
        if (first[0] !== HANDSHAKE) onUnread(`${url} (not TLS)`)
      }
      const secure = (host: string, port: string, socket: net.Socket) => {
        const secured = new tls.TLSSocket(socket, {
          isServer: true,
          ALPNProtocols: ["http/1.1"],
          secureContext: authority.contextFor(host),
          SNICallback: (name, answer) => answer(null, authority.contextFor(name)),
        })
        let isTrusted = false
        secured.once("secure", () => {
          isTrusted = true
        })
        secured.on("error", () => {
          if (!isTrusted) onUnread(`${url} (the program did not trust this run's certificate)`)
          secured.destroy()
        })
        origins.set(secured, `https://${bare}${port === "443" ? "" : `:${port}`}`)
        serve(secured)
      }
      if (head.byteLength > 0) begun(head)
      else socket.once("data", begun)
    },
  }
}

const tunnel = (host: string, port: number, socket: net.Socket): void => {
  const upstream = net.connect(port, host)
  upstream.on("error", () => socket.destroy())
  upstream.once("close", () => socket.destroy())
  socket.once("close", () => upstream.destroy())
  socket.pipe(upstream)
  upstream.pipe(socket)
}
