/** The headers that a configuration may have an MCP server get: one rule for plugins and for the gateway. Pure. */
import * as HostHeaders from "../hostapi/HostHeaders.ts"

/** Why headers are not sent. */
export interface Refused {
  readonly input: "url" | "header"
  readonly expected: string
  readonly found: string
}

/**
 * Refuses to send values in clear text to another machine, and headers that the host sets itself. Every opener of a
 * connection asks it: a stored configuration may be anyone's.
 */
export const refusalOf = (url: URL, names: ReadonlyArray<string>): Refused | undefined => {
  if (names.length > 0 && url.protocol !== "https:" && !LOOPBACK.test(url.hostname)) {
    const expected = "https, because the header's value would be readable on the way"
    return { input: "url", expected, found: url.origin }
  }
  const wrong = names.find((name) => !NAME.test(name))
  if (wrong !== undefined) return { input: "header", expected: "a header's name", found: JSON.stringify(wrong) }
  const reserved = names.find(HostHeaders.isReserved)
  if (reserved !== undefined)
    return { input: "header", expected: "a header that the host does not set itself", found: reserved }
  const lower = names.map((name) => name.toLowerCase())
  const again = lower.find((name, index) => lower.indexOf(name) < index)
  return again === undefined ? undefined : { input: "header", expected: "each header once", found: `${again} again` }
}

/** A token (RFC 9110 §5.6.2). */
const NAME = /^[\w!#$%&'*+.^`|~-]+$/

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/
