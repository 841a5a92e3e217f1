/** The requests that a process serves: each is a piece of work of its own, and what is asked meanwhile belongs to it. */

import { AsyncLocalStorage } from "node:async_hooks"
import * as http from "node:http"
import * as https from "node:https"

/** A request that a process serves. */
export interface Served {
  /** The task in which the first request to a model that it led to is recorded; undefined where that was no conversation. */
  task?: Promise<string | undefined>
}

/** Which request is served. */
export interface Serving {
  /** The one that the caller is at work on; undefined outside of any. */
  readonly current: () => Served | undefined
  /** Ends the observation. */
  readonly end: () => void
}

/** Observes the servers of `node:http` and `node:https`, on which frameworks are built. Sees nothing of those of `node:http2`. */
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
