/** The address of another receiver of telemetry, as typed. */

import { Effect } from "effect"
import { canParseUrl } from "../../values/url/canParseUrl.ts"
import { BadInput } from "../command/BadInput.ts"

/**
 * Parses the address, which has no user or password: other users see arguments.
 *
 * @param input the option that names it
 * @param instead where to put what would prove the user
 */
export const parse = (input: string, typed: string, instead: string): Effect.Effect<URL, BadInput> => {
  const url = canParseUrl(typed) ? new URL(typed) : undefined
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:"))
    return new BadInput({ input, expected: "an address such as http://127.0.0.1:4319", found: JSON.stringify(typed) })
  return url.username === "" && url.password === ""
    ? Effect.succeed(url)
    : new BadInput({ input, expected: `an address without a user: ${instead}`, found: "one with a user or password" })
}
