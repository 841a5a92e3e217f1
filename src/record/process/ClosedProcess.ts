/** Closes the network for a whole replayed process and its children. */

import * as fs from "node:fs"
import * as path from "node:path"
import type { Fetch } from "../../agents/models/Fetch.ts"
import * as AllowedHosts from "../network/AllowedHosts.ts"
import * as AnsweringServer from "../network/AnsweringServer.ts"
import * as ClosedNetwork from "../network/ClosedNetwork.ts"
import * as NetworkPatches from "../network/NetworkPatches.ts"
import * as Unseen from "../network/Unseen.ts"
import * as BlockedThread from "./BlockedThread.ts"
import * as Children from "./Children.ts"
import type * as ProcessRun from "./ProcessRun.ts"

export interface Closing {
  /** Answers HTTP requests of the process and its children, from any client. */
  readonly fetch: Fetch
  /** Whether all else is closed now. A child keeps the state from its start. Default: always. */
  readonly isClosed?: () => boolean
}

/** Closes the network for the rest of the process. */
export const close = async (closed: ProcessRun.Closed, { fetch, isClosed = () => true }: Closing): Promise<void> => {
  const closing = closingOf(closed, isClosed)
  const answers = placeOf(closed)
  BlockedThread.share()
  const answering = await AnsweringServer.start(answers, fetch, (place) =>
    ClosedNetwork.refused(closing, "connection", place, close),
  )
  begin({ ...closing, answering }, { closed, answers, isClosed })
}

/** Closes the network in a worker thread or child of a closed process. */
export const follow = ({ closed, answers, isOpen }: ProcessRun.Closing): void => {
  const isClosed = () => !isOpen
  const closing = closingOf(closed, isClosed)
  const answering =
    answers === undefined
      ? {}
      : { answering: AnsweringServer.leadingTo(answers, BlockedThread.watching(closed.attempts)) }
  begin({ ...closing, ...answering }, { closed, answers, isClosed })
}

const closingOf = (closed: ProcessRun.Closed, isClosed: () => boolean): ClosedNetwork.Closing => ({
  isClosed,
  allowed: closed.allow.flatMap((text) => AllowedHosts.parse(text) ?? []),
  advice: (host) => `If the program needs it in a replay, add --allow-host ${host}.`,
  onAttempt: (attempt) => fs.appendFileSync(closed.attempts, `${JSON.stringify(attempt)}\n`),
})

interface Begun {
  readonly closed: ProcessRun.Closed
  readonly answers: string | undefined
  readonly isClosed: () => boolean
}

const begin = (closing: ClosedNetwork.Closing, { closed, answers, isClosed }: Begun): void => {
  NetworkPatches.install()
  ClosedNetwork.close(closing)
  const note = Unseen.to(Unseen.fileBeside(closed.attempts))
  Children.tell({
    preload: closed.preload,
    run: (isWaitedFor) => {
      const isOpen = !isClosed()
      // A process that blocks on a child cannot answer it.
      if (isWaitedFor || answers === undefined) return isOpen ? undefined : { does: "close", closed, isOpen }
      return { does: "close", closed, answers, isOpen }
    },
    onProcess: (program) => {
      if (isClosed() && !Children.isNode(program)) note("a process", path.basename(program))
    },
  })
}

const placeOf = ({ attempts }: ProcessRun.Closed): string =>
  process.platform === "win32"
    ? `\\\\.\\pipe\\hindcast-answers-${process.pid}`
    : path.join(path.dirname(attempts), `answers-${process.pid}.sock`)
