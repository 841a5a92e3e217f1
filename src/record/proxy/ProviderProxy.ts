/** A local proxy between a program and its models. The program's environment variables point its clients to it. */

import { randomBytes } from "node:crypto"
import { defined } from "../../values/defined.ts"
import * as Redaction from "../http/Redaction.ts"
import * as AnsweringProxy from "./AnsweringProxy.ts"
import type * as CallsOfRun from "./CallsOfRun.ts"
import type { Environment } from "./Families.ts"
import * as ProxyServer from "./ProxyServer.ts"
import * as RecordingProxy from "./RecordingProxy.ts"
import * as Routes from "./Routes.ts"
import * as RunCalls from "./RunCalls.ts"
import * as Upgrades from "./Upgrades.ts"

export interface ProviderProxy {
  readonly url: string
  readonly variables: { readonly [name: string]: string }
  /** Number of unrecorded connections, such as WebSockets, by host and path. */
  readonly unrecorded: ReadonlyMap<string, number>
  readonly close: () => Promise<void>
}

/** Routes for a program with this environment. Throws `BadAddress` for an invalid address. */
export const routes = (env: Environment): Routes.Routes => Routes.of(env, randomBytes(12).toString("hex"))

export const namedSafely = ({ named }: Routes.Routes): { readonly [variable: string]: string } => {
  const redaction = Redaction.make()
  return Object.fromEntries(Object.entries(named).map(([name, address]) => [name, redaction.url(address)]))
}

/** Restores recorded addresses in an environment. A redacted one is replaced by the environment's own, if set. */
export const withAddresses = (env: Environment, addresses: { readonly [variable: string]: string }): Environment => ({
  ...env,
  ...Object.fromEntries(
    Object.entries(addresses).map(([name, address]) => [name, (REDACTED.test(address) && env[name]) || address]),
  ),
})

const REDACTED = /\[redacted\]|%5Bredacted%5D/i

interface Listening {
  readonly port?: number
  readonly host?: string
  /**
   * Certificate file of an authority for this run; the proxy then intercepts requests to all servers. Default: only
   * requests to providers' paths.
   */
  readonly trusted?: string
  /** Takes the program's own calls. Default: it cannot tell of any. */
  readonly calls?: CallsOfRun.CallsOfRun
}

/** Starts a proxy that forwards and records. Rejects with `PortUnavailable`. */
export const recording = (
  parts: RecordingProxy.RecordingParts & { readonly env: Environment },
  listening: Listening = {},
): Promise<ProviderProxy> => {
  const upgrades = Upgrades.passing(parts.routes, parts.forwarding)
  return serving(parts, listening, upgrades, (incoming) => RecordingProxy.answer(parts, incoming))
}

/** Starts a proxy that answers with the `fetch` of a replayed or forked run. Rejects with `PortUnavailable`. */
export const answering = (
  parts: AnsweringProxy.AnsweringParts & { readonly env: Environment },
  listening: Listening = {},
): Promise<ProviderProxy> =>
  serving(parts, listening, Upgrades.refusing(parts.routes), (incoming) => AnsweringProxy.answer(parts, incoming))

const serving = async (
  { routes, env }: { readonly routes: Routes.Routes; readonly env: Environment },
  { port = 0, host, trusted, calls: own }: Listening,
  upgrades: Upgrades.Unrecorded,
  answer: ProxyServer.Serving["answer"],
): Promise<ProviderProxy> => {
  const intercepting = trusted === undefined ? undefined : await import("./InterceptionSetup.ts")
  const intercepted = await intercepting?.make(trusted ?? "", env, upgrades)
  const calls = own && RunCalls.make(own)
  const server = await ProxyServer.listen({
    port,
    ...defined({ host }),
    answer: (incoming) => (calls?.takes(incoming) === true ? calls.answer(incoming) : answer(incoming)),
    upgrade: upgrades.pass,
    ...(intercepted === undefined ? {} : { interception: intercepted.interception }),
  })
  return {
    url: server.url,
    variables: {
      ...(intercepted === undefined
        ? { ...routes.variables(server.url), ...withoutProxies(env) }
        : intercepted.variables(server.url)),
      ...(calls === undefined ? {} : { [RunCalls.VARIABLE]: server.url + calls.path }),
    },
    unrecorded: upgrades.counts,
    close: server.close,
  }
}

/**
 * Exempts the loopback from other proxies. Clients differ in which name they read; httpx fails on IPv6 addresses there.
 */
const withoutProxies = (env: Environment) => {
  const hosts = new Set([...(env.no_proxy || env.NO_PROXY || "").split(","), "127.0.0.1", "localhost"])
  const value = [...hosts].filter((one) => one.trim() !== "").join(",")
  return { NO_PROXY: value, no_proxy: value }
}
