/** Needs of the conformance suites: a place for a log, and ways to disturb it there. */

import { type Context, Effect, Layer, type Scope } from "effect"

/**
 * A backend under test. `At` says where a log is, such as a file's name or a schema of a server.
 *
 * @example
 * const backend = { place: newSchema, open: (schema) => layerPostgres({ schema }), crash: (schema) => endSessions(schema) }
 */
export interface Backend<Services, At> {
  /** Creates a place for a new, empty log. The scope removes it. */
  readonly place: Effect.Effect<At, unknown, Scope.Scope>
  /**
   * Opens the log. Each layer uses its own connections, as another process would. A log that ends with its program
   * returns its existing services.
   */
  readonly open: (at: At) => Layer.Layer<Services, unknown>
  /**
   * Leaves the log as if all processes that have it open were killed at once: they release and announce nothing. They
   * may live on as zombies. Absent for a log that ends with its program.
   */
  readonly crash?: (at: At) => Effect.Effect<void, unknown>
  /** Gives the log's lease to a process known only by its heartbeats. Absent for a log that ends with its program. */
  readonly elsewhere?: (at: At) => Elsewhere
  /** Digests of the stored large payloads. Absent if a backend stores them differently. */
  readonly blobs?: (at: At) => Effect.Effect<ReadonlyArray<string>, unknown>
  /** Replaces the text of a large payload, past the log, or with null removes it. Absent if only the log can. */
  readonly damageBlob?: (at: At, digest: string, text: string | null) => Effect.Effect<void, unknown>
  /** Changes the content of each snapshot, past the log, as damage would. */
  readonly alterSnapshots?: (at: At) => Effect.Effect<void, unknown>
}

/** A kernel on another machine, whose process is out of sight. */
export interface Elsewhere {
  /** Takes the lease for it, as the owner `elsewhere`, with this wall clock in epoch milliseconds. */
  readonly hold: (clock: number) => Effect.Effect<void, unknown>
  /** Sends its next heartbeat. Its wall clock need not have moved. */
  readonly beat: Effect.Effect<void, unknown>
  /** Releases its lease. */
  readonly release: Effect.Effect<void, unknown>
  /** Shortest silence after which it may lose the lease, in milliseconds. */
  readonly shortestMs: number
  /** Longest silence after which it has lost the lease, in milliseconds. */
  readonly longestMs: number
  /** Lets time pass: `TestClock.adjust` for a backend that measures silence by this program's clock. */
  readonly pass: (ms: number) => Effect.Effect<void, unknown>
}

/** A test. `timeout` is in milliseconds. */
export type BackendTest = (behaviour: string, body: Effect.Effect<void, unknown, Scope.Scope>, timeout?: number) => void

/** A new log that each run opens again, until the scope closes. */
export const newLog = <Services, At>(backend: Backend<Services, At>) =>
  Effect.map(backend.place, (at) => ({ at, open: Effect.suspend(() => Layer.build(backend.open(at))) }))

/** Two connections to a new log, as of two processes. */
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
