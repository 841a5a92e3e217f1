/** The error of a port that a server cannot use. */

import { Data } from "effect"

/** The server cannot listen on this port. Choose another, or none. */
export class PortUnavailable extends Data.TaggedError("PortUnavailable")<{
  readonly port: number
  readonly reason: string
}> {
  override get message() {
    return `Port ${this.port}: expected one that is free on 127.0.0.1, found that it cannot be used (${this.reason}). Name another, or none: then a free one is taken.`
  }
}
