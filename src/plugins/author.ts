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

/** `AbortSignal`, where the compiler knows it: by the types of Deno, of Node or of browsers. What is sure of it elsewhere. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Known } }
  ? Known
  : {
      readonly aborted: boolean
      readonly reason: unknown
      readonly throwIfAborted: () => void
      readonly addEventListener: (type: "abort", listener: () => void) => void
      readonly removeEventListener: (type: "abort", listener: () => void) => void
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
  readonly signal: Signal
  /** A number in [0, 1), from a generator seeded by the kernel: the same seed gives the same numbers. */
  readonly random: () => number
  /** The time of the call by the kernel's clock, in epoch milliseconds. */
  readonly now: number
  /** The workspace directory that `"."` in `permissions` speaks of: an absolute path. */
  readonly workspace: string
  /**
   * The file with the bytes that the manifest's `precomputed` speaks of: an absolute path, which the plugin may read. Null where the manifest
   * has none, or where the host could not have it made.
   */
  readonly precomputed: string | null
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

/**
 * The default export of the module that the manifest's `precomputed` names. It answers with the same bytes wherever and whenever it runs, at
 * most 64 MiB of them, and prints nothing. It runs in the plugin's sandbox, without any grant.
 */
export type Precompute = () => Uint8Array | Promise<Uint8Array>

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
  /**
   * Puts the world in a state that `state` once gave, with the options that it was reset with then; for a manifest whose
   * `rewind` has `snapshot`. It is asked for in a new process, and `state` must give the very same document afterwards.
   */
  readonly restore?: (context: PluginContext, options: JsonObject, state: Json) => void | Promise<void>
}

/** What a function that judges is given: it has nothing to ask the host for but the task's events. */
export type JudgeContext = Pick<
  PluginContext,
  "variables" | "metadata" | "log" | "signal" | "random" | "now" | "progress"
>

/** An event of a task that is judged, as the log has it. */
export interface TaskEvent {
  /** Its place in the log: what a verdict cites. */
  readonly position: number
  readonly id: string
  /** Its name in the vocabulary: `SensorRead`, `ActuatorCommanded`, `EnvironmentChanged`, `TaskClosed` … */
  readonly type: string
  readonly actor: string
  /** The id of the event that made it happen. */
  readonly causationId: string | null
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly recordedAt: number
  readonly payload: JsonObject
}

/** A reward or punishment of the measure. */
export interface JudgedReward {
  readonly name: string
  readonly when: string
  readonly weight: number
  /** Default: `task`. */
  readonly per?: "task" | "occurrence"
}

/** A task that has ended, as far as it may be judged. It is a copy: changing it changes nothing. */
export interface JudgedTask {
  readonly id: string
  readonly goal: string
  /** `name@version` */
  readonly agent: string
  /** `achieved`, `failed`, `abandoned`, `truncated`; null where it is still open. */
  readonly outcome: string | null
  /** What the log knew of the world at its end: readings by `plugin/sensor`, environments' documents by plugin. */
  readonly state: { readonly readings: JsonObject; readonly environment: JsonObject; readonly [key: string]: Json }
  /** The measure that it is judged by, as the rubric has it. */
  readonly measure: {
    readonly name: string
    readonly description: string
    readonly rewards: ReadonlyArray<JudgedReward>
    readonly punishments: ReadonlyArray<JudgedReward>
  }
  /**
   * Its events in order, up to its end, without those of earlier scorings. They come page by page as they are asked for,
   * so a long task takes no more memory than a short one; iterating again begins again.
   */
  readonly events: AsyncIterable<TaskEvent>
}

/** What was found of a reward or punishment. What no verdict speaks of did not happen. */
export interface Verdict {
  /** The name of a reward or punishment of the measure. */
  readonly name: string
  /** Which of them, where a reward and a punishment of the measure share the name. */
  readonly kind?: "reward" | "punishment"
  /** How often, a whole number. Default: 1. Verdicts about the same reward add up; one `per` task counts once at most. */
  readonly occurrences?: number
  /** The positions of the task's events that made it true: at least one, unless it did not happen. */
  readonly because: ReadonlyArray<number>
  /** Why, in words. It stays in the log whatever is shredded later: no personal data. */
  readonly rationale?: string
}

/**
 * Judges a task by a measure. It runs in a sandbox without any permission, after the task has ended, and may be called
 * again for the same task: keep nothing between calls, so that the same events have the same verdicts.
 *
 * ```ts
 * const exploration: Judge = async (context, { events }) => {
 *   const rooms = new Map<string, number>()
 *   for await (const { type, payload, position } of events) {
 *     if (type === "SensorRead" && payload.sensor === "maze/room") rooms.set(String(payload.reading), position)
 *   }
 *   return rooms.size < 5 ? [] : [{ name: "went far", because: [...rooms.values()] }]
 * }
 * ```
 */
export type Judge = (
  context: JudgeContext,
  task: JudgedTask,
) => ReadonlyArray<Verdict> | Promise<ReadonlyArray<Verdict>>

/** What a plugin's entry default-exports. Its names and the manifest's must agree, both ways. */
export interface Plugin {
  readonly sensors?: { readonly [name: string]: Sensor }
  readonly actuators?: { readonly [name: string]: Actuator }
  readonly environment?: Environment
  /** By the measure's name: for each measure whose `critic` in the manifest is `plugin`. */
  readonly measures?: { readonly [name: string]: Judge }
}
