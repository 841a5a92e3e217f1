/** Closes the network for a program replayed inside a function, not for the rest of its process. */

import * as AllowedHosts from "../network/AllowedHosts.ts"
import * as ClosedNetwork from "../network/ClosedNetwork.ts"
import { described } from "../network/NetworkAttempt.ts"
import type { Playback } from "./Playback.ts"

export interface Closing {
  readonly allowHosts: ReadonlyArray<string>
  readonly isClosed: () => boolean
}

/**
 * Runs a program with the network closed: its connections are refused and diverge. Calls that a run makes for real, and
 * other code of the process, are not affected.
 */
export const during = async <A>(
  playback: Playback,
  { allowHosts, isClosed }: Closing,
  program: () => A,
): Promise<Awaited<A>> => {
  const NetworkPatches = await import("../network/NetworkPatches.ts")
  NetworkPatches.install()
  const closing: ClosedNetwork.Closing = {
    isClosed,
    allowed: allowHosts.flatMap((text) => AllowedHosts.parse(text) ?? []),
    advice: (host) => `If the program needs it in a replay, add allowHosts: ["${host}"].`,
    onAttempt: (attempt) => {
      const now = `${described(attempt)}, ${attempt.at === null ? "from outside the program's code" : `at ${attempt.at}`}`
      playback.diverge(attempt.means, null, {
        where: "the network",
        recorded: "no access during a replay",
        now,
      })
    },
  }
  return await ClosedNetwork.during(closing, program)
}
