/** A plain socket in place of a TLS socket, for clients answered on this machine. */

import type net from "node:net"

/** Makes a socket look as if TLS had succeeded once it connects. */
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
