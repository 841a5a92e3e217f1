/** Who may use a server on this machine: local programs that know its token, and no page of another site. */

import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { type Refusal, refusal, shown } from "./Refusal.ts"

/** 256 random bits in characters that are safe in a URL. */
export const newToken = (): string => randomBytes(32).toString("base64url")

export interface Headers {
  readonly host?: string | undefined
  readonly origin?: string | undefined
  readonly "sec-fetch-site"?: string | ReadonlyArray<string> | undefined
  readonly authorization?: string | undefined
}

/** The host comes first: another name that resolves to this machine is another site's (DNS rebinding). */
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

/** Refuses a request without the token. */
export const tokenRefusalOf = ({ authorization }: Headers, token: string): Refusal | undefined => {
  // The scheme is case-insensitive (RFC 9110 §11.1).
  if (authorization !== undefined && isSameText(authorization.replace(/^bearer /i, "Bearer "), `Bearer ${token}`))
    return undefined
  const expected = "the header Authorization: Bearer with the token"
  const found = authorization === undefined ? "none" : "another one"
  return refusal(401, "Unauthorized", expected, found, { "www-authenticate": "Bearer" })
}

/** Takes a time that reveals nothing about the expected text, not even its length. */
export const isSameText = (given: string, expected: string): boolean =>
  timingSafeEqual(digestOf(given), digestOf(expected))

const digestOf = (text: string) => createHash("sha256").update(text).digest()
