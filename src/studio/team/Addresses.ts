/** The addresses of proxies, and the address of the person who asks. */

import type { IncomingMessage } from "node:http"
import { BlockList, isIP } from "node:net"
import { Schema } from "effect"

/** An address, or a network: `10.0.0.2`, `10.0.0.0/8`, `fd00::/8`. */
export const Network: Schema.Schema<string> = Schema.String.pipe(
  Schema.filter((text) => partsOf(text) !== undefined),
  Schema.annotations({ description: "an IP address or a network, such as 10.0.0.2 or 10.0.0.0/8" }),
)

export const Address: Schema.Schema<string> = Schema.String.pipe(
  Schema.filter((text) => isIP(text) !== 0),
  Schema.annotations({ description: "an IP address to listen on, such as 127.0.0.1 or 0.0.0.0" }),
)

type Family = "ipv4" | "ipv6"

const partsOf = (text: string): { readonly ip: string; readonly family: Family; readonly bits: number } | undefined => {
  const [, ip = "", typed] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(ip)
  if (version === 0) return undefined
  const most = version === 4 ? 32 : 128
  const bits = typed === undefined ? most : Number(typed)
  // A network of every address would trust everybody.
  return bits < 1 || bits > most ? undefined : { ip, family: version === 4 ? "ipv4" : "ipv6", bits }
}

/** Tells whether an address is in one of the networks. */
export const within = (networks: ReadonlyArray<string>): ((address: string) => boolean) => {
  const list = new BlockList()
  for (const network of networks) {
    const parts = partsOf(network)
    if (parts !== undefined) list.addSubnet(parts.ip, parts.bits, parts.family)
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6")
}

const isOfLoopback = within(["127.0.0.0/8", "::1"])

/** Whether a network has an address that every user of this machine can connect from. */
export const includesLoopback = (network: string): boolean =>
  isOfLoopback(network.split("/")[0] ?? "") || within([network])("127.0.0.1") || within([network])("::1")

/** The address of the connection. Sockets of IPv6 show IPv4 addresses as `::ffff:10.0.0.2`. */
export const ofConnection = ({ socket }: IncomingMessage): string =>
  (socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/i, "")

/**
 * The address of the person's machine: behind proxies, the last of `X-Forwarded-For` that is no proxy of ours. Anybody
 * could have sent the earlier ones.
 */
export const ofPerson = (request: IncomingMessage, isProxy: (address: string) => boolean): string => {
  const own = ofConnection(request)
  if (!isProxy(own)) return own
  const named = String(request.headers["x-forwarded-for"] ?? "").split(",")
  const found = named
    .map((text) => text.trim())
    .reverse()
    .find((address) => !isProxy(address))
  return found !== undefined && isIP(found) !== 0 ? found : own
}

/** One key for all addresses of a subscriber: an IPv6 network has 2^64 of them. */
export const subscriberOf = (address: string): string => {
  if (isIP(address) !== 6) return address
  const [head = "", tail] = address.split("%")[0]?.split("::") ?? []
  const groups = (text: string) => (text === "" ? [] : text.split(":"))
  const before = groups(head)
  const after = tail === undefined ? [] : groups(tail)
  const missing = Math.max(0, 8 - before.length - after.length)
  const all = [...before, ...Array.from({ length: tail === undefined ? 0 : missing }, () => "0"), ...after]
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")
}
