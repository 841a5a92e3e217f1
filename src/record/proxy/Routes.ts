/** Routes of a proxy: where it forwards each request, and the variables that point a program's clients to it. */

import { Data } from "effect"
import * as KeysInPaths from "../../agents/models/secrets/KeysInPaths.ts"
import { canParseUrl } from "../../values/url/canParseUrl.ts"
import { type Environment, FAMILIES, type Family } from "./Families.ts"

/** A variable holds no valid address. Correct or remove it. */
export class BadAddress extends Data.TaggedError("BadAddress")<{ readonly variable: string; readonly found: string }> {
  override get message() {
    return `${this.variable}: expected an address such as https://api.example.com/v1, found ${JSON.stringify(this.found)}. Correct the variable, or remove it: then the proxy forwards to the provider.`
  }
}

export interface Target {
  readonly url: URL
  readonly family: Family
}

export interface Routes {
  /** The environment variables that point a program's clients to the proxy at this URL. */
  readonly variables: (proxy: string) => { readonly [name: string]: string }
  /**
   * The target of a request; undefined if its path belongs to no provider.
   *
   * @param path with its query, as sent
   * @param region the region that the request was signed for
   */
  readonly target: (path: string, region?: string) => Target | undefined
  /** The addresses that variables name, including keys in paths and queries, without users and passwords. */
  readonly named: { readonly [variable: string]: string }
}

interface Route {
  readonly prefix: string
  readonly family: Family
  /** Set if a variable names the address: root without version, version, query for every request, and user. */
  readonly named?: { readonly root: string; readonly version: string; readonly query: string; readonly user: string }
}

/**
 * Builds the routes for an environment: to the addresses in its variables, otherwise to the providers themselves. An
 * unset variable follows another one of the same provider.
 *
 * @param secret added to the prefixes of providers whose requests the proxy signs, so that only those who know it get a
 *   signature
 */
export const of = (env: Environment, secret = ""): Routes => {
  const routes: Array<Route> = []
  const variables: Array<{ readonly name: string; readonly path: string; readonly user: string }> = []
  const named: { [name: string]: string } = {}
  for (const family of FAMILIES) {
    const own = new Map<string, Route>()
    const routeOf = (address: string | undefined, variable: string): Route | undefined => {
      const known = own.get(address ?? "")
      if (known !== undefined) return known
      if (address === undefined && family.own === undefined) return undefined
      const number = own.size === 0 ? "" : `-${own.size + 1}`
      const prefix = `/${family.name}${number}${family.isSigned === true && secret !== "" ? `-${secret}` : ""}`
      const route = { prefix, family, ...(address === undefined ? {} : { named: namedBy(address, variable, family) }) }
      own.set(address ?? "", route)
      routes.push(route)
      return route
    }
    const addresses = family.variables.map(({ name }) => [name, env[name] || generalOf(family, env)] as const)
    const [, first] = addresses.find(([, address]) => address !== undefined) ?? []
    for (const [index, { name, suffix = "" }] of family.variables.entries()) {
      const address = addresses[index]?.[1] ?? first
      const route = routeOf(address, name)
      if (route === undefined) continue
      if (route.named !== undefined) named[name] = route.named.root + route.named.version + route.named.query
      variables.push({ name, path: route.prefix + suffix, user: route.named?.user ?? "" })
    }
  }
  return {
    named,
    variables: (proxy) => {
      const { host } = new URL(proxy)
      return Object.fromEntries(variables.map(({ name, path, user }) => [name, `http://${user}${host}${path}`]))
    },
    target: (path, region) => {
      const prefixed = routes.find(({ prefix }) => /^([/?]|$)/.test(rest(path, prefix) ?? "none"))
      const inner = prefixed === undefined ? path : (rest(path, prefixed.prefix) ?? "")
      const route = prefixed ?? routes.find(({ family }) => family.isFoundByPath && isOf(family, inner))
      return route === undefined ? undefined : { url: urlOf(route, inner, { env, region }), family: route.family }
    },
  }
}

const rest = (path: string, prefix: string): string | undefined =>
  path.startsWith(prefix) ? path.slice(prefix.length) : undefined

/** AWS has one variable for all services. */
const generalOf = ({ isSigned }: Family, env: Environment): string | undefined =>
  (isSigned === true && env.AWS_ENDPOINT_URL) || undefined

const isOf = (family: Family, path: string): boolean => family.paths.test(withoutVersions(family, path).inner)

/** Strips the query and any version prefixes, of which clients may add several; `version` is the last one. */
const withoutVersions = ({ versions }: Family, path: string) => {
  const [, whole = "", query = ""] = /^([^?]*)(.*)$/s.exec(path) ?? []
  let inner = whole
  let version: string | undefined
  for (;;) {
    const found = versions.find((one) => inner === one || inner.startsWith(`${one}/`))
    if (found === undefined) return { inner, version, query }
    version = found
    inner = inner.slice(found.length)
  }
}

const urlOf = (
  { family, named }: Route,
  path: string,
  place: { readonly env: Environment; readonly region: string | undefined },
): URL => {
  const { inner, version, query: own } = withoutVersions(family, path)
  const query = joined(named?.query ?? "", own)
  const root = named?.root ?? family.own?.({ ...place, path: inner }) ?? ""
  if (family.isVersioned === true) return new URL(root + (named?.version ?? "") + inner + query)
  const meant = version ?? (family.paths.test(inner) ? named?.version || family.versions[0] : undefined) ?? ""
  return new URL(root + meant + inner + query)
}

const joined = (first: string, second: string): string =>
  second.length > 1 && first !== "" ? `${first}&${second.slice(1)}` : first || second

/** Redacts possible users, passwords and keys in an invalid address. */
const withoutUser = (text: string): string =>
  text
    .replace(/^(.*?:\/*)?.*@/s, "$1")
    .replace(/[?#].*$/s, "")
    .split("/")
    .map((part) => (KeysInPaths.looksLikeKey(part) ? "[redacted]" : part))
    .join("/")

/** Splits an address from a variable. `OLLAMA_HOST` may be a bare host, or one to listen on. */
const namedBy = (text: string, variable: string, { name, versions }: Family): NonNullable<Route["named"]> => {
  const address = name === "ollama" ? ollamaOf(text) : text
  if (!/^https?:\/\//i.test(address) || !canParseUrl(address)) {
    throw new BadAddress({ variable, found: withoutUser(text) })
  }
  const url = new URL(address)
  const user = url.username === "" ? "" : `${url.username}:${url.password}@`
  const path = url.pathname.replace(/\/+$/, "")
  const version = versions.find((one) => path.endsWith(one)) ?? ""
  return { root: url.origin + path.slice(0, path.length - version.length), version, query: url.search, user }
}

const ollamaOf = (text: string): string => {
  const address = /^https?:\/\//i.test(text) ? text : `http://${text.startsWith(":") ? "127.0.0.1" : ""}${text}`
  if (!canParseUrl(address)) return text
  const url = new URL(address)
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1"
  if (url.port === "" && !/:(80|443)(\/|$)/.test(address) && url.protocol === "http:") url.port = "11434"
  return url.href
}
