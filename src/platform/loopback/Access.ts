/** Who may use a server on this machine: programs on this machine that know its token, and no page of another site. */

import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { type Refusal, refusal, shown } from "./Refusal.ts"

/** A token that nobody can guess: 256 random bits, in letters that may stand in an address. */
export const newToken = (): string => randomBytes(32).toString("base64url")

/** A request's headers that decide about it. */
export interface Headers {
  readonly host?: string | undefined
  readonly origin?: string | undefined
  readonly "sec-fetch-site"?: string | ReadonlyArray<string> | undefined
  readonly authorization?: string | undefined
}

/**
 * Why a request is refused for where it comes from; undefined if it is let in. The host is checked first: another name that
 * resolves to this machine is another site's (DNS rebinding). A page of another site is refused by its origin.
 */
export const siteRefusalOf = (headers: Headers, port: number): Refusal | undefined => {
  const { host = "", origin } = headers
  const hosts = HOSTS.map((name) => `${name}:${port}`)
  if (!hosts.includes(host.toLowerCase())) {
    return refusal(403, "ForbiddenHost", `the host ${hosts.join(", ")}`, shown(host))
  }
  if (origin !== undefined && origin !== `http://${host}`) {
    return refusal(403, "ForbiddenOrigin", "no origin, or the server's own", shown(origin))
  }
  const site = headers["sec-fetch-site"]
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    return refusal(403, "ForbiddenSite", "no Sec-Fetch-Site, or same-origin or none", shown(String(site)))
  }
  return undefined
}

const HOSTS = ["127.0.0.1", "localhost", "[::1]"]

/** Why a request is refused that does not show the token. */
export const tokenRefusalOf = ({ authorization }: Headers, token: string): Refusal | undefined => {
  // The scheme's name has no case (RFC 9110 §11.1).
  if (authorization !== undefined && isSame(authorization.replace(/^bearer /i, "Bearer "), `Bearer ${token}`))
    return undefined
  const expected = "the header Authorization: Bearer with the token"
  const found = authorization === undefined ? "none" : "another one"
  return refusal(401, "Unauthorized", expected, found, { "www-authenticate": "Bearer" })
}

/** Compares in a time that tells nothing of the expected text, nor of its length. */
const isSame = (given: string, expected: string): boolean => timingSafeEqual(digestOf(given), digestOf(expected))

const digestOf = (text: string) => createHash("sha256").update(text).digest()
