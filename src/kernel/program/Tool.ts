/**
 * Tools of the embedding program: functions that agents call as they call a plugin's actuators.
 *
 * A tool passes the same schemas, gate, time-outs and audit as a plugin's actuator, and leaves the same events. It is
 * trusted: no sandbox confines it. Its code is not copied, so a fork of a task runs the code of today.
 */

import type { Risk } from "../../plugins/manifest/Manifest.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { DataSchema, Described } from "./DataSchema.ts"
import type { Answer, NeededBy, Opaque, ToolContext } from "./ProgramFunction.ts"

export type { DataSchema } from "./DataSchema.ts"
export type { ToolContext } from "./ProgramFunction.ts"

/** A tool. `Services` are those that its `run` needs; the layer that it is given to needs them. */
export interface Tool<out Services = never> extends Opaque<"tool", Services> {}

/** Tools by their names. Agents call the tool `lookup` as `program/lookup`. */
export interface Tools {
  readonly [name: string]: Tool<unknown>
}

/** Options of `make`. */
export interface ToolOptions<
  Args extends DataSchema,
  Result extends DataSchema,
  Returned,
  Settling = Settled<Described<Result, unknown>>,
> {
  /** What agents are told of it. */
  readonly description: string
  /**
   * The arguments: an object. A command whose arguments do not fit is denied before anybody is asked. By an Effect Schema
   * they are decoded; what only the decoding can refuse fails the command. Default: any object.
   */
  readonly args?: Args
  /** The result, which an Effect Schema encodes. A result that does not fit is not recorded; its command has succeeded. Default: any JSON. */
  readonly result?: Result
  /**
   * How much harm a command can do. It is the program's own word, and no grant raises it. Default: undeclared, about
   * which the standard gate asks a person.
   */
  readonly risk?: Risk
  /** Whether doing it twice is as good as once. Default: unknown. */
  readonly idempotent?: boolean
  /**
   * Whether it may run at the same time as the other calls of a model's answer. The calls of an answer run concurrently
   * if each of them is `concurrent` or has the risk `none`; otherwise they run one by one, in the order of the answer.
   * Default: false.
   */
  readonly concurrent?: boolean
  /** Higher goes first where commands wait. Default: 0. */
  readonly priority?: number
  /** How long a call may take, in milliseconds. Default: 30 000. */
  readonly timeout?: number
  /** Recorded with the tool. A changed entry, such as `version`, makes a new version of the program's plugin. */
  readonly metadata?: JsonObject
  /**
   * Carries out a command. Answers with JSON, or with what `result` encodes: as a value, a promise or an Effect. No answer
   * (`undefined`) is null. What it throws, or fails or dies with, is the command's failure.
   *
   * At the time-out, or when its task closes, an Effect is interrupted and `context.signal` aborts. A promise that does
   * not listen is left alone. A loop that never yields cannot be stopped: it stops the whole program, its time-outs too.
   */
  readonly run: (args: Described<Args, JsonObject>, context: ToolContext) => Returned
  /**
   * Finds out what became of a command that was dispatched before the kernel was killed, and whose outcome is not in the
   * log. A resumed task asks it before anything else acts. It is a question: it must change nothing. If it cannot tell, or
   * fails, a person is left to find out. Default: nobody is asked.
   */
  readonly settle?: (commandId: string, args: Described<Args, JsonObject>, context: ToolContext) => Settling
}

/** What became of a command, as far as its tool can find out. */
export type Settled<Result> =
  | { readonly status: "succeeded"; readonly result: Result }
  | { readonly status: "failed"; readonly error: { readonly code: string; readonly message: string } }
  | { readonly status: "unknown"; readonly reason?: string }

/**
 * A tool from its options. Mistakes in them are reported by the layer that the tool is given to, all at once.
 *
 * ```ts
 * Hindcast.layer({
 *   log: "agents.db",
 *   tools: {
 *     lookup: Tool.make({
 *       description: "Looks a customer up",
 *       args: Schema.Struct({ id: Schema.NumberFromString }),
 *       risk: "none",
 *       run: ({ id }) => Effect.flatMap(Customers, (customers) => customers.find(id)),
 *     }),
 *   },
 * }) // a layer that needs Customers
 * ```
 */
export const make = <
  const Returned extends Answer<Described<Result, unknown>>,
  Args extends DataSchema = JsonObject,
  Result extends DataSchema = JsonObject,
  const Settling extends Answer<Settled<Described<Result, unknown>>> = Settled<Described<Result, unknown>>,
>(
  options: ToolOptions<Args, Result, Returned, Settling>,
): Tool<NeededBy<Returned> | NeededBy<Settling>> =>
  // The services are known to the compiler only.
  options as unknown as Tool<NeededBy<Returned> | NeededBy<Settling>>
