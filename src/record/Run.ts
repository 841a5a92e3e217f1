/** A run of a program that is recorded, or replayed: the same calls for both. */

import { Data } from "effect"
import type { Fetch } from "../agents/models/Fetch.ts"
import type { TaskOutcome } from "../events/vocabulary/Tasks.ts"
import type { Risk } from "../plugins/manifest/Manifest.ts"

/** Options of `run.tool`. */
export interface ToolOptions {
  /** How much harm a call can do, which the gate decides by. Default: undeclared. */
  readonly risk?: Risk
  /** What people read about it when they are asked. Default: that it is a function of the program. */
  readonly description?: string
}

/** A function whose calls are recorded: it always answers with a promise. */
export type Recorded<Args extends ReadonlyArray<unknown>, Result> = (...args: Args) => Promise<Awaited<Result>>

/** A run. */
export interface Run {
  /** The id of its task in the log. */
  readonly taskId: string
  /**
   * Makes requests as the global `fetch` does, and records them; to be given to the client of a model. Keys are not
   * recorded.
   */
  readonly fetch: Fetch
  /**
   * A function as a tool: its calls are commands, which pass the gate, with their outcomes. A call that is refused
   * rejects with `ToolDenied`. Arguments and results are recorded as JSON: what JSON cannot hold (functions, dates as
   * dates) a replay does not give back.
   */
  readonly tool: <Args extends ReadonlyArray<unknown>, Result>(
    name: string,
    does: (...args: Args) => Result,
    options?: ToolOptions,
  ) => Recorded<Args, Result>
  /** A function as a sensor: what each call reads is recorded. */
  readonly sensor: <Reading>(name: string, reads: () => Reading) => Recorded<[], Reading>
  /** A function whose calls and answers are recorded, and which a replay answers for: a database, a clock. */
  readonly io: <Args extends ReadonlyArray<unknown>, Result>(
    name: string,
    does: (...args: Args) => Result,
  ) => Recorded<Args, Result>
  /** The time in epoch milliseconds, as `Date.now`. */
  readonly now: () => number
  /** A number in [0, 1), as `Math.random`. */
  readonly random: () => number
  /**
   * Ceases to record, and leaves the task open: waits for what is being recorded, and closes the log. Another process, or a later call of
   * this one, goes on with `record({ id, continue: true })`: after an interrupt, or when a serverless function is called again.
   */
  readonly leave: () => Promise<void>
  /**
   * Ends the run: waits for what is being recorded, closes its task and then its log. Without it, the task stays open in the
   * log, and the next one that opens the log closes it as `abandoned`.
   */
  readonly end: (outcome: TaskOutcome, reason?: string) => Promise<void>
}

/** The run is over: begin another. */
export class RunEnded extends Data.TaggedError("RunEnded")<{ readonly taskId: string; readonly call: string }> {
  override get message() {
    return `${this.call}: expected it before the end of run ${this.taskId}, found it after. Record another run.`
  }
}

/** The run cannot be continued: its task is closed, or is none that was recorded. Record another run, under another id. */
export class RunNotOpen extends Data.TaggedError("RunNotOpen")<{
  readonly taskId: string
  readonly found: string
}> {
  override get message() {
    return `Run ${this.taskId}: expected a recorded task that is open, to continue it, found ${this.found}. End a run that another process is to continue with \`run.leave()\`, or record another one.`
  }
}

/** A tool was not called: the gate or a person refused, or nobody answered. */
export class ToolDenied extends Data.TaggedError("ToolDenied")<{
  readonly tool: string
  /** The gate's rule, or `expired`. */
  readonly rule: string
  readonly reason: string
}> {
  override get message() {
    return `${this.tool} was not called, by ${this.rule}: ${this.reason}`
  }
}

/** Choose another name: a tool, sensor or io of the run has this one. */
export class NameTaken extends Data.TaggedError("NameTaken")<{
  readonly kind: "tool" | "sensor" | "io"
  readonly name: string
}> {
  override get message() {
    return `run.${this.kind}: expected a name of its own, found ${JSON.stringify(this.name)} for a second time. Keep the function that the first call returned.`
  }
}
