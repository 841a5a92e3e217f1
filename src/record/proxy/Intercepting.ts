/** What a proxy needs to take all that a program asks of any server: an authority that the program trusts, and its variables. */

import * as Authority from "./Authority.ts"
import type { Environment } from "./Families.ts"
import * as Interception from "./Interception.ts"
import type { Unrecorded } from "./Upgrades.ts"

/** The variables that name an HTTP proxy. Some clients read the small ones, others the large ones. */
const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]

/** The variables that keep hosts from a proxy. Nothing is kept from this one, also not what is on this machine: it would not be recorded. */
const EXCEPTIONS = ["NO_PROXY", "no_proxy"]

/** @param file where the certificates are written that the program is to trust */
export const make = async (file: string, env: Environment, { counts, answers }: Unrecorded) => {
  const authority = await Authority.make()
  const onUnread = (place: string) => void counts.set(place, (counts.get(place) ?? 0) + 1)
  return {
    interception: Interception.make(authority, onUnread, { passesOthers: answers }),
    variables: (proxy: string) => ({
      ...Object.fromEntries(PROXIES.map((name) => [name, proxy])),
      ...Object.fromEntries(EXCEPTIONS.map((name) => [name, ""])),
      ...Authority.trusted(file, authority, env),
      // Node reads the variables of proxies from 22.21 and 24.5 on, where it is told to.
      NODE_USE_ENV_PROXY: "1",
    }),
  }
}
