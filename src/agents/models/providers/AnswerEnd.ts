/**
 * Breaks off answers that never end: if the compression of a body is broken, and `fetch` (undici) notices only after
 * the last byte, it reports nothing, and the body stays open.
 */

import { AsyncLocalStorage } from "node:async_hooks"
import { subscribe } from "node:diagnostics_channel"
import { fieldOf } from "../../../values/JsonObjects.ts"
import type { Fetch } from "../Fetch.ts"

/** Longest time between the last byte of an answer and each further piece of its text, in milliseconds. */
const LONGEST_REST_MS = 5_000

const HIGHEST_STATUS = 599

interface Arrival {
  request: object | undefined
  isComplete: boolean
  completed: () => void
}

/** A `fetch` whose answers break off if their text does not end soon after their last byte. */
export const ending = (fetch: Fetch): Fetch => {
  listen()
  return async (input, init) => {
    const arrival: Arrival = { request: undefined, isComplete: false, completed: () => {} }
    const response = await arrivals.run(arrival, () => fetch(input, init))
    const { body, statusText, headers } = response
    if (body === null || !headers.has("content-encoding")) return response
    const status = Math.min(response.status, HIGHEST_STATUS)
    return new Response(untilStalled(body, arrival), { status, statusText, headers })
  }
}

const arrivals = new AsyncLocalStorage<Arrival>()

let listens = false

/** Listens to undici's diagnostics: when each request is made, and when its whole answer has arrived. */
const listen = (): void => {
  if (listens) return
  listens = true
  const byRequest = new WeakMap<object, Arrival>()
  const requestOf = (message: unknown): object | undefined => {
    const request = fieldOf(message, "request")
    return typeof request === "object" && request !== null ? request : undefined
  }
  subscribe("undici:request:create", (message) => {
    const [request, arrival] = [requestOf(message), arrivals.getStore()]
    if (request === undefined || arrival === undefined) return
    byRequest.set(request, arrival)
    arrival.request = request
    arrival.isComplete = false
  })
  subscribe("undici:request:trailers", (message) => {
    const request = requestOf(message)
    const arrival = request === undefined ? undefined : byRequest.get(request)
    if (arrival === undefined || arrival.request !== request) return
    arrival.isComplete = true
    arrival.completed()
  })
}

/** Fails if a piece takes too long although all bytes have arrived. */
const untilStalled = (body: ReadableStream<Uint8Array>, arrival: Arrival): ReadableStream<Uint8Array> => {
  const reader = body.getReader()
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await unlessStalled(reader.read(), arrival).catch((error: unknown) => {
        // It has failed already, so the result of the cancellation does not matter.
        reader.cancel(error).catch(() => {})
        throw error
      })
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

const unlessStalled = <A>(read: Promise<A>, arrival: Arrival): Promise<A> =>
  new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stalled = () => reject(new Error("premature end: its bytes came, but their compression is broken"))
    arrival.completed = () => {
      timer ??= setTimeout(stalled, LONGEST_REST_MS)
    }
    if (arrival.isComplete) arrival.completed()
    read.then(resolve, reject).finally(() => {
      arrival.completed = () => {}
      clearTimeout(timer)
    })
  })
