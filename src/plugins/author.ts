/**
 * The types a plugin's author writes against: `import type { Plugin } from "hindcast/plugin"`.
 *
 * Nothing here exists at run time. A plugin's entry default-exports a plain object and imports nothing of Hindcast.
 * This module imports nothing either, so that it can be read by Deno, an editor and a person alike.
 */

/** Anything JSON can say. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** Arguments of a command, or options of an environment. */
export type JsonObject = { readonly [key: string]: Json }

/** What a command that was run on the plugin's behalf left behind. */
export interface RunResult {
  /** Exit code; null where a signal ended it. */
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

/** What a request to the network carries. */
export interface FetchOptions {
  /** Default: `GET`. */
  readonly method?: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
}

/** What came back from the network. */
export interface FetchResult {
  readonly status: number
  /** By their names in lower case; several of one name are joined by commas. */
  readonly headers: { readonly [name: string]: string }
  /** The address that answered, after redirects. */
  readonly url: string
  readonly body: string
  /** How `body` stands for bytes: as they are, where they are UTF-8, else in base64. */
  readonly encoding: "utf8" | "base64"
}

/** What every function of a plugin is given. */
export interface PluginContext {
  /** The manifest's `variables`. */
  readonly variables: JsonObject
  /** The metadata of the component that is called, as it stands at the call. */
  readonly metadata: JsonObject
  /** Writes a line to the event log (`PluginLogged`). */
  readonly log: (message: string, level?: "debug" | "info" | "warn" | "error") => void
  /** Aborts when the caller no longer wants the answer. */
  readonly signal: AbortSignal
  /** A number in [0, 1), from a generator seeded by the kernel: the same seed gives the same numbers. */
  readonly random: () => number
  /** The time of the call by the kernel's clock, in epoch milliseconds. */
  readonly now: number
  /** The workspace directory that `"."` in `permissions` speaks of: an absolute path. */
  readonly workspace: string
  /**
   * Asks the host to run a command that the manifest's `permissions.run` allows. Arguments are passed as they are,
   * without a shell. The working directory is the workspace. Rejects when the command is not allowed or cannot start;
   * an exit code other than 0 is an answer, not a rejection.
   */
  readonly run: (command: string, args?: ReadonlyArray<string>) => Promise<RunResult>
  /** Asks the host for a text file (UTF-8). A relative path is resolved against the workspace. */
  readonly readFile: (path: string) => Promise<string>
  /** Asks the host to write a text file (UTF-8), replacing what is there. Needs `permissions.write`. */
  readonly writeFile: (path: string, content: string) => Promise<void>
  /**
   * Asks the host to fetch over HTTP or HTTPS from a host that the manifest's `permissions.net` names: there is no other
   * way to the network. A redirect is followed to such hosts only. A status other than 200 is an answer, not a rejection.
   */
  readonly fetch: (url: string, options?: FetchOptions) => Promise<FetchResult>
  /**
   * Tells the caller how far the call has come: a fraction from 0 to 1, or a few words. A hint, not an event: a caller
   * that is busy sees the newest only.
   */
  readonly progress: (progress: number | string) => void
  /**
   * Pushes a reading of one of the plugin's own sensors, without being asked for it. It works as long as the process lives,
   * also when the call that brought this context is over. Resolves when the reading was taken: who awaits it goes no faster
   * than the kernel. Up to 256 may wait; what comes beyond is left out and counted, and rejects with the code
   * `TooManyReadings`. A rejection that nobody handles ends nothing.
   */
  readonly emit: (sensor: string, reading: Json) => Promise<void>
}

/** Returns a reading. */
export type Sensor = (context: PluginContext) => Json | Promise<Json>

/**
 * Carries out a command and returns its result. To refuse, throw: the error's `code`, where it is text, and its message
 * become the command's failure.
 */
// biome-ignore lint/suspicious/noExplicitAny: an author names the arguments that the manifest's `args` schema promises.
export type Actuator = (context: PluginContext, args: any) => Json | Promise<Json>

/** A world with a state of its own. Its process serves one task, unless the manifest says otherwise. */
export interface Environment {
  /** Puts the world in its first state. `options` configure it: a scenario, say. Throw to refuse them. */
  readonly reset: (context: PluginContext, options: JsonObject) => void | Promise<void>
  /** The world's whole state as one JSON document. Asked for after a reset and after every command. */
  readonly state: () => Json
}

/** What a plugin's entry default-exports. Its names and the manifest's must agree, both ways. */
export interface Plugin {
  readonly sensors?: { readonly [name: string]: Sensor }
  readonly actuators?: { readonly [name: string]: Actuator }
  readonly environment?: Environment
}
