/** The interface of a run, the same while recording and while replaying. */

import { Data } from "effect"
import type { Fetch } from "../agents/models/Fetch.ts"
import type { TaskOutcome } from "../events/vocabulary/Tasks.ts"
import type { Risk } from "../plugins/manifest/Manifest.ts"

/** Options of `run.tool`. */
export interface ToolOptions {
  /** How much harm a call can do; gate rules use it. Default: undeclared. */
  readonly risk?: Risk
  /** Shown to people who confirm a call. Default: "A function of the recorded program". */
  readonly description?: string
}

/** A function whose calls are recorded. It always returns a promise. */
export type Recorded<Args extends ReadonlyArray<unknown>, Result> = (...args: Args) => Promise<Awaited<Result>>

/** A run of a program with an agent of its own. */
export interface Run {
  readonly taskId: string
  /** A `fetch` that records each request and its response, without keys. Pass it to the model's client. */
  readonly fetch: Fetch
  /**
   * Wraps a function as a tool. Each call is a command: it passes the gate, and its outcome is recorded. A refused call
   * rejects with `ToolDenied`. Arguments and results are recorded as JSON, so a replay returns no functions and no
   * `Date`.
   */
  readonly tool: <Args extends ReadonlyArray<unknown>, Result>(
    name: string,
    does: (...args: Args) => Result,
    options?: ToolOptions,
  ) => Recorded<Args, Result>
  /** Wraps a function as a sensor and records each reading. */
  readonly sensor: <Reading>(name: string, reads: () => Reading) => Recorded<[], Reading>
  /**
   * Wraps any other function, such as a database query. Its calls and results are recorded, and a replay returns them.
   */
  readonly io: <Args extends ReadonlyArray<unknown>, Result>(
    name: string,
    does: (...args: Args) => Result,
  ) => Recorded<Args, Result>
  /** `Date.now()`, recorded. */
  readonly now: () => number
  /** `Math.random()`, recorded. */
  readonly random: () => number
  /**
   * Stops recording, waits for pending writes and closes the log, but leaves the task open. Another process, or a later
   * call in this one, continues it with `record({ id, continue: true })`: after an interrupt, or between serverless
   * invocations.
   */
  readonly leave: () => Promise<void>
  /**
   * Ends the run: waits for pending writes, closes the task, then the log. If nobody ends a run, its task stays open
   * until the next process that opens the log closes it as `abandoned`.
   */
  readonly end: (outcome: TaskOutcome, reason?: string) => Promise<void>
}

/** The run has ended. Record another one. */
export class RunEnded extends Data.TaggedError("RunEnded")<{ readonly taskId: string; readonly call: string }> {
  override get message() {
    return `${this.call}: expected a call before run ${this.taskId} ended, found one after. Record another run.`
  }
}

/**
 * The run cannot be continued, because its task is closed or no recorder opened it. Record another run with another id.
 */
export class RunNotOpen extends Data.TaggedError("RunNotOpen")<{
  readonly taskId: string
  readonly found: string
}> {
  override get message() {
    return `Run ${this.taskId} cannot be continued: expected an open recorded task, found ${this.found}. End a run with \`run.leave()\` if another process continues it, or record another run.`
  }
}

/** A tool was not called: the gate or a person refused, or nobody answered in time. */
export class ToolDenied extends Data.TaggedError("ToolDenied")<{
  readonly tool: string
  /** The gate rule, or `expired`. */
  readonly rule: string
  readonly reason: string
}> {
  override get message() {
    return `${this.tool} was not called (rule ${this.rule}): ${this.reason}`
  }
}

/** Another tool, sensor or io function of the run has this name. */
export class NameTaken extends Data.TaggedError("NameTaken")<{
  readonly kind: "tool" | "sensor" | "io"
  readonly name: string
}> {
  override get message() {
    return `run.${this.kind}: expected a new name, found ${JSON.stringify(this.name)}, which is taken. Reuse the function that the first call returned.`
  }
}
