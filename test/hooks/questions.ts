/** Questions to people in a log that another process or service writes. */
import { Effect, Layer, Option, Stream } from "effect"
import { CaughtUp, EventLog } from "../../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as Confirmations from "../../src/kernel/gate/Confirmations.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"

const inLog = <A, E>(log: string, effect: Effect.Effect<A, E, EventLog | Confirmations.Confirmations>): Promise<A> =>
  effect.pipe(
    Effect.provide(
      Confirmations.layer.pipe(
        Layer.provideMerge(Projector.layer),
        Layer.provideMerge(SqliteEventLog.layer({ filename: log })),
      ),
    ),
    Effect.runPromise,
  )

/** Waits for an event of a type, which any process may append. */
export const appended = (log: string, type: string): Promise<Event> =>
  inLog(
    log,
    Effect.gen(function* () {
      const events = yield* EventLog
      const first = yield* events.follow({ types: [type] }).pipe(
        Stream.filter((item): item is Event => !(item instanceof CaughtUp)),
        Stream.runHead,
      )
      return Option.getOrThrow(first)
    }),
  )

/** Waits until a person is asked, and returns the confirmation's id. */
export const asked = async (log: string): Promise<string> =>
  String((await appended(log, "ConfirmationRequested")).payload.confirmationId)

export const approve = (log: string, confirmationId: string): Promise<unknown> =>
  inLog(
    log,
    Effect.gen(function* () {
      const { decide } = yield* Confirmations.Confirmations
      return yield* decide(confirmationId, { approved: true, by: "ada", channel: "test" })
    }),
  )
