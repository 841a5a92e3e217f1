/** Tracks which request a server is handling, so that the calls it makes can be assigned to it. */

import { AsyncLocalStorage } from "node:async_hooks"
import * as http from "node:http"
import * as https from "node:https"

export interface Served {
  /** The task of its first request to a model; resolves to undefined if that was no conversation. */
  task?: Promise<string | undefined>
}

export interface Serving {
  /** The request that the caller handles; undefined outside of any. */
  readonly current: () => Served | undefined
  readonly end: () => void
}

/** Observes servers of `node:http` and `node:https`, on which frameworks are built; not those of `node:http2`. */
export const observe = (): Serving => {
  const storage = new AsyncLocalStorage<Served>()
  const restore = [http.Server.prototype, https.Server.prototype].map((prototype) => {
    const own = Object.getOwnPropertyDescriptor(prototype, "emit")
    const emit: (this: http.Server, ...args: Array<unknown>) => boolean = prototype.emit as never
    const observing = function (this: http.Server, ...args: Array<unknown>): boolean {
      return args[0] === "request" ? storage.run({}, () => emit.apply(this, args)) : emit.apply(this, args)
    }
    Object.defineProperty(prototype, "emit", { configurable: true, writable: true, value: observing })
    return () => {
      if (own === undefined) delete (prototype as Partial<http.Server>).emit
      else Object.defineProperty(prototype, "emit", own)
    }
  })
  return {
    current: () => storage.getStore(),
    end: () => {
      for (const one of restore) one()
    },
  }
}
