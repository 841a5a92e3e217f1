/**
 * The types that a plugin's author writes against: `import type { Plugin } from "hindcast/plugin"`.
 *
 * The module exists at compile time only. A plugin's entry default-exports a plain object and imports nothing of
 * Hindcast. This module imports nothing either, so that Deno and an editor can read it by itself.
 *
 * @module hindcast/plugin
 */

/** Any JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** Arguments of a command, or options of an environment. */
export type JsonObject = { readonly [key: string]: Json }

/** Numbers in nested lists, as numpy's `tolist` gives them; in a Box also `"Infinity"` and `"-Infinity"`. */
export type Nested<A = number> = A | ReadonlyArray<Nested<A>>

/** A bound of a Box: JSON has no infinities, so that they are text. */
export type Bound = number | "Infinity" | "-Infinity"

/** A Box of numbers, in nested lists of its shape: `[]` is one number, `[2, 3]` two lists of three. */
export interface BoxSpace {
  readonly type: "Box"
  /** numpy's name: `float32`, `float64`, `int64`, `uint8` … Of `bool`, the values and the bounds are `false` and `true`. */
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
  /** Nested lists of the shape, or one bound for all. */
  readonly low: Nested<Bound | boolean>
  readonly high: Nested<Bound | boolean>
}

/** The whole numbers from `start` (default 0) to `start + n - 1`. */
export interface DiscreteSpace {
  readonly type: "Discrete"
  readonly n: number
  readonly start?: number
  readonly dtype?: string
}

/** Several discrete spaces: nested lists in the shape of `nvec`. */
export interface MultiDiscreteSpace {
  readonly type: "MultiDiscrete"
  readonly nvec: Nested
  /** The least value of each, in the shape of `nvec`. Default: 0 for all. */
  readonly start?: Nested
  readonly dtype?: string
}

/** Lists of 0 and 1: of `n` numbers, or nested lists of the shape `n`. */
export interface MultiBinarySpace {
  readonly type: "MultiBinary"
  readonly n: number | ReadonlyArray<number>
}

/** A list with one value for each subspace. */
export interface TupleSpace {
  readonly type: "Tuple"
  readonly subspaces: ReadonlyArray<Space>
}

/** An object with exactly these keys. */
export interface DictSpace {
  readonly type: "Dict"
  readonly subspaces: { readonly [key: string]: Space }
}

/** Text of a length in characters (Unicode code points). */
export interface TextSpace {
  readonly type: "Text"
  /** Default: 1. */
  readonly min_length?: number
  readonly max_length: number
  /** The characters that may occur. Default: all. */
  readonly charset?: string
}

/** A list of any length (at most 65,536) with values of one space. */
export interface SequenceSpace {
  readonly type: "Sequence"
  readonly feature_space: Space
  /** Whether Gymnasium stacks the values into arrays. As JSON, they are a list of the values in either case. */
  readonly stack?: boolean
}

/**
 * A graph: `{ nodes, edges, edge_links }`. `nodes` and `edges` are lists (each of at most 65,536) with values of their spaces, and `edge_links` has,
 * for each edge, the places in `nodes` of the two nodes that it joins. Without edges, `edges` and `edge_links` are null.
 */
export interface GraphSpace {
  readonly type: "Graph"
  readonly node_space: Space
  /** Default: null, for graphs that never have edges. */
  readonly edge_space?: Space | null
}

/** A value of one of the subspaces: `[index, value]`, with the place of the subspace that the value is of. */
export interface OneOfSpace {
  readonly type: "OneOf"
  readonly subspaces: ReadonlyArray<Space>
}

/** Which observations or actions there are, as Minari writes Gymnasium's spaces; those that it does not write by the names of their fields. */
export type Space =
  | BoxSpace
  | DiscreteSpace
  | MultiDiscreteSpace
  | MultiBinarySpace
  | TupleSpace
  | DictSpace
  | TextSpace
  | SequenceSpace
  | GraphSpace
  | OneOfSpace

/**
 * numpy's `Generator(PCG64(SeedSequence(seed)))`: the same seed gives the same numbers, bit by bit, if the same methods
 * are called in the same order.
 */
export interface Generator {
  /** Numbers in [0, 1). */
  readonly random: { (): number; (count: number): Array<number> }
  /** Numbers in [low, high). */
  readonly uniform: { (low: number, high: number): number; (low: number, high: number, count: number): Array<number> }
  /** Whole numbers in [low, high), and in [0, low) without `high`. */
  readonly integers: {
    (low: number, high?: number): number
    (low: number, high: number | undefined, count: number): Array<number>
  }
  /** One of the list, or of the whole numbers below a number; `p` are the probabilities, which sum up to 1. */
  readonly choice: {
    (below: number, p?: ReadonlyArray<number>): number
    <A>(list: ReadonlyArray<A>, p?: ReadonlyArray<number>): A
  }
  /** An index of the probabilities `p`, drawn as Gymnasium's `categorical_sample` does: `argmax(cumsum(p) > random())`. */
  readonly categorical: (p: ReadonlyArray<number>) => number
  /** Shuffles a list in place. */
  readonly shuffle: (list: Array<unknown>) => void
  /** A shuffled copy of the list, or the whole numbers below a number, shuffled. */
  readonly permutation: { (below: number): Array<number>; <A>(list: ReadonlyArray<A>): Array<A> }
}

/**
 * Elementary functions that return the same bits in every JavaScript engine and on every machine. Those of `Math` do not: the last bit of
 * `Math.sin` depends on the engine's version, so that a world that uses it may leave its recorded course when it is run again. `exp`, `log` and
 * `pow` return what glibc returns, and so numpy; the others are correctly rounded. `+`, `-`, `*`, `/`, `%` and `Math.sqrt`, `fround`, `abs`, `floor`
 * and their like are exact everywhere; `**` is not.
 */
export interface ElementaryFunctions {
  /** The sine of an angle in radians. */
  readonly sin: (x: number) => number
  /** The cosine of an angle in radians. */
  readonly cos: (x: number) => number
  /** The tangent of an angle in radians. */
  readonly tan: (x: number) => number
  /** The arc sine, in radians. */
  readonly asin: (x: number) => number
  /** The arc cosine, in radians. */
  readonly acos: (x: number) => number
  /** The arc tangent, in radians. */
  readonly atan: (x: number) => number
  /** The angle of the point (x, y). */
  readonly atan2: (y: number, x: number) => number
  /** √(x² + y²). */
  readonly hypot: (x: number, y: number) => number
  /** e to a power. */
  readonly exp: (x: number) => number
  /** e^x - 1. */
  readonly expm1: (x: number) => number
  /** The natural logarithm. */
  readonly log: (x: number) => number
  /** log(1 + x). */
  readonly log1p: (x: number) => number
  /** The logarithm to base 2. */
  readonly log2: (x: number) => number
  /** The logarithm to base 10. */
  readonly log10: (x: number) => number
  /** x^y. As in C, `pow(1, NaN)` is 1. */
  readonly pow: (x: number, y: number) => number
  /** The cube root. */
  readonly cbrt: (x: number) => number
  /** The hyperbolic sine. */
  readonly sinh: (x: number) => number
  /** The hyperbolic cosine. */
  readonly cosh: (x: number) => number
  /** The hyperbolic tangent. */
  readonly tanh: (x: number) => number
  /** The inverse hyperbolic sine. */
  readonly asinh: (x: number) => number
  /** The inverse hyperbolic cosine. */
  readonly acosh: (x: number) => number
  /** The inverse hyperbolic tangent. */
  readonly atanh: (x: number) => number
}

/** The result of a command that the host ran for the plugin. */
export interface RunResult {
  /** Exit code; null if a signal ended the command. */
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

/** The options of a network request. */
export interface FetchOptions {
  /** Default: `GET`. */
  readonly method?: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
}

/** The response to a network request. */
export interface FetchResult {
  readonly status: number
  /** Names are in lower case. Several headers of one name are joined by commas. */
  readonly headers: { readonly [name: string]: string }
  /** The URL that answered, after redirects. */
  readonly url: string
  readonly body: string
  /** How `body` encodes the response's bytes: as text if they are valid UTF-8, else in base64. */
  readonly encoding: "utf8" | "base64"
}

/** The first argument of every function of a plugin. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Known } }
  ? Known
  : {
      readonly aborted: boolean
      readonly reason: unknown
      /** Throws if the call was aborted. */
      readonly throwIfAborted: () => void
      /** Calls the listener when the call is aborted. */
      readonly addEventListener: (type: "abort", listener: () => void) => void
      /** Takes a listener away. */
      readonly removeEventListener: (type: "abort", listener: () => void) => void
    }

/** What every function of a plugin is given. */
export interface PluginContext {
  /** The manifest's `variables`. */
  readonly variables: JsonObject
  /** The metadata of the called component, as it is at the time of the call. */
  readonly metadata: JsonObject
  /** Writes a line to the event log (`PluginLogged`). */
  readonly log: (message: string, level?: "debug" | "info" | "warn" | "error") => void
  /** Aborts when the caller no longer waits for the answer. */
  readonly signal: Signal
  /** A number in [0, 1), from a generator seeded by the kernel: the same seed gives the same numbers. */
  readonly random: () => number
  /** Elementary functions with the same bits in every engine. What can be executed again should use them instead of those of `Math`. */
  readonly math: ElementaryFunctions
  /** The time of the call by the kernel's clock, in epoch milliseconds. */
  readonly now: number
  /**
   * Who the call is made for: the name of an agent in a task with several agents. Null in a task with one agent, and in
   * a world for one agent `"agent"`.
   */
  readonly agent: string | null
  /**
   * The id of the command that an actuator carries out: what `settle` may be asked about later, and a key by which another
   * service can recognise a second try. Null in other calls, and in a round of a world.
   */
  readonly commandId: string | null
  /** The absolute path of the workspace directory, which `"."` in `permissions` means. */
  readonly workspace: string
  /**
   * The absolute path of the file with the bytes that the manifest declares as `precomputed`. The plugin may read it. Null
   * if the manifest declares none, or if the bytes could not be computed.
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
  /** Asks the host to write a text file (UTF-8), replacing any existing file. Needs `permissions.write`. */
  readonly writeFile: (path: string, content: string) => Promise<void>
  /**
   * Asks the host to fetch over HTTP or HTTPS from a host that the manifest's `permissions.net` names. A plugin has no
   * other access to the network. Redirects are followed to such hosts only. A status other than 200 does not reject.
   */
  readonly fetch: (url: string, options?: FetchOptions) => Promise<FetchResult>
  /**
   * Reports the progress of the call to the caller: a fraction from 0 to 1, or a few words. Progress is not an event. A
   * busy caller gets the newest report only.
   */
  readonly progress: (progress: number | string) => void
  /**
   * Pushes a reading of one of the plugin's own sensors without being called. It works while the process runs, even
   * after the call of this context has ended.
   *
   * Resolves when the kernel has taken the reading, so that awaiting it is back-pressure. At most 256 readings wait;
   * any further reading is dropped and counted, and its promise rejects with the code `TooManyReadings`. An unhandled
   * rejection does not end the process.
   */
  readonly emit: (sensor: string, reading: Json) => Promise<void>
}

/**
 * The default export of the module that the manifest's `precomputed` names. It must return the same bytes on
 * every machine and at every run, at most 64 MiB. It runs in the plugin's sandbox, without any grant. What it prints is
 * logged and is not part of the bytes.
 */
export type Precompute = () => Uint8Array | Promise<Uint8Array>

/** Returns a reading. */
export type Sensor = (context: PluginContext) => Json | Promise<Json>

/**
 * Carries out a command and returns its result. To refuse a command, throw an error. Its `code`, if it is a string, and
 * its message become the command's failure.
 */
// biome-ignore lint/suspicious/noExplicitAny: an author names the arguments that the manifest's `args` schema promises.
export type Actuator = (context: PluginContext, args: any) => Json | Promise<Json>

/** What became of a command, as far as the world shows it. */
export type Settled =
  | { readonly status: "succeeded"; readonly result: Json }
  | { readonly status: "failed"; readonly error: { readonly code: string; readonly message: string } }
  | { readonly status: "unknown"; readonly reason?: string }

/**
 * Finds out what became of a command that an actuator was given before its kernel was killed, and whose outcome is not
 * in the log. It is a question: it changes nothing (`context.writeFile` refuses), and may be asked again. If it cannot
 * tell, it answers `unknown`. It is called in a new process, with the command's id and arguments.
 */
export type Settle = (
  context: PluginContext,
  commandId: string,
  // biome-ignore lint/suspicious/noExplicitAny: an author names the arguments that the manifest's `args` schema promises.
  args: any,
) => Settled | Promise<Settled>

/** An environment with its own state. By default, its process serves one task; the manifest can say otherwise. */
export interface Environment {
  /**
   * Puts the environment in its first state. `options` configure it, for example with a scenario. To refuse them,
   * throw.
   */
  readonly reset: (context: PluginContext, options: JsonObject) => void | Promise<void>
  /** Returns the whole state as one JSON document. It is called after a reset and after every command. */
  readonly state: () => Json
  /**
   * Puts the environment in a state that `state` returned earlier, with the options of that earlier reset. It is needed
   * if `rewind` in the manifest has `snapshot`. It is called in a new process; `state` must then return an equal
   * document.
   */
  readonly restore?: (context: PluginContext, options: JsonObject, state: Json) => void | Promise<void>
}

/** The spaces of a world: what an agent can be shown, and how it can act. */
export interface Spaces {
  readonly observation: Space
  readonly action: Space
}

/** What the functions of a world are given. */
export interface WorldContext extends PluginContext {
  /** Who observes or acts. In a world for one agent, it is `"agent"`. Elsewhere, the first of `agents`. */
  readonly agent: string
  /** Who takes part, by name. */
  readonly agents: ReadonlyArray<string>
  /**
   * The random numbers of the episode: numpy's `Generator(PCG64(SeedSequence(seed)))`. Hindcast keeps its state in the
   * world's document, so that a world that was restored draws the same numbers. Draw all random numbers from it.
   */
  readonly rng: Generator
}

/** What an agent gets for a step of a world. */
export interface Step {
  /** A finite number, or several named ones, of which the sum is the reward. */
  readonly reward: number | { readonly [name: string]: number }
  /** Whether the episode came to its end by the world's own rules. Default: false. */
  readonly terminated?: boolean
  /** Whether it was ended by a limit from outside, such as a number of steps. Default: false. */
  readonly truncated?: boolean
  /** Where it terminated: how the task of an agent ends. Default: `achieved`. */
  readonly outcome?: "achieved" | "failed"
  /** What is worth knowing besides, such as metrics. */
  readonly info?: JsonObject
}

/** A function's answer, now or later. */
type Eventually<Value> = Value | Promise<Value>

/** What a world for one agent and a world for several have in common. */
interface CommonWorld {
  /** Begins an episode. To refuse the options, throw. What it returns is the first `info`. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most functions return nothing.
  readonly reset: (context: WorldContext, options: JsonObject) => Eventually<void | { readonly info?: JsonObject }>
  /** What `context.agent` is shown now: a function of the state alone, in the observation space. */
  readonly observe: (context: WorldContext) => Eventually<Json>
  /**
   * Which actions are legal for `context.agent` now: 1 or 0 in the shape that Gymnasium's masks of the action space have,
   * or null for all. Another shape is a failed reading (`MaskOutsideSpace`). The manifest says `mask: true` if the world has it and
   * refuses the others, or `"advice"` if it takes them.
   */
  readonly mask?: (context: WorldContext) => Eventually<Json>
  /** The whole state as one JSON object. Its key `episode` is Hindcast's. */
  readonly state: () => JsonObject
  /** As `Environment.restore`. */
  readonly restore?: (context: WorldContext, options: JsonObject, state: JsonObject) => Eventually<void>
}

/** A world for one agent: an environment that can be stepped, as the reinforcement-learning field knows them. */
export interface World extends CommonWorld {
  readonly mode?: undefined
  /** The spaces, where the options change those that the manifest declares; undefined where they do not. */
  readonly spaces?: (options: JsonObject) => Spaces | undefined
  /** Takes one action. To refuse it, throw before anything has changed. */
  // biome-ignore lint/suspicious/noExplicitAny: an author names the actions that the action space promises.
  readonly step: (context: WorldContext, action: any) => Eventually<Step>
}

/** A world for several agents. */
export interface MultiAgentWorld extends CommonWorld {
  /** `parallel`: all agents act in each round. `turn-based`: one agent acts in each step. */
  readonly mode: "parallel" | "turn-based"
  /** The spaces of an agent, where the options change those that the manifest declares; undefined where they do not. */
  readonly spaces?: (options: JsonObject, agent: string) => Spaces | undefined
  /**
   * Takes the actions that came, by agent: of all agents, fewer where some were late, or of the one whose turn it is.
   * Returns what agents get for it: each that acted, and others too, in the order of their names.
   */
  readonly step: (
    context: WorldContext,
    // biome-ignore lint/suspicious/noExplicitAny: an author names the actions that the action space promises.
    actions: { readonly [agent: string]: any },
  ) => Eventually<{ readonly [agent: string]: Step }>
  /**
   * Turn-based: whose turn it is, or null if nobody's. The turn of an agent that has left, or whose episode is over, is
   * that of the next one by name.
   */
  readonly turn?: () => string | null
  /** An agent joins in the middle of an episode. To refuse it, throw. */
  readonly join?: (context: WorldContext, agent: string) => Eventually<void>
  /** An agent leaves. */
  readonly leave?: (context: WorldContext, agent: string) => Eventually<void>
  /**
   * The world moves by itself for some milliseconds of its time. Returns what agents get meanwhile: their rewards are
   * recorded, and the end of an agent's episode ends its run. What else has happened they observe.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: most functions return nothing.
  readonly tick?: (context: WorldContext, milliseconds: number) => Eventually<void | { readonly [agent: string]: Step }>
}

/** The context of a measure's function. It has no host requests: the task's events are the only data it can ask for. */
export type JudgeContext = Pick<
  PluginContext,
  "variables" | "metadata" | "log" | "signal" | "random" | "now" | "progress"
>

/** An event of a judged task, as in the log. */
export interface TaskEvent {
  /** The position in the log. Verdicts cite it. */
  readonly position: number
  readonly id: string
  /** The event type: `SensorRead`, `ActuatorCommanded`, `EnvironmentChanged`, `TaskClosed` … */
  readonly type: string
  readonly actor: string
  /** The id of the event that caused this one. */
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
  readonly per?: "task" | "occurrence" | "step"
}

/** A completed task, as a measure's function sees it. It is a copy: mutations have no effect. */
export interface JudgedTask {
  readonly id: string
  readonly goal: string
  /** `name@version` */
  readonly agent: string
  /** `achieved`, `failed`, `abandoned` or `truncated`; null if the task is still open. */
  readonly outcome: string | null
  /** The recorded state at the task's end: readings by `plugin/sensor`, environment documents by plugin. */
  readonly state: { readonly readings: JsonObject; readonly environment: JsonObject; readonly [key: string]: Json }
  /** The measure to judge by, as in the rubric. */
  readonly measure: {
    readonly name: string
    readonly description: string
    readonly rewards: ReadonlyArray<JudgedReward>
    readonly punishments: ReadonlyArray<JudgedReward>
  }
  /**
   * The task's events in order, up to its end, without the events of earlier scorings. They are read in chunks during
   * iteration, so memory does not grow with the task's length. Each iteration starts from the first event.
   */
  readonly events: AsyncIterable<TaskEvent>
}

/** A judgement of one reward or punishment. A reward without a verdict did not occur. */
export interface Verdict {
  /** The name of a reward or punishment of the measure. */
  readonly name: string
  /** Needed if a reward and a punishment of the measure have the same name. */
  readonly kind?: "reward" | "punishment"
  /**
   * How often it occurred, a whole number. Default: 1. Verdicts about the same reward add up. A reward with `per:
   * "task"` counts at most once.
   */
  readonly occurrences?: number
  /** The positions of the task's events that are the evidence. At least one, unless `occurrences` is 0. */
  readonly because: ReadonlyArray<number>
  /** The reason, in words. It stays in the log when personal data is shredded, so it must not contain any. */
  readonly rationale?: string
}

/**
 * Judges a task by a measure. It runs after the task has ended, in a sandbox without permissions. It may be called again
 * for the same task, so it must keep no state between calls: the same events must give the same verdicts.
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

/** The default export of a plugin's entry. It must export exactly the components that the manifest declares. */
export interface Plugin {
  readonly sensors?: { readonly [name: string]: Sensor }
  readonly actuators?: { readonly [name: string]: Actuator }
  readonly environment?: Environment
  /** By the name of an actuator: how to find out what became of its commands that a crash left in doubt. */
  readonly settle?: { readonly [actuator: string]: Settle }
  /** Functions by the measure's name, one for each measure whose `critic` in the manifest is `plugin`. */
  readonly measures?: { readonly [name: string]: Judge }
}

/**
 * The default export of the entry of a plugin whose manifest declares the spaces of its environment. The sensor
 * `observation` and the actuator `step` follow from the world, and are not exported.
 */
export interface WorldPlugin extends Omit<Plugin, "environment"> {
  readonly environment: World | MultiAgentWorld
}
