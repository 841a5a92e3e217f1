/** Tells public IP addresses from those of this machine, of private networks and of special ranges. */
import { BlockList, isIP } from "node:net"

/**
 * Ranges that no public name should resolve to (RFC 6890, RFC 4193), and ranges that embed another, possibly private
 * address (IPv4-compatible, NAT64, 6to4, Teredo).
 */
const PRIVATE = new BlockList()
for (const [network, prefix] of [
  ...([
    ["0.0.0.0", 8],
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
  ] as const),
  ...([
    ["172.16.0.0", 12],
    ["192.0.0.0", 24],
    ["192.168.0.0", 16],
    ["198.18.0.0", 15],
    ["224.0.0.0", 3],
  ] as const),
]) {
  PRIVATE.addSubnet(network, prefix)
}
for (const [network, prefix] of [
  ["::", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 32],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const) {
  PRIVATE.addSubnet(network, prefix, "ipv6")
}

/** Accepts IPv4 and IPv6; false for any other text. */
export const isPublic = (address: string): boolean => {
  const version = isIP(address)
  return version !== 0 && !PRIVATE.check(address, version === 6 ? "ipv6" : "ipv4")
}
