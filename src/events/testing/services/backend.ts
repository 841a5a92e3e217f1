/** What the conformance suites of a backend ask of it: a place for a log, and what can happen to it there. */

import { type Context, Effect, Layer, type Scope } from "effect"

/**
 * A backend of which suites test some services. `At` says where a log is: a file's name, a schema of a server.
 *
 * @example
 * const backend = { place: newSchema, open: (schema) => layerPostgres({ schema }), crash: (schema) => endSessions(schema) }
 */
export interface Backend<Services, At> {
  /** Makes a place for a new, empty log. The scope removes it. */
  readonly place: Effect.Effect<At, unknown, Scope.Scope>
  /**
   * Opens the log. Each layer opens it by itself, over connections of its own, as another process does. A log that ends with its
   * program returns the services that it has.
   */
  readonly open: (at: At) => Layer.Layer<Services, unknown>
  /**
   * Leaves the log as if every process that has it open were killed at once: none of them gives back or announces anything. They
   * may live on as zombies. Absent for a log that ends with its program.
   */
  readonly crash?: (at: At) => Effect.Effect<void, unknown>
  /** Makes the log's lease one of a process of which nothing is known but its heartbeats. Absent for a log that ends with its program. */
  readonly elsewhere?: (at: At) => Elsewhere
  /** The digests of the large payloads that are stored. Absent if a backend stores them in another way. */
  readonly blobs?: (at: At) => Effect.Effect<ReadonlyArray<string>, unknown>
  /** Puts another text in a large payload's place, past the log, or with null removes it. Absent where nothing but the log can. */
  readonly damageBlob?: (at: At, digest: string, text: string | null) => Effect.Effect<void, unknown>
  /** Changes what is stored of each snapshot, past the log, as damage does. */
  readonly alterSnapshots?: (at: At) => Effect.Effect<void, unknown>
}

/** A kernel on another machine, whose process cannot be looked at from here. */
export interface Elsewhere {
  /** Takes the lease for it, as the owner `elsewhere`. Its wall clock says this time, in epoch milliseconds. */
  readonly hold: (clock: number) => Effect.Effect<void, unknown>
  /** Sends one more heartbeat of it. Its wall clock need not have moved. */
  readonly beat: Effect.Effect<void, unknown>
  /** Gives the lease back for it. */
  readonly release: Effect.Effect<void, unknown>
  /** The shortest silence after which it may lose the lease, in milliseconds. */
  readonly shortestMs: number
  /** The longest silence after which it has lost it, in milliseconds. */
  readonly longestMs: number
  /** Lets time pass: for a backend that measures silence by this program's clock, `TestClock.adjust`. */
  readonly pass: (ms: number) => Effect.Effect<void, unknown>
}

/** One test. `timeout` is in milliseconds. */
export type BackendTest = (behaviour: string, body: Effect.Effect<void, unknown, Scope.Scope>, timeout?: number) => void

/** A new log: opens it, as often as it is run, until the scope closes. */
export const newLog = <Services, At>(backend: Backend<Services, At>) =>
  Effect.map(backend.place, (at) => ({ at, open: Effect.suspend(() => Layer.build(backend.open(at))) }))

/** Two connections to a new log, as two processes have. */
export const twoOpen = <Services, At>(
  backend: Backend<Services, At>,
): Effect.Effect<
  { readonly at: At; readonly one: Context.Context<Services>; readonly two: Context.Context<Services> },
  unknown,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const { at, open } = yield* newLog(backend)
    return { at, one: yield* open, two: yield* open }
  })
