/** Sets up interception of all of a program's requests: an authority that it trusts, and its environment variables. */

import * as Authority from "./Authority.ts"
import type { Environment } from "./Families.ts"
import * as Interception from "./Interception.ts"
import type { Unrecorded } from "./Upgrades.ts"

/** Variables that name an HTTP proxy. Some clients read the lower-case ones, others the upper-case ones. */
const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]

/**
 * Variables that exempt hosts from a proxy. They are emptied: exempt requests, even to this machine, would go
 * unrecorded.
 */
const EXCEPTIONS = ["NO_PROXY", "no_proxy"]

/** @param file receives the certificates that the program is to trust */
export const make = async (file: string, env: Environment, { counts, answers }: Unrecorded) => {
  const authority = await Authority.make()
  const onUnread = (place: string) => void counts.set(place, (counts.get(place) ?? 0) + 1)
  return {
    interception: Interception.make(authority, onUnread, { passesOthers: answers }),
    variables: (proxy: string) => ({
      ...Object.fromEntries(PROXIES.map((name) => [name, proxy])),
      ...Object.fromEntries(EXCEPTIONS.map((name) => [name, ""])),
      ...Authority.trusted(file, authority, env),
      // Node 22.21 and 24.5 and later use proxy variables only with this.
      NODE_USE_ENV_PROXY: "1",
    }),
  }
}
