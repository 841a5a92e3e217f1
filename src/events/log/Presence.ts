/**
 * The writers of a log. Each kernel and each recorder has a random identity that a heartbeat in the log keeps alive.
 * Machine names and process ids identify nobody, because two containers on one volume can share them.
 */

import { Context, type Effect, type Scope } from "effect"
import type { LogError } from "./EventLog.ts"

/**
 * State of a writer:
 * - `alive`: its process exists, or it has just sent a heartbeat;
 * - `gone`: its process, on this machine, has ended;
 * - `unknown`: its process is out of sight, and a single look at its heartbeat proves nothing.
 */
export type WriterState = "alive" | "gone" | "unknown"

/** The writers of a log. */
export class Presence extends Context.Tag("hindcast/Presence")<Presence, Presence.Service>() {}

/** The type of the service: `Presence.Service`. */
export declare namespace Presence {
  /** Presence as every backend provides it. `presenceSuite` of `hindcast/testing` tests a backend. */
  export interface Service {
    /** Announces a writer under a new UUID, and sends its heartbeats until the scope closes. */
    readonly announce: Effect.Effect<string, LogError, Scope.Scope>
    /** A writer's state, from one look. */
    readonly stateOf: (identity: string) => Effect.Effect<WriterState, LogError>
    /**
     * Decides whether a writer lives. If its state is unknown, watches it: a new heartbeat proves it alive, whatever
     * its time; none for `watchMs` by the watcher's own monotonic clock means that it is gone.
     */
    readonly watch: (identity: string, watchMs: number) => Effect.Effect<"alive" | "gone", LogError>
    /** Forgets writers that are gone and left nothing unfinished. */
    readonly forget: (identities: ReadonlyArray<string>) => Effect.Effect<void, LogError>
  }
}

/** Alias of `Presence.Service` for namespace imports. */
export type Service = Presence.Service
