/** Begins and ends the sessions of runners in the log. */

import * as os from "node:os"
import { Effect } from "effect"
import { type AppendError, type EventLog, Exact, NoStream } from "../../events/log/EventLog.ts"
import * as Queue from "../../projections/queue/Queue.ts"
import { defined } from "../../values/defined.ts"
import { VERSION } from "../versions.ts"
import type { Runner } from "./Ownership.ts"

/**
 * Registers a session in the log. From then on, its appends may be fenced by its stream.
 *
 * @param after the session of this process before, which ended without it
 */
export const register = (
  log: EventLog.Service,
  { name, slots, agents, labels }: Runner,
  session: string,
  after?: string,
): Effect.Effect<void, AppendError> =>
  Effect.asVoid(
    log.append({
      stream: Queue.runnerStream(session),
      actor: `runner:${name}`,
      expected: NoStream,
      events: [
        {
          type: "RunnerStarted",
          payload: {
            runner: name,
            session,
            version: VERSION,
            host: os.hostname(),
            pid: process.pid,
            slots,
            agents,
            labels,
            ...defined({ after }),
          },
        },
      ],
    }),
  )

/** Ends a session in the log. Has no effect on a lost one. */
export const deregister = (
  log: EventLog.Service,
  { name }: Runner,
  session: string,
  reason: string,
): Effect.Effect<void, AppendError> =>
  log
    .append({
      stream: Queue.runnerStream(session),
      actor: `runner:${name}`,
      expected: Exact(1),
      events: [{ type: "RunnerStopped", payload: { runner: name, session, reason } }],
    })
    .pipe(
      Effect.catchTag("VersionConflict", () => Effect.void),
      Effect.asVoid,
    )
