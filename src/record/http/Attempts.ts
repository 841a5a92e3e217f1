/**
 * Which requests are further attempts of one call. Clients send the same body again after a failure; few count their attempts, and one
 * counts them wrongly, so that the body and the time tell it.
 */

import { digest } from "../../values/Digest.ts"
import { isObject } from "../../values/JsonObjects.ts"
import type { ReadRequest } from "./HttpMessage.ts"

/** The attempts of a program's calls so far. */
export interface Attempts {
  /** The first attempt of the call that a request repeats, by the id that it was noted with; undefined of a call's first one. */
  readonly asked: (request: ReadRequest) => string | undefined
  /** The request failed: the next one like it is another attempt. @param first of its call, where it was not the first itself */
  readonly failed: (id: string, request: ReadRequest, first: string | undefined) => void
}

/** Longest time between a failure and the next attempt, in milliseconds: clients give up where a server asks for more than 120 s. */
const LATEST_MS = 150_000

/** A call whose last attempt failed. */
interface Failed {
  readonly first: string
  readonly key: string
  readonly at: number
}

/** @param now a time in milliseconds that never goes back */
export const make = (now: () => number = () => performance.now()): Attempts => {
  let failures: ReadonlyArray<Failed> = []
  return {
    asked: (request) => {
      if (failures.length === 0) return undefined
      const at = now()
      failures = failures.filter((one) => at - one.at <= LATEST_MS)
      if (failures.length === 0) return undefined
      const key = keyOf(request)
      const found = failures.find((one) => one.key === key)
      failures = failures.filter((one) => one !== found)
      return found?.first
    },
    failed: (id, request, first = id) => {
      failures = [...failures, { first, key: keyOf(request), at: now() }]
    },
  }
}

/** What a request asks. After a stream that broke off, some clients ask for the same as a whole. */
const keyOf = ({ method, url, body }: ReadRequest): string => {
  const { pathname } = new URL(url)
  if (body === undefined || !isObject(body)) return digest({ method, pathname, body: body ?? null })
  const { stream: _, stream_options: __, ...asked } = body
  return digest({ method, pathname, body: asked })
}
