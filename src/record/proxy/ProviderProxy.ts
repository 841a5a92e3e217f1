/** A proxy on the loopback between a program and its models: the program's variables lead its clients to it. */

import { randomBytes } from "node:crypto"
import type { Environment } from "./Families.ts"
import * as Forwarding from "./Forwarding.ts"
import * as ProxyServer from "./ProxyServer.ts"
import * as RecordingProxy from "./RecordingProxy.ts"
import * as Routes from "./Routes.ts"
import * as Upgrades from "./Upgrades.ts"

/** A proxy at work. */
export interface ProviderProxy {
  readonly url: string
  /** What the program's environment is to have besides. */
  readonly variables: { readonly [name: string]: string }
  /** What passed it and was not recorded: how many connections, by host and path. */
  readonly unrecorded: ReadonlyMap<string, number>
  readonly close: () => Promise<void>
}

/** Starts a proxy that forwards and records. Rejects with `BadAddress` if a variable names no address, and with `PortUnavailable`. */
export const recording = async (
  exchange: RecordingProxy.RecordingParts["exchange"],
  env: Environment,
  { port = 0, host }: { readonly port?: number; readonly host?: string } = {},
): Promise<ProviderProxy> => {
  const routes = Routes.of(env, randomBytes(12).toString("hex"))
  const forwarding = Forwarding.make()
  const parts = { routes, forwarding, env, exchange }
  const upgrades = Upgrades.passing(routes, forwarding)
  const server = await ProxyServer.listen({
    ...{ port, ...(host === undefined ? {} : { host }) },
    answer: (incoming) => RecordingProxy.answer(parts, incoming),
    upgrade: upgrades.pass,
  })
  return {
    url: server.url,
    variables: { ...routes.variables(server.url), ...withoutProxies(env) },
    unrecorded: upgrades.counts,
    close: async () => {
      await server.close()
      forwarding.close()
    },
  }
}

/** No client asks for the loopback by another proxy. Some read the first name, others the second; httpx fails on an IPv6 address there. */
const withoutProxies = (env: Environment) => {
  const hosts = new Set([...(env.no_proxy || env.NO_PROXY || "").split(","), "127.0.0.1", "localhost"])
  const value = [...hosts].filter((one) => one.trim() !== "").join(",")
  return { NO_PROXY: value, no_proxy: value }
}
