/** A plain socket in the place of one over TLS, for clients that are answered on this machine. */

import type net from "node:net"

/** Has a socket look as if TLS had succeeded on it, as soon as it is connected. */
export const of = (socket: net.Socket, onSecure: unknown): net.Socket => {
  Object.assign(socket, {
    encrypted: true,
    authorized: true,
    authorizationError: null,
    alpnProtocol: false,
    secureConnecting: false,
    getPeerCertificate: () => ({}),
    getPeerX509Certificate: () => undefined,
    getCertificate: () => ({}),
    getProtocol: () => "TLSv1.3",
    getCipher: () => CIPHER,
    getSession: () => undefined,
    getFinished: () => undefined,
    isSessionReused: () => false,
    setSession: () => {},
    setServername: () => {},
    disableRenegotiation: () => {},
  })
  if (typeof onSecure === "function") socket.once("secureConnect", () => onSecure())
  const tell = () => socket.emit("secureConnect")
  if (socket.connecting) socket.once("connect", tell)
  else process.nextTick(tell)
  return socket
}

const CIPHER = { name: "TLS_AES_128_GCM_SHA256", standardName: "TLS_AES_128_GCM_SHA256", version: "TLSv1.3" }
