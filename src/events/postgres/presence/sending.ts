/** Sends the heartbeats of one session over a connection of its own. */

import { Effect, type Scope } from "effect"
import { monotonicNow } from "../../../platform/ProcessIdentity.ts"
import type { LogError } from "../../log/EventLog.ts"
import type { Address } from "../server/address.ts"
import * as Connection from "../server/connection.ts"
import * as Driver from "../server/driver.ts"
import * as Session from "../server/session.ts"
import { announce } from "./heartbeats.ts"

/** A session without a heartbeat for this long ends itself. In milliseconds. */
export const ENDS_AFTER_MS = 5_000

/**
 * A session whose connection is down ends itself after this time without a heartbeat: others see that its lock is free,
 * and wait for less than for a silent session. In milliseconds.
 */
export const ENDS_UNCONNECTED_AFTER_MS = 1_200

/**
 * What threads share: two times by the machine's monotonic clock in milliseconds, of the last heartbeat that arrived
 * (`-Infinity` after a gap), and when the main thread last ran; and 1 while the connection is down.
 */
export type Marks = Float64Array

export const MARKS = 3

/** Data with which a thread sends heartbeats. */
export interface Given {
  readonly address: Address
  readonly identity: string
  readonly marks: Marks
}

/** Sends the first heartbeat, and one each second until the scope closes. */
export const send = ({ address, identity, marks }: Given): Effect.Effect<void, LogError, Scope.Scope> =>
  Effect.gen(function* () {
    const database = yield* Connection.make(address, yield* Driver.load(address.name))
    const session = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Session.make(database, (connection) => {
          marks[2] = connection === "down" ? 1 : 0
        }),
      ),
      ({ end }) => Effect.promise(end),
    )
    // A heartbeat proves life at the time at which it left, not at which its answer came.
    let left = monotonicNow()
    const arrived = async () => {
      // After a gap, the session has ended, however many heartbeats follow.
      marks[0] = left - (marks[0] ?? 0) > ENDS_AFTER_MS ? Number.NEGATIVE_INFINITY : left
    }
    const busyMs = () => {
      left = monotonicNow()
      return Math.max(0, Math.round(left - (marks[1] ?? left)))
    }
    yield* announce(database, session, identity, arrived, busyMs)
    marks[0] = left
  })

/** The work of a thread that sends heartbeats until it ends. */
export const keepSending = (given: Given): Effect.Effect<never, LogError, Scope.Scope> =>
  Effect.zipRight(send(given), Effect.never)
