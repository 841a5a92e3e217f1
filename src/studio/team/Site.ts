/**
 * The first check of each request to a shared Studio: who connects, under which name, and from which page. It reads only
 * the connection and the headers.
 */

import type { IncomingMessage } from "node:http"
import { isSameText } from "../../platform/loopback/Access.ts"
import { type Refusal, refusal, shown } from "../../platform/loopback/Refusal.ts"
import { canParseUrl } from "../../values/url/canParseUrl.ts"
import * as Addresses from "./Addresses.ts"

export interface Site {
  readonly origins: ReadonlyArray<string>
  /** Whether only a proxy may connect, and from where. */
  readonly isProxy: ((address: string) => boolean) | undefined
  /** The value of `X-Hindcast-Proxy` that the proxy sends. */
  readonly proxySecret: string | undefined
  /** Further headers that may occur once, in lower case: those that name a person. */
  readonly once: ReadonlyArray<string>
}

/** A proxy and Studio could read different ones of two such headers. */
const ONCE = ["host", "origin", "cookie", "content-type", "content-length", "x-hindcast-csrf", "x-hindcast-proxy"]

export const refusalOf = (site: Site, request: IncomingMessage): Refusal | undefined =>
  ofConnection(site, request) ?? ofNames(site, request) ?? ofOrigin(site, request)

const ofConnection = ({ isProxy, proxySecret }: Site, request: IncomingMessage): Refusal | undefined => {
  if (isProxy !== undefined && !isProxy(Addresses.ofConnection(request))) {
    return refusal(403, "ForbiddenAddress", "a connection from a proxy that the share file names", "another address")
  }
  const secret = request.headers["x-hindcast-proxy"]
  if (proxySecret !== undefined && !isSameText(typeof secret === "string" ? secret : "", proxySecret)) {
    const found = secret === undefined ? "none" : "another one"
    return refusal(403, "ForbiddenAddress", "the proxy's secret in X-Hindcast-Proxy", found)
  }
  return undefined
}

const ofNames = ({ once, origins }: Site, { rawHeaders, headers }: IncomingMessage): Refusal | undefined => {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  const twice = [...ONCE, ...once].find((name) => names.indexOf(name) !== names.lastIndexOf(name))
  if (twice !== undefined) return refusal(400, "DuplicateHeader", `the header ${twice} once`, "it several times")
  const hosts = origins.map((origin) => new URL(origin).host)
  const host = headers.host ?? ""
  if (!hosts.includes(host.toLowerCase().replace(/:443$/, ""))) {
    return refusal(403, "ForbiddenHost", `the host ${hosts.join(", ")}`, shown(host))
  }
  return undefined
}

const ofOrigin = ({ origins }: Site, { headers, method, url = "/" }: IncomingMessage): Refusal | undefined => {
  const { origin } = headers
  if (origin !== undefined && !origins.includes(origin)) {
    return refusal(403, "ForbiddenOrigin", "no origin, or Studio's own", shown(origin))
  }
  // Every browser sends an origin with an order. Without one, nothing shows that Studio's page gave it.
  if (origin === undefined && method !== "GET" && method !== "HEAD") {
    return refusal(403, "ForbiddenOrigin", `the origin ${origins.join(", ")}`, "none")
  }
  const from = headers["sec-fetch-site"]
  if (from === undefined || from === "same-origin" || from === "none") return undefined
  // A link in a mail or a chat may lead to the page, whose files hold no data. Its own requests are of the same origin.
  const isLink =
    method === "GET" && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document"
  const path = canParseUrl(url, ANY) ? new URL(url, ANY).pathname : "/api"
  if (isLink && path !== "/api" && !path.startsWith("/api/")) return undefined
  return refusal(403, "ForbiddenSite", "no Sec-Fetch-Site, or same-origin or none", shown(String(from)))
}

/** Only to parse a path. */
const ANY = "https://studio.invalid"
