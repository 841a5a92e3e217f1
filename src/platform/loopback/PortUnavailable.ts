/** The errors of a port and of a socket that a server cannot use. */

import { Data } from "effect"

/** The server cannot listen on this port. Choose another, or none. */
export class PortUnavailable extends Data.TaggedError("PortUnavailable")<{
  readonly port: number
  /** Default: 127.0.0.1. */
  readonly host?: string
  readonly reason: string
}> {
  override get message() {
    return `Port ${this.port} cannot be used on ${this.host ?? "127.0.0.1"} (${this.reason}). Choose another port, or omit it to use a free one.`
  }
}

/** The server cannot listen on this socket in the file system. */
export class SocketUnavailable extends Data.TaggedError("SocketUnavailable")<{
  readonly file: string
  readonly reason: string
}> {
  override get message() {
    return `Expected to listen on the socket ${this.file}, found: ${this.reason}.`
  }
}
