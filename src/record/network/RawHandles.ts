/** Closes `process.binding`, through which a program gets the handles under Node's sockets and lookups. */

import type { Target } from "./AllowedHosts.ts"
import * as ClosedNetwork from "./ClosedNetwork.ts"
import * as Method from "./Method.ts"

/** libuv's UV_EACCES: handles return error numbers. */
const REFUSED = -13

/** Replaces `process.binding`. @param isOwn whether a target is a server of the program itself */
export const close = (isOwn: (target: Target) => boolean): void => {
  const connection = (host: unknown, port: unknown, door: Door) =>
    refuses({ host: String(host), port: Number(port) }, "connection", isOwn, door)
  const datagram = (host: unknown, port: unknown, door: Door) =>
    refuses({ host: String(host), port: Number(port) }, "datagram", isOwn, door)
  const name = (asked: unknown, door: Door) => ClosedNetwork.refusalOfName(String(asked), door) !== undefined

  const closings: Readonly<Record<string, (binding: object) => object>> = {
    tcp_wrap: (binding) =>
      withClass(binding, "TCP", /^connect6?$/, ([, host, port], door) => connection(host, port, door)),
    udp_wrap: (binding) =>
      withClass(binding, "UDP", /^(connect|send)6?$/, (args, door) => {
        // On a connected socket, `send` has no target.
        const [host, port] = args.length === 2 ? args : args.length < 6 ? [] : [args[4], args[3]]
        return host !== undefined && datagram(host, port, door)
      }),
    cares_wrap: (binding) => {
      const closed = withClass(binding, "ChannelWrap", /^(query|getHostByAddr)/, ([, asked], door) => name(asked, door))
      for (const lookup of ["getaddrinfo", "getnameinfo"]) {
        Method.replace(closed, lookup, (original) => refusing(original, ([, asked], door) => name(asked, door)))
      }
      return closed
    },
  }
  Method.replace(
    process,
    "binding",
    (original) =>
      function binding(this: unknown, ...args) {
        const found = original.apply(process, args)
        const closes = closings[String(args[0])]
        return closes === undefined || typeof found !== "object" || found === null ? found : closes(found)
      },
  )
}

type Door = (...args: Array<never>) => unknown

type Refuses = (args: ReadonlyArray<unknown>, door: Door) => boolean

const refuses = (
  target: Target,
  means: "connection" | "datagram",
  isOwn: (target: Target) => boolean,
  door: Door,
): boolean => !isOwn(target) && ClosedNetwork.refusal(means, target, door) !== undefined

/** A copy of a binding whose class refuses targets. Node's own modules keep the class itself. */
const withClass = (binding: object, name: string, methods: RegExp, refuses: Refuses): object => {
  const Handle: unknown = Reflect.get(binding, name)
  if (!isClass(Handle)) return { ...binding }
  const Closed = class extends Handle {}
  for (const method of Object.keys(Handle.prototype).filter((key) => methods.test(key))) {
    const original: unknown = Reflect.get(Handle.prototype, method)
    if (typeof original !== "function") continue
    const call: Method.Method = function (this: unknown, ...args) {
      return Reflect.apply(original, this, args)
    }
    Reflect.set(Closed.prototype, method, refusing(call, refuses))
  }
  return { ...binding, [name]: Closed }
}

const refusing = (original: Method.Method, refuses: Refuses): Method.Method =>
  function refused(this: unknown, ...args) {
    return refuses(args, refused) ? REFUSED : original.apply(this, args)
  }

const isClass = (value: unknown): value is new (...args: Array<unknown>) => object => typeof value === "function"
