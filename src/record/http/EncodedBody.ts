/**
 * Detects compressed bodies that end early. `fetch` reads them as if they were whole; this watches undici, on which
 * Node's `fetch` is built.
 */

import { AsyncLocalStorage } from "node:async_hooks"
import diagnostics from "node:diagnostics_channel"
import { canParseUrl } from "../../values/url/canParseUrl.ts"
import * as Decoding from "./Decoding.ts"

export interface Watched<A> {
  readonly made: A
  /** How the body from this URL ended, if its connection ended cleanly. */
  readonly endOf: (url: string) => Promise<"clean" | "unfinished">
}

type Bodies = Map<string, Body>

interface Body {
  readonly encoding: string | undefined
  reading: ReturnType<typeof Decoding.checking>
}

const watching = new AsyncLocalStorage<Bodies>()

export const watch = <A>(make: () => A): Watched<A> => {
  observe()
  const bodies: Bodies = new Map()
  return {
    made: watching.run(bodies, make),
    endOf: async (url) => ((await bodies.get(url)?.reading?.end()) === "early" ? "unfinished" : "clean"),
  }
}

let isObserving = false

/** Every version of undici publishes a request before it is sent. */
const observe = (): void => {
  if (isObserving) return
  isObserving = true
  diagnostics.subscribe("undici:request:create", (message) => {
    const bodies = watching.getStore()
    const request: unknown = Reflect.get(Object(message), "request")
    if (bodies === undefined || typeof request !== "object" || request === null) return
    const url = `${String(Reflect.get(request, "origin"))}${String(Reflect.get(request, "path"))}`
    if (canParseUrl(url)) tap(request, (body) => bodies.set(new URL(url).href, body))
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

/** Calls a function before a method of a request, whose name differs between versions of undici. */
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

/** Headers are alternating names and values in bytes; for HTTP/2, an object. */
const encodingIn = (headers: unknown): string | undefined => {
  const all = Array.isArray(headers) ? headers : Object.entries(Object(headers)).flat()
  const at = all.findIndex((name, index) => index % 2 === 0 && /^content-encoding$/i.test(String(name)))
  return at < 0 ? undefined : String(all[at + 1])
}
