/** Where a proxy forwards each request, and what it tells a program's clients so that they ask the proxy. */

import { Data } from "effect"
import * as KeysInPaths from "../../agents/models/secrets/KeysInPaths.ts"
import { type Environment, FAMILIES, type Family } from "./Families.ts"

/** A variable names no address. Correct it, or remove it. */
export class BadAddress extends Data.TaggedError("BadAddress")<{ readonly variable: string; readonly found: string }> {
  override get message() {
    return `${this.variable}: expected an address such as https://api.example.com/v1, found ${JSON.stringify(this.found)}. Correct the variable, or remove it: then the proxy forwards to the provider.`
  }
}

/** Where a request is forwarded. */
export interface Target {
  readonly url: URL
  readonly family: Family
}

/** The ways through a proxy. */
export interface Routes {
  /** The variables of a program whose clients are to ask the proxy there. */
  readonly variables: (proxy: string) => { readonly [name: string]: string }
  /**
   * Where a request goes; undefined if its path says nothing of a provider.
   *
   * @param path with its query, as it came
   * @param region the one that the request was signed for
   */
  readonly target: (path: string, region?: string) => Target | undefined
  /** The addresses that variables name, by the variable, with the keys in their paths and queries, without users and passwords. */
  readonly named: { readonly [variable: string]: string }
}

/** A way to a provider. */
interface Route {
  readonly prefix: string
  readonly family: Family
  /** Where a variable names it: its address without the version, the version that is part of it, and the query that belongs to every request. */
  readonly named?: { readonly root: string; readonly version: string; readonly query: string; readonly user: string }
}

/**
 * The ways for a program with this environment: to what its variables name, otherwise to the provider itself. A variable that is
 * not set leads where another one of the same provider does.
 *
 * @param secret part of the prefixes of providers whose requests the proxy signs: who does not know it, gets no signature
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

/** What follows a prefix. */
const rest = (path: string, prefix: string): string | undefined =>
  path.startsWith(prefix) ? path.slice(prefix.length) : undefined

/** AWS has a variable for all of its services. */
const generalOf = ({ isSigned }: Family, env: Environment): string | undefined =>
  (isSigned === true && env.AWS_ENDPOINT_URL) || undefined

const isOf = (family: Family, path: string): boolean => family.paths.test(withoutVersions(family, path).inner)

/** A path without its query and the versions at its beginning, of which a client may have put several, and the last of these. */
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

/** The fields of two queries. */
const joined = (first: string, second: string): string =>
  second.length > 1 && first !== "" ? `${first}&${second.slice(1)}` : first || second

/** A text that is no address, without what may be a user, a password or a key in it. */
const withoutUser = (text: string): string =>
  text
    .replace(/^(.*?:\/*)?.*@/s, "$1")
    .replace(/[?#].*$/s, "")
    .split("/")
    .map((part) => (KeysInPaths.looksLikeKey(part) ? "[redacted]" : part))
    .join("/")

/** The parts of an address that a variable names. `OLLAMA_HOST` may be a host alone, or one to listen on. */
const namedBy = (text: string, variable: string, { name, versions }: Family): NonNullable<Route["named"]> => {
  const address = name === "ollama" ? ollamaOf(text) : text
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
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
  if (!URL.canParse(address)) return text
  const url = new URL(address)
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1"
  if (url.port === "" && !/:(80|443)(\/|$)/.test(address) && url.protocol === "http:") url.port = "11434"
  return url.href
}
