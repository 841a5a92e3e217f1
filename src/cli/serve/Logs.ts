/** The logs that a connection has opened to ask about, by number. Each is open for reading until the client closes it. */
import { type Context, Data, Effect, ExecutionStrategy, Exit, Layer, Option, Scope } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import type { Projector } from "../../projections/projector/Projector.ts"
import type { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import * as OpenLog from "../command/OpenLog.ts"

/** The services that answer questions about a log. */
export type Past = EventLog | Projector | TimeTravel

/** Open the log first (`log.open`). */
export class NoSuchLog extends Data.TaggedError("NoSuchLog")<{ readonly log: number }> {
  override get message() {
    return `Expected the number of an open log, found ${this.log}. Open it with log.open.`
  }
}

/** Close logs that nobody asks. */
export class TooManyLogs extends Data.TaggedError("TooManyLogs")<{ readonly open: number }> {
  override get message() {
    return `Expected at most ${MAX_LOGS} open logs, found ${this.open}. Close some (log.close).`
  }
}

/** Maximum number of open logs of one connection. */
const MAX_LOGS = 256

export interface OpenedLog {
  readonly filename: string
  readonly past: Context.Context<Past>
}

/** The open logs of a connection. */
export interface Logs {
  /** Opens a log. Fails if there is none. `personal`: whether to decrypt personal data. */
  readonly open: (
    log: string | undefined,
    personal: boolean,
  ) => Effect.Effect<{ readonly number: number; readonly filename: string; readonly position: number }, unknown>
  readonly find: (number: number) => Effect.Effect<OpenedLog, NoSuchLog>
  /** Closes a log, if it is open. */
  readonly close: (number: number) => Effect.Effect<void>
}

export const make: Effect.Effect<Logs, never, Scope.Scope> = Effect.gen(function* () {
  const session = yield* Effect.scope
  const opened = new Map<number, OpenedLog & { readonly scope: Scope.CloseableScope }>()
  let last = 0
  return {
    open: (log, personal) =>
      Effect.gen(function* () {
        if (opened.size >= MAX_LOGS) return yield* new TooManyLogs({ open: opened.size })
        const scope = yield* Scope.fork(session, ExecutionStrategy.sequential)
        const opening = Effect.gen(function* () {
          const past = yield* Layer.buildWithScope(OpenLog.forPast(Option.fromNullable(log), { personal }), scope)
          const events = yield* EventLog.pipe(Effect.provide(past))
          return { past, filename: events.name, position: (yield* events.head).position }
        })
        const { past, filename, position } = yield* Effect.onError(opening, (cause) =>
          Scope.close(scope, Exit.failCause(cause)),
        )
        const number = ++last
        opened.set(number, { filename, past, scope })
        return { number, filename, position }
      }),
    find: (number) => {
      const found = opened.get(number)
      return found === undefined ? new NoSuchLog({ log: number }) : Effect.succeed(found)
    },
    close: (number) =>
      Effect.suspend(() => {
        const found = opened.get(number)
        opened.delete(number)
        return found === undefined ? Effect.void : Scope.close(found.scope, Exit.void)
      }),
  }
})
