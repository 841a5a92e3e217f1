/**
 * Who writes to a log: each kernel and each recorder under a random identity of its own, which a heartbeat in the log keeps
 * alive. Names of machines and ids of processes identify nobody: two containers on one volume can have the same ones.
 */

import { Context, type Effect, type Scope } from "effect"
import type { LogError } from "./EventLog.ts"

/**
 * Whether a writer lives:
 * - `alive`: its process exists, or it sent a heartbeat a moment ago;
 * - `gone`: its process has ended, on this machine;
 * - `unknown`: its process cannot be looked at from here, and a single look at its heartbeat tells nothing.
 */
export type WriterState = "alive" | "gone" | "unknown"

/** The writers of a log. */
export class Presence extends Context.Tag("hindcast/Presence")<Presence, Presence.Service>() {}

/** The type of the service: `Presence.Service`. */
export declare namespace Presence {
  /** What a backend provides, and proves by `presenceSuite` of `hindcast/testing`. */
  export interface Service {
    /** Announces a writer, and sends its heartbeats until the scope closes. Returns its identity, a new UUID. */
    readonly announce: Effect.Effect<string, LogError, Scope.Scope>
    /** Whether a writer lives, as far as one look shows it. */
    readonly stateOf: (identity: string) => Effect.Effect<WriterState, LogError>
    /**
     * Whether a writer lives. Watches one whose state is unknown: any new heartbeat proves it alive, whatever time the
     * heartbeat carries; none for `watchMs`, by the watcher's own monotonic clock, means that it is gone.
     */
    readonly watch: (identity: string, watchMs: number) => Effect.Effect<"alive" | "gone", LogError>
    /** Forgets writers that are gone and left nothing unfinished. */
    readonly forget: (identities: ReadonlyArray<string>) => Effect.Effect<void, LogError>
  }
}
