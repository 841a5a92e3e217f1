/**
 * Whether the body of an answer to `fetch` came whole. A body that is encoded for its way (gzip) and ends within its encoding is read by
 * `fetch` as if it were whole, and nothing says so. What passes undici, of which Node's own `fetch` is made, is looked at here.
 */

import { AsyncLocalStorage } from "node:async_hooks"
import diagnostics from "node:diagnostics_channel"
import * as Decoding from "./Decoding.ts"

/** What passes while a request is made. */
export interface Watched<A> {
  readonly made: A
  /** How the body from this address ended, of which the connection ended as if it were whole. */
  readonly endOf: (url: string) => Promise<"clean" | "unfinished">
}

type Bodies = Map<string, Body>

/** A body that comes. */
interface Body {
  readonly encoding: string | undefined
  reading: ReturnType<typeof Decoding.checking>
}

const watching = new AsyncLocalStorage<Bodies>()

/** Makes a request, and watches what comes. */
export const watch = <A>(make: () => A): Watched<A> => {
  observe()
  const bodies: Bodies = new Map()
  return {
    made: watching.run(bodies, make),
    endOf: async (url) => ((await bodies.get(url)?.reading?.end()) === "early" ? "unfinished" : "clean"),
  }
}

let isObserving = false

/** Each version of undici hands a request out before it is sent. */
const observe = (): void => {
  if (isObserving) return
  isObserving = true
  diagnostics.subscribe("undici:request:create", (message) => {
    const bodies = watching.getStore()
    const request: unknown = Reflect.get(Object(message), "request")
    if (bodies === undefined || typeof request !== "object" || request === null) return
    const url = `${String(Reflect.get(request, "origin"))}${String(Reflect.get(request, "path"))}`
    if (URL.canParse(url)) tap(request, (body) => bodies.set(new URL(url).href, body))
  })
}

const tap = (request: object, begun: (body: Body) => void): void => {
  let body: Body | undefined
  before(request, ["onHeaders", "onResponseStart"], ([status, headers]) => {
    if (typeof status !== "number" || status < 200) return
    body = { encoding: encodingIn(headers), reading: undefined }
    begun(body)
  })
  before(request, ["onData", "onResponseData"], ([piece]) => {
    if (body?.encoding === undefined || !(piece instanceof Uint8Array) || piece.byteLength === 0) return
    body.reading ??= Decoding.checking(body.encoding, piece)
    body.reading?.take(piece)
  })
}

/** Has a function told of each call of a method, by the name that a version of undici gives it. */
const before = (request: object, names: ReadonlyArray<string>, told: (args: ReadonlyArray<unknown>) => void): void => {
  for (const name of names) {
    const original: unknown = Reflect.get(request, name)
    if (typeof original !== "function") continue
    Reflect.set(request, name, function passed(this: unknown, ...args: ReadonlyArray<unknown>) {
      told(args)
      return Reflect.apply(original, this, args)
    })
  }
}

/** Headers are names and values by turns, as bytes; of HTTP/2 an object. */
const encodingIn = (headers: unknown): string | undefined => {
  const all = Array.isArray(headers) ? headers : Object.entries(Object(headers)).flat()
  const at = all.findIndex((name, index) => index % 2 === 0 && /^content-encoding$/i.test(String(name)))
  return at < 0 ? undefined : String(all[at + 1])
}
