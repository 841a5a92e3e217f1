/**
 * Who may use a server on this machine, such as the channel's: programs on this machine that know its token, and no page of another site.
 */

import { createHash, randomBytes, timingSafeEqual } from "node:crypto"

/** A token that nobody can guess: 256 random bits, in letters that may stand in an address. */
export const newToken = (): string => randomBytes(32).toString("base64url")

/** Why a request is refused: the answer's status, and what was expected and found. */
export interface Refusal {
  readonly status: number
  readonly error: string
  readonly expected: string
  readonly found: string
}

/** A request's headers that decide about it. */
export interface Headers {
  readonly host?: string | undefined
  readonly origin?: string | undefined
  readonly "sec-fetch-site"?: string | ReadonlyArray<string> | undefined
  readonly authorization?: string | undefined
}

/**
 * Why a request is refused; undefined if it is let in. The host is checked first: a name that resolves to this machine
 * is another site's (DNS rebinding).
 */
export const refusalOf = (headers: Headers, port: number, token: string): Refusal | undefined =>
  siteRefusalOf(headers, port) ?? tokenRefusalOf(headers, token)

/** Why a request is refused for where it comes from: another host's name, or a page of another site. */
export const siteRefusalOf = (headers: Headers, port: number): Refusal | undefined => {
  const { host = "", origin } = headers
  const hosts = HOSTS.map((name) => `${name}:${port}`)
  if (!hosts.includes(host.toLowerCase())) {
    return { status: 403, error: "ForbiddenHost", expected: `the host ${hosts.join(", ")}`, found: shown(host) }
  }
  if (origin !== undefined && origin !== `http://${host}`) {
    return { status: 403, error: "ForbiddenOrigin", expected: "no origin, or the server's own", found: shown(origin) }
  }
  const site = headers["sec-fetch-site"]
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    const expected = "no Sec-Fetch-Site, or same-origin or none"
    return { status: 403, error: "ForbiddenSite", expected, found: shown(String(site)) }
  }
  return undefined
}

/** Why a request is refused that does not show the token. */
export const tokenRefusalOf = ({ authorization }: Headers, token: string): Refusal | undefined => {
  // The scheme's name has no case (RFC 9110 §11.1).
  if (authorization === undefined || !isSame(authorization.replace(/^bearer /i, "Bearer "), `Bearer ${token}`)) {
    const found = authorization === undefined ? "none" : "another one"
    return { status: 401, error: "Unauthorized", expected: "the header Authorization: Bearer with the token", found }
  }
  return undefined
}

const HOSTS = ["127.0.0.1", "localhost", "[::1]"]

/** Compares in a time that tells nothing of the expected text, nor of its length. */
const isSame = (given: string, expected: string): boolean => timingSafeEqual(digestOf(given), digestOf(expected))

const digestOf = (text: string) => createHash("sha256").update(text).digest()

/** What came from outside, short and in quotes. */
const shown = (text: string): string => JSON.stringify(text.slice(0, MAX_SHOWN))

const MAX_SHOWN = 100
