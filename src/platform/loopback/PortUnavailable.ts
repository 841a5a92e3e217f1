/** A port on which a server cannot listen. */

import { Data } from "effect"

/** Choose another port, or none: the server cannot listen on this one. */
export class PortUnavailable extends Data.TaggedError("PortUnavailable")<{
  readonly port: number
  readonly reason: string
}> {
  override get message() {
    return `Port ${this.port}: expected one that is free on 127.0.0.1, found that it cannot be used (${this.reason}). Name another, or none: then a free one is taken.`
  }
}
