/**
 * Tools of the embedding program: functions that agents call like a plugin's actuators.
 *
 * A tool has the same schemas, gate, time-outs, audit and events as an actuator. No sandbox confines it. Its code is
 * not copied, so a fork of a task runs today's code.
 */

import type { Risk } from "../../plugins/manifest/Manifest.ts"
import type { Retry } from "../../plugins/manifest/policies/ToolPolicies.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { DataSchema, Described, Returnable } from "./DataSchema.ts"
import type { Answer, KeyedCommand, NeededBy, Opaque, ToolContext } from "./ProgramFunction.ts"

export type { Retry } from "../../plugins/manifest/policies/ToolPolicies.ts"
export type { DataSchema } from "./DataSchema.ts"
export type { KeyedCommand, ToolContext } from "./ProgramFunction.ts"

/** A tool. `Services` are the needs of its `run`, which its layer passes on. */
export interface Tool<out Services = never> extends Opaque<"tool", Services> {}

/** Tools by name: agents call the tool `lookup` as `program/lookup`. */
export interface Tools {
  readonly [name: string]: Tool<unknown>
}

/** Options of `make`. */
export interface ToolOptions<
  Args extends DataSchema,
  Result extends DataSchema,
  Returned,
  Settling = Settled<Returnable<Result, unknown>>,
> {
  readonly description: string
  /**
   * The arguments: an object. A command whose arguments do not fit is denied without asking anybody. `run` receives
   * them decoded; a mistake that only decoding finds fails the command. Default: any object.
   */
  readonly args?: Args
  /** The result, which an Effect Schema encodes and a Standard Schema validates. A result that does not fit is not recorded; its command has succeeded. Default: any JSON. */
  readonly result?: Result
  /**
   * How much harm a command can do. The program declares it, and no grant raises it. Default: undeclared; the standard
   * gate then asks a person.
   */
  readonly risk?: Risk
  /** Whether repeating a command has no further effect. Default: unknown. */
  readonly idempotent?: boolean
  /**
   * Whether it may run together with the other calls of a model's answer. The calls of an answer run concurrently if
   * each is `concurrent` or has the risk `none`; otherwise one by one, in order. Default: false.
   */
  readonly concurrent?: boolean
  /**
   * Whether its commands in one task never run at the same time: the calls of an answer with such a tool run one by
   * one, whatever its risk. Default: false.
   */
  readonly sequential?: boolean
  /**
   * Retries of a command whose `run` threw or failed: `times`, at most 10, with waits that double from `waitMs` (default:
   * 1000). After a time-out the outcome is unknown, so it is not retried. Needs `idempotent` or `idempotencyKey`. Each
   * failed attempt is recorded as `CommandAttemptFailed`. Default: none.
   */
  readonly retry?: Retry
  /**
   * Longest result that a model sees at once, in bytes of its JSON, at least 64. A longer one is cut, and the model reads
   * the rest with the tool `read_result`. The log keeps the whole result. Default: no limit.
   */
  readonly maxResultBytes?: number
  /**
   * For how many milliseconds a result stands for further commands with the same arguments in the same task. They pass
   * the gate, but are not executed; `CommandSucceeded` names the command that the result is from. Default: never.
   */
  readonly cacheFor?: number
  /**
   * Makes the key by which `run`'s service recognizes a repeated request (`context.idempotencyKey`). Must return the
   * same text for the same command. With it, the kernel may send a command again after a failure (`retry`) or a crash.
   */
  readonly idempotencyKey?: (args: Described<Args, JsonObject>, command: KeyedCommand) => string
  /** Waiting commands with a higher priority go first. Default: 0. */
  readonly priority?: number
  /** Time limit of a call, in milliseconds. Default: 30 000. */
  readonly timeout?: number
  /** Recorded with the tool. A changed entry, such as `version`, makes a new version of the program's plugin. */
  readonly metadata?: JsonObject
  /**
   * Executes a command. Returns JSON, or a value for `result` to encode: as a value, a promise or an Effect.
   * `undefined` counts as null. An error that it throws, fails or dies with becomes the command's failure.
   *
   * At the time-out, or when its task closes, an Effect is interrupted and `context.signal` aborts. A promise that
   * ignores the signal continues on its own. A loop that never yields stops the whole program, including its time-outs.
   */
  readonly run: (args: Described<Args, JsonObject>, context: ToolContext) => Returned
  /**
   * Finds the outcome of a command that was dispatched before the kernel was killed. A resumed task calls it before
   * anything else acts. It must change nothing. If it cannot tell, or fails, a person has to find out. Default: nobody
   * is asked.
   */
  readonly settle?: (commandId: string, args: Described<Args, JsonObject>, context: ToolContext) => Settling
}

/** The outcome of a command, as far as its tool can find out. */
export type Settled<Result> =
  | { readonly status: "succeeded"; readonly result: Result }
  | { readonly status: "failed"; readonly error: { readonly code: string; readonly message: string } }
  | { readonly status: "unknown"; readonly reason?: string }

/**
 * Makes a tool. Its layer reports mistakes in the options, all at once.
 *
 * ```ts
 * Hindcast.layer({
 *   log: "agents.db",
 *   tools: {
 *     lookup: Tool.make({
 *       description: "Looks a customer up",
 *       args: z.object({ id: z.number() }),
 *       risk: "none",
 *       run: ({ id }) => Effect.flatMap(Customers, (customers) => customers.find(id)),
 *     }),
 *   },
 * }) // a layer that needs Customers
 * ```
 */
export const make = <
  const Returned extends Answer<Returnable<Result, unknown>>,
  const Args extends DataSchema = JsonObject,
  const Result extends DataSchema = JsonObject,
  const Settling extends Answer<Settled<Returnable<Result, unknown>>> = Settled<Returnable<Result, unknown>>,
>(
  options: ToolOptions<Args, Result, Returned, Settling>,
): Tool<NeededBy<Returned> | NeededBy<Settling>> =>
  // Only the compiler knows the services.
  options as unknown as Tool<NeededBy<Returned> | NeededBy<Settling>>
