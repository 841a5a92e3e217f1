/**
 * The sessions of runners: who may claim queued tasks, and which sessions live. On a file, the holder of the lease is
 * the only runner. On a server, several runners live at a time, each under heartbeats that the server's clock judges.
 */

import { Context, Deferred, Effect, type Scope } from "effect"
import type { LogError } from "./EventLog.ts"
import type { HeldLease, Lease, LeaseHeld, LeaseLost } from "./Lease.ts"

/** A session that this process joined. */
export interface RunnerSession {
  /** The right to act: `held` fails once the session may not act any more, before others may take its tasks over. */
  readonly lease: HeldLease
  /** Succeeds when the session may not act any more. */
  readonly ended: Effect.Effect<LeaseLost>
}

/** The sessions of a log as of one look. */
export interface SessionsSeen {
  /** The log's clock, in epoch milliseconds. */
  readonly now: number
  /** The given sessions that live. The tasks of others may be taken over. */
  readonly living: ReadonlySet<string>
  /** How long the main thread of a living session's process has been busy, in milliseconds; absent if it is not. */
  readonly busyMs: ReadonlyMap<string, number>
}

/** The sessions of runners on a log. */
export class RunnerSessions extends Context.Tag("hindcast/RunnerSessions")<RunnerSessions, RunnerSessions.Service>() {}

/** The type of the service: `RunnerSessions.Service`. */
export declare namespace RunnerSessions {
  /** Sessions as every backend provides them. */
  export interface Service {
    /** Whether several sessions live at a time. Otherwise, joining takes the log's lease. */
    readonly several: boolean
    /** Joins as a runner until the scope closes. */
    readonly join: (runner: string) => Effect.Effect<RunnerSession, LeaseHeld | LogError, Scope.Scope>
    /** Looks at sessions once. */
    readonly look: (sessions: ReadonlyArray<string>) => Effect.Effect<SessionsSeen, LogError>
  }
}

/** Alias of `RunnerSessions.Service` for namespace imports. */
export type Service = RunnerSessions.Service

/** In milliseconds. */
const CHECK_EVERY_MS = 500

/** The holder of the log's lease is its only runner. */
export const ofLease = (lease: Lease.Service): RunnerSessions.Service => {
  const own = new Set<string>()
  return {
    several: false,
    join: (runner) =>
      Effect.gen(function* () {
        const held = yield* lease.acquire(runner)
        yield* Effect.acquireRelease(
          Effect.sync(() => own.add(held.identity)),
          () => Effect.sync(() => own.delete(held.identity)),
        )
        const ended = yield* Deferred.make<LeaseLost>()
        yield* Effect.forkScoped(
          Effect.forever(Effect.zipRight(Effect.sleep(CHECK_EVERY_MS), held.held)).pipe(
            Effect.catchAll((lost) => Deferred.succeed(ended, lost)),
          ),
        )
        return { lease: held, ended: Deferred.await(ended) }
      }),
    look: (sessions) =>
      Effect.sync(() => ({
        now: Date.now(),
        living: new Set(sessions.filter((session) => own.has(session))),
        busyMs: new Map(),
      })),
  }
}
