/** Closes the network to a process that is answered from a recording, and to what it starts. */

import * as fs from "node:fs"
import * as AllowedHosts from "../network/AllowedHosts.ts"
import * as ClosedNetwork from "../network/ClosedNetwork.ts"
import * as Doors from "../network/Doors.ts"
import * as Children from "./Children.ts"
import type * as ProcessRun from "./ProcessRun.ts"

/** @param isClosed whether it is closed now. A child is what it is when the child starts. Default: always */
export const close = (closed: ProcessRun.Closed, isClosed: () => boolean = () => true): void => {
  Doors.hang()
  ClosedNetwork.close({
    isClosed,
    allowed: closed.allow.flatMap((text) => AllowedHosts.parse(text) ?? []),
    advice: (host) => `If the program needs it in a replay, add --allow-host ${host}.`,
    onAttempt: (attempt) => fs.appendFileSync(closed.attempts, `${JSON.stringify(attempt)}\n`),
  })
  Children.tell(closed.preload, () => (isClosed() ? { does: "close", closed } : undefined))
}
