/**
 * The types for plugin authors: `import type { Plugin } from "hindcast/plugin"`.
 *
 * They exist at compile time only: an entry default-exports a plain object and needs nothing of Hindcast at run time.
 * It is one module without imports: Deno does not resolve those of the package's declarations, which end in `.ts`.
 *
 * @module hindcast/plugin
 */

/** Any JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** A command's arguments, or an environment's options. */
export type JsonObject = { readonly [key: string]: Json }

/** Numbers in nested lists, in the layout of numpy's `tolist`. A Box also holds `"Infinity"` and `"-Infinity"`. */
export type Nested<A = number> = A | ReadonlyArray<Nested<A>>

/** A bound of a Box. Infinities are text, because JSON has none. */
export type Bound = number | "Infinity" | "-Infinity"

/** A Box of numbers, in nested lists of its shape: `[]` is one number, `[2, 3]` is two lists of three. */
export interface BoxSpace {
  readonly type: "Box"
  /** A numpy dtype: `float32`, `float64`, `int64`, `uint8` … A `bool` has `false` and `true` as values and bounds. */
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
  /** Nested lists of the shape, or one bound for every entry. */
  readonly low: Nested<Bound | boolean>
  readonly high: Nested<Bound | boolean>
}

/** The integers from `start` (default: 0) to `start + n - 1`. */
export interface DiscreteSpace {
  readonly type: "Discrete"
  readonly n: number
  readonly start?: number
  readonly dtype?: string
}

/** Several Discrete spaces, in nested lists of the shape of `nvec`. */
export interface MultiDiscreteSpace {
  readonly type: "MultiDiscrete"
  readonly nvec: Nested
  /** The lowest value of each, in the shape of `nvec`. Default: 0 for each. */
  readonly start?: Nested
  readonly dtype?: string
}

/** Lists of 0 and 1: `n` of them, or nested lists of the shape `n`. */
export interface MultiBinarySpace {
  readonly type: "MultiBinary"
  readonly n: number | ReadonlyArray<number>
}

/** A list with one value per subspace. */
export interface TupleSpace {
  readonly type: "Tuple"
  readonly subspaces: ReadonlyArray<Space>
}

/** An object with exactly these keys. */
export interface DictSpace {
  readonly type: "Dict"
  readonly subspaces: { readonly [key: string]: Space }
}

/** A text; its length counts Unicode code points. */
export interface TextSpace {
  readonly type: "Text"
  /** Default: 1. */
  readonly min_length?: number
  readonly max_length: number
  /** The allowed characters. Default: all. */
  readonly charset?: string
}

/** A list of at most 65,536 values of one space. */
export interface SequenceSpace {
  readonly type: "Sequence"
  readonly feature_space: Space
  /** Whether Gymnasium stacks the values into arrays. In JSON, they are a list either way. */
  readonly stack?: boolean
}

/**
 * A graph: `{ nodes, edges, edge_links }`. `nodes` and `edges` list values of their spaces, at most 65,536 each.
 * `edge_links` holds, for each edge, the indices of the two nodes that it joins. A graph without edges has null for
 * `edges` and `edge_links`.
 */
export interface GraphSpace {
  readonly type: "Graph"
  readonly node_space: Space
  /** Default: null, for graphs without edges. */
  readonly edge_space?: Space | null
}

/** A value of one of the subspaces, as `[index of the subspace, value]`. */
export interface OneOfSpace {
  readonly type: "OneOf"
  readonly subspaces: ReadonlyArray<Space>
}

/**
 * The set of possible observations or actions: Gymnasium's spaces in Minari's JSON. Spaces that Minari does not write
 * use Gymnasium's field names.
 */
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
 * numpy's `Generator(PCG64(SeedSequence(seed)))`. The same seed and the same sequence of calls give the same numbers,
 * bit for bit.
 */
export interface Generator {
  /** Numbers in [0, 1). */
  readonly random: { (): number; (count: number): Array<number> }
  /** Numbers in [low, high). */
  readonly uniform: { (low: number, high: number): number; (low: number, high: number, count: number): Array<number> }
  /** Integers in [low, high), or in [0, low) without `high`. */
  readonly integers: {
    (low: number, high?: number): number
    (low: number, high: number | undefined, count: number): Array<number>
  }
  /** Picks from a list, or from the integers below a number. The probabilities `p` sum to 1. */
  readonly choice: {
    (below: number, p?: ReadonlyArray<number>): number
    <A>(list: ReadonlyArray<A>, p?: ReadonlyArray<number>): A
  }
  /**
   * An index drawn with the probabilities `p`, as Gymnasium's `categorical_sample` does:
   * `argmax(cumsum(p) > random())`.
   */
  readonly categorical: (p: ReadonlyArray<number>) => number
  /** Shuffles a list in place. */
  readonly shuffle: (list: Array<unknown>) => void
  /** A shuffled copy of the list, or of the integers below a number. */
  readonly permutation: { (below: number): Array<number>; <A>(list: ReadonlyArray<A>): Array<A> }
}

/**
 * Elementary functions that return the same bits in every JavaScript engine and on every machine. The last bit of
 * `Math.sin` depends on the engine's version, so a world that uses `Math` may diverge from its recording. `exp`, `log`
 * and `pow` return the results of glibc, and so of numpy; the others are correctly rounded. `+`, `-`, `*`, `/`, `%`,
 * `Math.sqrt`, `fround`, `abs`, `floor` and the like are exact everywhere; `**` is not.
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
  /** Receives the text of the response's body as it comes. */
  readonly onText?: (text: string) => void
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
   *
   * At a URL of `ws:` or `wss:`, GET opens the process's WebSocket, and POST sends its body as a message and resolves
   * with the next message. When the connection is lost, POST rejects until another GET.
   */
  readonly fetch: (url: string, options?: FetchOptions) => Promise<FetchResult>
  /**
   * Reports the call's progress to the caller: a fraction from 0 to 1, or a few words. The outcome of a command
   * records up to 100 reports. A busy caller receives only the newest one.
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

/**
 * The default export of the module that the manifest's `precomputed` names. It returns at most 64 MiB, the same bytes
 * on every machine and in every run. It runs in the plugin's sandbox without grants. The log takes what it prints,
 * which is not part of the bytes.
 */
export type Precompute = () => Uint8Array | Promise<Uint8Array>

/** Returns a reading. */
export type Sensor = (context: PluginContext) => Json | Promise<Json>

/**
 * Carries out a command and returns its result. To refuse a command, throw: the error's message and its `code`, if that
 * is a string, become the command's failure.
 */
// biome-ignore lint/suspicious/noExplicitAny: an author names the arguments that the manifest's `args` schema promises.
export type Actuator = (context: PluginContext, args: any) => Json | Promise<Json>

/** How a command ended, as far as the world shows it. */
export type Settled =
  | { readonly status: "succeeded"; readonly result: Json }
  | { readonly status: "failed"; readonly error: { readonly code: string; readonly message: string } }
  | { readonly status: "unknown"; readonly reason?: string }

/**
 * Finds out how a command ended whose kernel was killed before the log had its outcome. It runs in a new process, must
 * change nothing (`context.writeFile` refuses), and may run again. If it cannot tell, it returns `unknown`.
 */
export type Settle = (
  context: PluginContext,
  commandId: string,
  // biome-ignore lint/suspicious/noExplicitAny: an author names the arguments that the manifest's `args` schema promises.
  args: any,
) => Settled | Promise<Settled>

/** An environment with state of its own. By default, its process serves one task; the manifest can change that. */
export interface Environment {
  /**
   * Puts the environment into its first state. `options` configure it, for example with a scenario. Throw to refuse
   * them.
   */
  readonly reset: (context: PluginContext, options: JsonObject) => void | Promise<void>
  /** The whole state as one JSON document. The host calls it after each reset and each command. */
  readonly state: () => Json
  /**
   * Restores a state that `state` returned earlier, given the options of that earlier reset. A manifest with `snapshot`
   * in `rewind` requires it. It runs in a new process, and afterwards `state` must return an equal document.
   */
  readonly restore?: (context: PluginContext, options: JsonObject, state: Json) => void | Promise<void>
}

/** The spaces of a world: its possible observations and actions. */
export interface Spaces {
  readonly observation: Space
  readonly action: Space
}

/** The first argument of a world's functions. */
export interface WorldContext extends PluginContext {
  /**
   * The agent that observes or acts. In a world for one agent, it is `"agent"`. In other calls, the first of `agents`.
   */
  readonly agent: string
  /** The agents that take part, sorted by name. */
  readonly agents: ReadonlyArray<string>
  /**
   * The episode's random numbers: numpy's `Generator(PCG64(SeedSequence(seed)))`. Draw all random numbers from it.
   * Hindcast keeps its state in the world's document, so a restored world draws the same numbers.
   */
  readonly rng: Generator
  /**
   * In `reset`, the episode's seed, for a world that gives it to somebody else. Null elsewhere, and if the episode
   * continues the random numbers of the one before.
   */
  readonly seed: number | null
}

/** An agent's result of one step. */
export interface Step {
  /** A finite number, or several named ones whose sum is the reward. */
  readonly reward: number | { readonly [name: string]: number }
  /** Whether the episode ended by the world's own rules. Default: false. */
  readonly terminated?: boolean
  /** Whether an outside limit, such as a number of steps, ended the episode. Default: false. */
  readonly truncated?: boolean
  /** The outcome of the agent's task if the episode terminated. Default: `achieved`. */
  readonly outcome?: "achieved" | "failed"
  /** Anything else worth recording, such as metrics. */
  readonly info?: JsonObject
}

/** A value, or a promise of it. */
type Eventually<Value> = Value | Promise<Value>

/** The members that both kinds of world share. */
interface CommonWorld {
  /** Begins an episode and returns its first `info`. Throw to refuse the options. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most functions return nothing.
  readonly reset: (context: WorldContext, options: JsonObject) => Eventually<void | { readonly info?: JsonObject }>
  /** The observation of `context.agent`, in the observation space. It must depend on the state alone. */
  readonly observe: (context: WorldContext) => Eventually<Json>
  /**
   * The legal actions of `context.agent`: 1 or 0 in the shape of Gymnasium's mask for the action space, or null for
   * all. A mask of another shape fails the reading (`MaskOutsideSpace`). Declare `mask: true` in the manifest if the
   * world refuses illegal actions, or `"advice"` if it accepts them.
   */
  readonly mask?: (context: WorldContext) => Eventually<Json>
  /** The whole state as one JSON object. Hindcast owns its key `episode`. */
  readonly state: () => JsonObject
  /** Restores a state, as `Environment.restore` does. */
  readonly restore?: (context: WorldContext, options: JsonObject, state: JsonObject) => Eventually<void>
}

/** A world for one agent: an environment with steps, as in reinforcement learning. */
export interface World extends CommonWorld {
  readonly mode?: undefined
  /** The spaces, if the options change those of the manifest; otherwise undefined. */
  readonly spaces?: (options: JsonObject) => Spaces | undefined
  /** Takes one action. To refuse it, throw before changing anything. */
  // biome-ignore lint/suspicious/noExplicitAny: an author names the actions that the action space promises.
  readonly step: (context: WorldContext, action: any) => Eventually<Step>
}

/** A world for several agents. */
export interface MultiAgentWorld extends CommonWorld {
  /** `parallel`: all agents act in each round. `turn-based`: one agent acts in each step. */
  readonly mode: "parallel" | "turn-based"
  /** The spaces of one agent, if the options change those of the manifest; otherwise undefined. */
  readonly spaces?: (options: JsonObject, agent: string) => Spaces | undefined
  /**
   * Takes actions by agent: of all agents (fewer if some were late), or of the one whose turn it is. Returns the
   * results of each agent that acted, and of others if they get any, in the order of their names.
   */
  readonly step: (
    context: WorldContext,
    // biome-ignore lint/suspicious/noExplicitAny: an author names the actions that the action space promises.
    actions: { readonly [agent: string]: any },
  ) => Eventually<{ readonly [agent: string]: Step }>
  /**
   * Turn-based only: the agent whose turn it is, or null for none. The turn of an agent that has left or finished goes
   * to the next agent by name.
   */
  readonly turn?: () => string | null
  /** Adds an agent in the middle of an episode. Throw to refuse it. */
  readonly join?: (context: WorldContext, agent: string) => Eventually<void>
  /** Removes an agent. */
  readonly leave?: (context: WorldContext, agent: string) => Eventually<void>
  /**
   * Moves the world on by some milliseconds of its own time. Returns results by agent: Hindcast records their rewards,
   * and an ended episode ends the agent's run. Agents learn of other changes by observing.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: most functions return nothing.
  readonly tick?: (context: WorldContext, milliseconds: number) => Eventually<void | { readonly [agent: string]: Step }>
}

/** The context of a measure's function. It offers no host requests: the task's events are the function's only data. */
export type JudgeContext = Pick<
  PluginContext,
  "variables" | "metadata" | "log" | "signal" | "random" | "now" | "progress"
>

/** An event of a judged task. */
export interface TaskEvent {
  /** Its position in the log; verdicts cite it. */
  readonly position: number
  readonly id: string
  /** For example `SensorRead`, `ActuatorCommanded`, `EnvironmentChanged` or `TaskClosed`. */
  readonly type: string
  readonly actor: string
  /** The id of the event that caused this one. */
  readonly causationId: string | null
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly recordedAt: number
  readonly payload: JsonObject
}

/** A reward or punishment of a measure. */
export interface JudgedReward {
  readonly name: string
  readonly when: string
  readonly weight: number
  /** Default: `task`. */
  readonly per?: "task" | "occurrence" | "step"
}

/** A completed task, for a measure's function. It is a copy: mutating it changes nothing. */
export interface JudgedTask {
  readonly id: string
  readonly goal: string
  /** `name@version` */
  readonly agent: string
  /** `achieved`, `failed`, `abandoned` or `truncated`; null while the task is open. */
  readonly outcome: string | null
  /** The state at the task's end: readings by `plugin/sensor`, environment documents by plugin. */
  readonly state: { readonly readings: JsonObject; readonly environment: JsonObject; readonly [key: string]: Json }
  /** The measure to judge by, from the rubric. */
  readonly measure: {
    readonly name: string
    readonly description: string
    readonly rewards: ReadonlyArray<JudgedReward>
    readonly punishments: ReadonlyArray<JudgedReward>
  }
  /**
   * The task's events in order, up to its end, without those of earlier scorings. Iterating reads them in chunks, so
   * memory does not grow with the task, and each iteration starts at the first event.
   */
  readonly events: AsyncIterable<TaskEvent>
}

/** A verdict on one reward or punishment. One without a verdict did not occur. */
export interface Verdict {
  /** The reward's or punishment's name. */
  readonly name: string
  /** Required if a reward and a punishment of the measure share the name. */
  readonly kind?: "reward" | "punishment"
  /**
   * How often it occurred, an integer. Default: 1. Verdicts on the same reward add up; a reward with `per: "task"`
   * counts at most once.
   */
  readonly occurrences?: number
  /** The evidence: positions of the task's events. At least one, unless `occurrences` is 0. */
  readonly because: ReadonlyArray<number>
  /** The reason, in words. Shredding personal data does not remove it, so it must not contain any. */
  readonly rationale?: string
}

/**
 * Judges a task by a measure, after the task has ended, in a sandbox without permissions. It may run again for the same
 * task, so it must keep no state between calls: the same events must give the same verdicts.
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

/** A request of a webhook, as a plugin's listener receives it. Hindcast has checked its signature. */
export interface WebhookRequest {
  /** Names in lower case. Without `authorization` and `cookie`. */
  readonly headers: { readonly [name: string]: string }
  /** The parameters of the URL; of several with one name, the last. */
  readonly query: { readonly [name: string]: string }
  /** JSON if the request says so; otherwise text. */
  readonly body: Json
}

/** The signal that a listener finds in a request. */
export interface HeardSignal {
  readonly content: Json
  /** Its own id, by which a repetition is recognized. Default: the delivery's, from the headers. */
  readonly id?: string
  /** Where it came from. Default: the kind and the name of the listener. */
  readonly source?: string
}

/**
 * Reads the signal of a request, or returns null for one without. Hindcast opens the port, records the signal once, and
 * then answers the sender.
 *
 * ```ts
 * const orders: Listener = (context, { body }) =>
 *   body.kind === "order" ? { id: body.number, content: body } : null
 * ```
 */
export type Listener = (
  context: PluginContext,
  request: WebhookRequest,
) => HeardSignal | null | undefined | Promise<HeardSignal | null | undefined>

/** A message of the conversation that a provider continues. */
export type ProviderMessage =
  | { readonly role: "system"; readonly content: ReadonlyArray<ProviderText> }
  | { readonly role: "user"; readonly content: ReadonlyArray<ProviderText | ProviderFile> }
  | {
      readonly role: "assistant"
      readonly content: ReadonlyArray<ProviderText | ProviderFile | ProviderReasoning | ProviderCall>
    }
  | { readonly role: "tool"; readonly content: ReadonlyArray<ProviderResult> }

/** Text. */
export interface ProviderText {
  readonly type: "text"
  readonly text: string
}

/** An image or another file, as base64. */
export interface ProviderFile {
  readonly type: "file"
  /** A media type (RFC 6838), such as `image/png`. */
  readonly mediaType: string
  readonly data: string
}

/** The reasoning of an earlier answer. */
export interface ProviderReasoning {
  readonly type: "reasoning"
  readonly text: string
}

/** A tool call of an earlier answer. */
export interface ProviderCall {
  readonly type: "call"
  readonly callId: string
  readonly tool: string
  readonly args: Json
}

/** The result of a tool call, after the answer with the call. */
export interface ProviderResult {
  readonly callId: string
  readonly tool: string
  /** Whether the call did not succeed. */
  readonly isError: boolean
  readonly content: Json
}

/** A tool that the model may call. */
export interface ProviderTool {
  /** `^[a-zA-Z0-9_-]{1,64}$` */
  readonly name: string
  readonly description: string
  /** A JSON Schema of its arguments. */
  readonly args: JsonObject
}

/** Wishes of the agent for the answer. A provider that cannot fulfil a wish throws, with the code `invalid-request`. */
export interface ProviderSettings {
  readonly temperature?: number
  /** In tokens. */
  readonly maxOutputTokens?: number
  readonly toolChoice?: "auto" | "required" | "none" | { readonly tool: string }
  readonly reasoning?: "off" | "minimal" | "low" | "medium" | "high" | "max" | { readonly budgetTokens: number }
  readonly serviceTier?: "standard" | "flex" | "priority"
  /** The agent's `providerOptions` for this plugin. */
  readonly options?: JsonObject
}

/** The context of `generate`. `variables` of the manifest, and `fetch`, which reaches the granted hosts. */
export interface ProviderContext
  extends Pick<
    PluginContext,
    "variables" | "metadata" | "log" | "signal" | "random" | "now" | "run" | "readFile" | "fetch"
  > {
  /** The model's name in the manifest. */
  readonly model: string
  readonly settings: ProviderSettings
}

/** A whole answer. It is either final, with text, or calls tools. */
export interface GeneratedAnswer {
  /** Whether this is the answer to the person; false if it calls tools. */
  readonly is_final: boolean
  readonly text_content?: string
  readonly reasoning_content?: string
  /** `args` as a JSON value, or as the text that the model wrote. */
  readonly tool_calls?: ReadonlyArray<{ readonly id?: string; readonly name: string; readonly args: Json }>
  /** Present if the answer reached its limit of tokens. */
  readonly finish?: "length"
  /** The tokens that the answer used. Default: unknown, which is not zero. */
  readonly usage?: {
    /** All tokens of the request, cached ones included. */
    readonly input_tokens: number
    /** All tokens of the answer, reasoning included. */
    readonly output_tokens: number
    readonly cached_tokens?: number
    readonly reasoning_tokens?: number
  }
  /** The cost that the service names, in US dollars. Default: by the manifest's price, otherwise unknown. */
  readonly cost_usd?: number
}

/** A piece of an answer that streams. */
export interface GeneratedPiece {
  readonly text_content?: string
  readonly reasoning_content?: string
}

/**
 * A provider of language models. `generate` returns the whole answer, or is an async generator that yields pieces and
 * returns the answer, in which the text of the pieces may be left out. One that ends without an answer was cut off.
 *
 * To fail, throw an error whose `code` is a kind of `ModelFailed`: `unauthorized`, `unknown-model`, `invalid-request`,
 * `context-too-long`, `refused`, `rate-limited`, `overloaded`, `unreachable`, `timed-out`, `cut-off`, `unreadable` or
 * `empty`. With `retryAfterMs`, the agent waits that long. With `response`, the result of `context.fetch`, Hindcast
 * reads the kind, the wait and the reason from it, as for its own providers. Errors of `context.fetch` may pass through.
 */
export interface Provider {
  /** Continues a conversation, in which the model may call the tools. */
  readonly generate: (
    history: ReadonlyArray<ProviderMessage>,
    tools: ReadonlyArray<ProviderTool>,
    context: ProviderContext,
  ) => GeneratedAnswer | Promise<GeneratedAnswer> | AsyncGenerator<GeneratedPiece, GeneratedAnswer | undefined>
}

/** The default export of a plugin's entry: exactly the components that the manifest declares. */
export interface Plugin {
  readonly sensors?: { readonly [name: string]: Sensor }
  readonly actuators?: { readonly [name: string]: Actuator }
  readonly environment?: Environment
  /** By actuator: finds out how commands ended that a crash left in doubt. */
  readonly settle?: { readonly [actuator: string]: Settle }
  /** By measure: one function for each measure with `"critic": "plugin"` in the manifest. */
  readonly measures?: { readonly [name: string]: Judge }
  /** By listener: one function for each listener of the manifest. */
  readonly listeners?: { readonly [name: string]: Listener }
  /** A provider of models, or a class that gets the manifest's variables. The manifest declares its models. */
  readonly provider?: Provider | (new (config: JsonObject) => Provider)
}

/**
 * The default export of an entry whose manifest declares the spaces of its environment. Hindcast derives the sensor
 * `observation` and the actuator `step`; the entry does not export them.
 */
export interface WorldPlugin extends Omit<Plugin, "environment"> {
  readonly environment: World | MultiAgentWorld
}
