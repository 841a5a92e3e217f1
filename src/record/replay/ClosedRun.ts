/** Closes the network to what a program does in a replay, and to nothing else of its process. */

import * as AllowedHosts from "../network/AllowedHosts.ts"
import { described } from "../network/Attempt.ts"
import * as ClosedNetwork from "../network/ClosedNetwork.ts"
import type { Playback } from "./Playback.ts"

/** How far it is closed. */
export interface Closing {
  /** The hosts that it may reach, as `allowHosts` names them. */
  readonly allowHosts: ReadonlyArray<string>
  /** Whether it is closed now. */
  readonly isClosed: () => boolean
}

/**
 * Runs a program with the network closed: what it opens is refused, and diverges. What a `run` makes for real is not, nor is what other
 * code of the process does meanwhile.
 */
export const during = async <A>(
  playback: Playback,
  { allowHosts, isClosed }: Closing,
  program: () => A,
): Promise<Awaited<A>> => {
  const Doors = await import("../network/Doors.ts")
  Doors.hang()
  const closing: ClosedNetwork.Closing = {
    isClosed,
    allowed: allowHosts.flatMap((text) => AllowedHosts.parse(text) ?? []),
    advice: (host) => `If the program needs it in a replay, add allowHosts: ["${host}"].`,
    onAttempt: (attempt) => {
      const now = `${described(attempt)}, ${attempt.at === null ? "from no frame of the program's own" : `at ${attempt.at}`}`
      playback.diverge(attempt.means, null, {
        where: "the network",
        recorded: "nothing, for a replay is closed to it",
        now,
      })
    },
  }
  return await ClosedNetwork.during(closing, program)
}
