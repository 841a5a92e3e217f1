/**
 * Finds retries of a call by body and time. Clients resend the same body after a failure; few number their attempts,
 * and one numbers them wrongly.
 */

import { digest } from "../../values/Digest.ts"
import { isObject } from "../../values/JsonObjects.ts"
import type { ReadRequest } from "./HttpMessage.ts"

export interface Retries {
  /** The id of the call's first attempt if the request is a retry; undefined otherwise. */
  readonly asked: (request: ReadRequest) => string | undefined
  /**
   * Registers a failed request, so that the next equal one is its retry. `first` is the call's first attempt, if that
   * is another one.
   */
  readonly failed: (id: string, request: ReadRequest, first: string | undefined) => void
}

/**
 * Maximum time between a failure and a retry, in milliseconds. Clients give up if a server asks for more than 120 s.
 */
const LATEST_MS = 150_000

interface Failed {
  readonly first: string
  readonly key: string
  readonly at: number
}

/** @param now a monotonic time in milliseconds */
export const make = (now: () => number = () => performance.now()): Retries => {
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

/** Digest of a request without its streaming options: after a broken stream, some clients retry without streaming. */
const keyOf = ({ method, url, body }: ReadRequest): string => {
  const { pathname } = new URL(url)
  if (body === undefined || !isObject(body)) return digest({ method, pathname, body: body ?? null })
  const { stream: _, stream_options: __, ...asked } = body
  return digest({ method, pathname, body: asked })
}
