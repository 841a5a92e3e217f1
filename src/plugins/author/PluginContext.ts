/** The context argument of a plugin's functions, and its host requests. */

import type { Json, JsonObject } from "./Json.ts"
import type { ElementaryFunctions } from "./Numbers.ts"

/** The result of a command that the host ran. */
export interface RunResult {
  /** The exit code; null if a signal ended the command. */
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

/** Options of `PluginContext.fetch`. */
export interface FetchOptions {
  /** Default: `GET`. */
  readonly method?: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
}

/** An HTTP response. */
export interface FetchResult {
  readonly status: number
  /** By lower-case name. A comma joins repeated headers. */
  readonly headers: { readonly [name: string]: string }
  /** The final URL, after redirects. */
  readonly url: string
  readonly body: string
  /** The encoding of `body`: text if the bytes are valid UTF-8, otherwise base64. */
  readonly encoding: "utf8" | "base64"
}

/** An `AbortSignal`, also for programs that compile without its type. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Known } }
  ? Known
  : {
      readonly aborted: boolean
      readonly reason: unknown
      /** Throws once the call is aborted. */
      readonly throwIfAborted: () => void
      /** Runs the listener when the call is aborted. */
      readonly addEventListener: (type: "abort", listener: () => void) => void
      /** Removes the listener. */
      readonly removeEventListener: (type: "abort", listener: () => void) => void
    }

/** The first argument of every function of a plugin. */
export interface PluginContext {
  /** The manifest's `variables`. */
  readonly variables: JsonObject
  /** The called component's metadata at the time of the call. */
  readonly metadata: JsonObject
  /** Records a line in the event log (`PluginLogged`). */
  readonly log: (message: string, level?: "debug" | "info" | "warn" | "error") => void
  /** Aborts when the caller stops waiting for the answer. */
  readonly signal: Signal
  /** A number in [0, 1). The kernel seeds the generator: the same seed gives the same numbers. */
  readonly random: () => number
  /**
   * Elementary functions that return the same bits in every engine. Use them, not `Math`, in code that a replay runs
   * again.
   */
  readonly math: ElementaryFunctions
  /** The time of the call on the kernel's clock, in epoch milliseconds. */
  readonly now: number
  /**
   * The agent that the call serves, in a task with several agents. In a task with one agent it is null, and in a world
   * for one agent `"agent"`.
   */
  readonly agent: string | null
  /**
   * The id of the command that an actuator carries out. `settle` receives the same id later, and another service can
   * use it to detect a repeated request. Null in other calls, and in a round of a world.
   */
  readonly commandId: string | null
  /** The absolute path of the workspace: `"."` in `permissions`. */
  readonly workspace: string
  /**
   * The absolute path of the bytes that the manifest declares as `precomputed`. The plugin may read the file. Null if
   * the manifest declares none, or if computing them failed.
   */
  readonly precomputed: string | null
  /**
   * Asks the host to run a command that the manifest's `permissions.run` allows, in the workspace and without a shell.
   * Rejects if the command is not allowed or cannot start. An exit code other than 0 resolves.
   */
  readonly run: (command: string, args?: ReadonlyArray<string>) => Promise<RunResult>
  /** Asks the host for a text file (UTF-8). Relative paths start at the workspace. */
  readonly readFile: (path: string) => Promise<string>
  /** Asks the host to write a text file (UTF-8), replacing any existing one. Needs `permissions.write`. */
  readonly writeFile: (path: string, content: string) => Promise<void>
  /**
   * Asks the host for an HTTP or HTTPS request to a host that the manifest's `permissions.net` names: a plugin's only
   * access to the network. Follows redirects to such hosts only. A status other than 200 resolves.
   */
  readonly fetch: (url: string, options?: FetchOptions) => Promise<FetchResult>
  /**
   * Reports the call's progress to the caller: a fraction from 0 to 1, or a few words. The log does not record it, and
   * a busy caller receives only the newest report.
   */
  readonly progress: (progress: number | string) => void
  /**
   * Pushes a reading of one of the plugin's own sensors. Works as long as the process runs, even after this call has
   * ended.
   *
   * Resolves when the kernel has taken the reading, so awaiting it gives back-pressure. At most 256 readings wait. The
   * host drops and counts any more, and rejects their promises with the code `TooManyReadings`. An unhandled rejection
   * does not end the process.
   */
  readonly emit: (sensor: string, reading: Json) => Promise<void>
}
