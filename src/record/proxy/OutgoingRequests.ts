/** Sends a proxy's outgoing requests unchanged over HTTP/1.1, through proxies that the environment names. */

import * as http from "node:http"
import * as https from "node:https"
import type { Duplex } from "node:stream"
import type { Environment } from "./Families.ts"
import * as Roots from "./Roots.ts"

export interface Outgoing {
  readonly method: string
  readonly url: URL
  /** Alternating names and values, in original order and case. */
  readonly headers: ReadonlyArray<string>
  readonly body: Uint8Array
  readonly signal: AbortSignal
}

/** Rejects if no answer begins. */
export interface OutgoingRequests {
  readonly send: (outgoing: Outgoing) => Promise<http.IncomingMessage>
  /** Requests another protocol. There is no socket if the server refuses. */
  readonly upgrade: (outgoing: Outgoing) => Promise<Upgraded>
  readonly close: () => void
}

export interface Upgraded {
  readonly answer: http.IncomingMessage
  readonly socket?: Duplex
  /** Data that came with the answer. */
  readonly head: Buffer
}

/** Milliseconds before an idle connection is closed. Most servers close later. */
const KEPT_MS = 4_000

/** @param env may name certificates to trust in addition to Node's */
export const make = (env: Environment = process.env): OutgoingRequests => {
  const ca = Roots.trustedBy(env)
  const direct = {
    "http:": new http.Agent({ keepAlive: true, timeout: KEPT_MS }),
    "https:": new https.Agent({ keepAlive: true, timeout: KEPT_MS }),
  }
  const proxied = new Map<string, http.Agent>()
  const keptAgent = async (url: URL): Promise<http.Agent> => {
    const protocol = protocolOf(url)
    const proxy = await proxyFor(url)
    if (proxy === "") return direct[protocol]
    const key = `${protocol} ${proxy}`
    const known = proxied.get(key) ?? (await proxyAgent(protocol, proxy, true))
    proxied.set(key, known)
    return known
  }
  const separately = async (outgoing: Outgoing): Promise<Upgraded> => {
    const proxy = await proxyFor(outgoing.url)
    return once(outgoing, proxy !== "" && (await proxyAgent(protocolOf(outgoing.url), proxy, false)), ca)
  }
  return {
    send: async (outgoing) => {
      const agent = await keptAgent(outgoing.url)
      try {
        return (await once(outgoing, agent, ca)).answer
      } catch (error) {
        // A kept-alive connection was reset before any answer: most likely the server closed it and read nothing.
        if (!(error instanceof StaleConnection)) throw error
        return (await separately(outgoing)).answer
      }
    },
    upgrade: separately,
    close: () => {
      for (const agent of [...Object.values(direct), ...proxied.values()]) agent.destroy()
    },
  }
}

type Protocol = "http:" | "https:"

const protocolOf = ({ protocol }: URL): Protocol => (protocol === "https:" ? "https:" : "http:")

/** Empty for a direct connection. */
const proxyFor = async (url: URL): Promise<string> =>
  isLoopback(url) ? "" : (await import("proxy-from-env")).getProxyForUrl(url.href)

const proxyAgent = async (protocol: Protocol, proxy: string, keepAlive: boolean): Promise<http.Agent> => {
  if (protocol === "https:") return new (await import("https-proxy-agent")).HttpsProxyAgent(proxy, { keepAlive })
  return new (await import("http-proxy-agent")).HttpProxyAgent(proxy, { keepAlive })
}

/** Addresses of this machine bypass proxies. */
const isLoopback = ({ hostname }: URL): boolean => /^(127\.[\d.]+|\[::1\]|localhost)$/.test(hostname)

class StaleConnection extends Error {}

/** @param agent false for a separate, direct connection */
const once = (
  { method, url, headers, body, signal }: Outgoing,
  agent: http.Agent | false,
  ca: ReadonlyArray<string> | undefined,
) =>
  new Promise<Upgraded>((resolve, reject) => {
    // A proxy's agent reads them while the request is made.
    const options = { method, agent, headers: grouped(headers), setHost: false, signal }
    const isSecure = url.protocol === "https:"
    const sent = isSecure
      ? https.request(url, { ...options, ...(ca === undefined ? {} : { ca: [...ca] }) })
      : http.request(url, options)
    sent.on("response", (answer) => resolve({ answer, head: Buffer.alloc(0) }))
    sent.on("upgrade", (answer, socket, head) => resolve({ answer, socket, head }))
    sent.on("error", (error: NodeJS.ErrnoException) => {
      const isStale = sent.reusedSocket && /^(ECONNRESET|EPIPE)$/.test(error.code ?? "")
      reject(isStale ? new StaleConnection() : error)
    })
    sent.end(body)
  })

const grouped = (headers: ReadonlyArray<string>): http.OutgoingHttpHeaders => {
  const values = new Map<string, { readonly name: string; readonly values: Array<string> }>()
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const [name = "", value = ""] = headers.slice(index, index + 2)
    const known = values.get(name.toLowerCase())
    if (known === undefined) values.set(name.toLowerCase(), { name, values: [value] })
    else known.values.push(value)
  }
  return Object.fromEntries(
    Array.from(values.values(), ({ name, values }) => [name, values.length === 1 ? values[0] : values]),
  )
}
