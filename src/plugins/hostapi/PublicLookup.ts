/** Resolves names for connections of plugins: a name that leads to this machine or to a private network fails. */
import type { lookup } from "node:dns"
import type { LookupFunction } from "node:net"
import { isPublic } from "./addresses.ts"

export class PrivateAddress extends Error {}

/** Whether a name means this machine by definition. IP addresses need no lookup. */
export const isLocalName = (hostname: string): boolean => hostname === "localhost" || hostname.endsWith(".localhost")

/** Addresses that a lookup lets pass, and the advice of its error. */
export interface PublicOnly {
  /** Addresses that a person granted, and to which names may lead. */
  readonly granted?: ReadonlyArray<string>
  /** What to do in place of the request. */
  readonly advice: string
}

/**
 * `dns.lookup`, except that names with an address of this machine or of a private network fail: the name's owner can
 * point it there. The connection goes to the address that was checked.
 */
export const publicOnly =
  (find: typeof lookup, { granted = [], advice }: PublicOnly): LookupFunction =>
  (hostname, options, callback) =>
    find(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, "", 0)
      const bad = addresses.find(({ address }) => !isPublic(address) && !granted.includes(address))
      if (bad !== undefined) {
        const found = `expected an address of the public network, found ${bad.address} for ${hostname}: ${advice}`
        return callback(new PrivateAddress(found), "", 0)
      }
      const [first] = addresses
      if (options.all === true) return callback(null, addresses)
      return callback(null, first?.address ?? "", first?.family ?? 0)
    })
