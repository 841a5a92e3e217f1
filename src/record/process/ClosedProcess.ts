/** Closes the network to a process that is answered from a recording, and to what it starts. */

import * as fs from "node:fs"
import * as path from "node:path"
import type { Fetch } from "../../agents/models/Fetch.ts"
import * as AllowedHosts from "../network/AllowedHosts.ts"
import * as AnsweringServer from "../network/AnsweringServer.ts"
import * as ClosedNetwork from "../network/ClosedNetwork.ts"
import * as Doors from "../network/Doors.ts"
import * as Children from "./Children.ts"
import type * as ProcessRun from "./ProcessRun.ts"

/** How far a process is closed. */
export interface Closing {
  /** Answers its requests of HTTP, by whichever client. Default: none is answered. */
  readonly fetch?: Fetch
  /** Whether it is closed now to all but that. A child is what it is when the child starts. Default: always. */
  readonly isClosed?: () => boolean
}

/** Closes the network for the rest of the process. */
export const close = async (
  closed: ProcessRun.Closed,
  { fetch, isClosed = () => true }: Closing = {},
): Promise<void> => {
  Doors.hang()
  const closing: ClosedNetwork.Closing = {
    isClosed,
    allowed: closed.allow.flatMap((text) => AllowedHosts.parse(text) ?? []),
    advice: (host) => `If the program needs it in a replay, add --allow-host ${host}.`,
    onAttempt: (attempt) => fs.appendFileSync(closed.attempts, `${JSON.stringify(attempt)}\n`),
  }
  Children.tell(closed.preload, () => (isClosed() ? { does: "close", closed } : undefined))
  if (fetch === undefined) return ClosedNetwork.close(closing)
  const answering = await AnsweringServer.start(placeOf(closed), fetch, (place) =>
    ClosedNetwork.refused(closing, "connection", place, close),
  )
  ClosedNetwork.close({ ...closing, answering })
}

/** Where the process answers its requests. */
const placeOf = ({ attempts }: ProcessRun.Closed): string =>
  process.platform === "win32"
    ? `\\\\.\\pipe\\hindcast-answers-${process.pid}`
    : path.join(path.dirname(attempts), `answers-${process.pid}.sock`)
