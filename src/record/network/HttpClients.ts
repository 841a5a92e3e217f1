/**
 * Tells connections that HTTP clients (`node:http`, `node:https`, any undici) open for their requests from all others.
 */

import { AsyncLocalStorage } from "node:async_hooks"
import diagnostics from "node:diagnostics_channel"
import http from "node:http"
import type { Target } from "./AllowedHosts.ts"
import * as Method from "./Method.ts"

/** A request that waits for its socket. Actions of the program on its answer no longer count. */
interface Looking {
  hasSocket: boolean
}

const looking = new AsyncLocalStorage<Looking>()

/** Targets that undici is about to connect to. */
const expected: Array<Target> = []

let isNoting = false

export const note = (): void => {
  if (isNoting) return
  isNoting = true
  const byRequest = new WeakMap<object, Looking>()
  for (const name of ["addRequest", "createSocket"]) {
    Method.replace(
      http.Agent.prototype,
      name,
      (original) =>
        function look(this: unknown, ...args) {
          const one: Looking = { hasSocket: false }
          if (typeof args[0] === "object" && args[0] !== null) byRequest.set(args[0], one)
          return looking.run(one, () => original.apply(this, args))
        },
    )
  }
  Method.replace(
    http.ClientRequest.prototype,
    "onSocket",
    (original) =>
      function onSocket(this: unknown, ...args) {
        const one = typeof this === "object" && this !== null ? byRequest.get(this) : undefined
        if (one !== undefined) one.hasSocket = true
        return original.apply(this, args)
      },
  )
  diagnostics.subscribe("undici:client:beforeConnect", (message) => {
    const { hostname, port, protocol } = Object(Reflect.get(Object(message), "connectParams"))
    expected.push({ host: String(hostname), port: Number(port || (protocol === "https:" ? 443 : 80)) })
  })
}

/** Announces that the next connection to a target belongs to an HTTP request. */
export const expect = (target: Target): void => {
  if (looking.getStore()?.hasSocket !== false) expected.push(target)
}

/** Whether the connection being opened belongs to an HTTP request. */
export const isConnecting = ({ host, port }: Target): boolean => {
  const at = expected.findIndex((one) => one.host === host && one.port === port)
  if (at >= 0) expected.splice(at, 1)
  return at >= 0 || looking.getStore()?.hasSocket === false
}
