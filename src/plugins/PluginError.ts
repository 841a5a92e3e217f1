/** The errors of starting a plugin and of calling its components. Each doc comment begins with the remedy. */
import { Data } from "effect"
import type { Failure } from "../events/vocabulary/EventType.ts"
import type { Json } from "../values/Json.ts"
import { visibleLines } from "../values/PlainText.ts"

/** Install or fix the path: the plugin's process could not be started at all. */
export class PluginUnavailable extends Data.TaggedError("PluginUnavailable")<{
  readonly plugin: string
  /** What was expected, what was found and what to do, in one or two sentences. */
  readonly reason: string
  /** Whether there is nothing at the path that was named. */
  readonly missing?: boolean
}> {
  override get message() {
    return visibleLines(`Plugin ${this.plugin} is not available: ${this.reason}`)
  }
}

/** Fix the plugin: its entry threw, has no valid default export, or did not answer the handshake. */
export class PluginFailedToLoad extends Data.TaggedError("PluginFailedToLoad")<{
  readonly plugin: string
  readonly reason: string
  /** The last lines that the process wrote to its standard error. */
  readonly stderr: ReadonlyArray<string>
}> {
  /** The error's text, and the first stack frame in the plugin. The full traces are in `details` and in the log. */
  override get message() {
    const reason = withoutFrames(this.reason).join("\n")
    const thrownAt = FRAME_LOCATION.exec(frames(this.reason).find((line) => !OWN_FRAME.test(line)) ?? "")?.[1]
    const lines = this.stderr.flatMap(withoutFrames).map((line) => `\n  | ${line}`)
    const at = thrownAt === undefined ? "" : ` (at ${thrownAt})`
    return visibleLines(`Plugin ${this.plugin} did not load: ${reason}${at}${lines.join("")}`)
  }

  /** The reason and the standard error with all stack traces, for programs. */
  get details(): string {
    return [this.reason, ...this.stderr].join("\n")
  }
}

/** A line of a V8 stack trace. */
const FRAME = /^\s+at /

/** The location of a stack frame: file, line and column. */
const FRAME_LOCATION = /file:\/\/([^\s)]+:\d+:\d+)/

/** A stack frame of the host's own runner. It is never the cause, so the message skips it. */
const OWN_FRAME = /\/runner\/runner\.[jt]s:/

const frames = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => FRAME.test(line))

const withoutFrames = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => !FRAME.test(line))

/**
 * Fix the manifest or the entry: the components that the manifest declares and those that the entry exports must be the
 * same.
 */
export class ExportsDisagree extends Data.TaggedError("ExportsDisagree")<{
  readonly plugin: string
  /** Exported but not declared: `sensor look`, `actuator take`, `environment`. */
  readonly undeclared: ReadonlyArray<string>
  /** Declared but not exported. */
  readonly missing: ReadonlyArray<string>
}> {
  override get message() {
    const parts = [
      ...(this.missing.length === 0 ? [] : [`declared but not exported: ${this.missing.join(", ")}`]),
      ...(this.undeclared.length === 0 ? [] : [`exported but not declared: ${this.undeclared.join(", ")}`]),
    ]
    return `Plugin ${this.plugin}: its manifest and its entry disagree; ${parts.join("; ")}. Change the manifest or the entry so that both have the same components.`
  }
}

/** Start the plugin again: its process ended before it answered. Whether the call took effect is unknown. */
export class PluginExited extends Data.TaggedError("PluginExited")<{
  readonly plugin: string
  readonly code: number | null
  readonly signal: string | null
  /** All calls that were unanswered when the process ended, such as `act text-room/go`. */
  readonly inFlight: ReadonlyArray<string>
  /** The call that this error answers. */
  readonly call: string
  /** Why the host ended the process. Absent if the host did not end it. */
  readonly reason?: string
}> {
  override get message() {
    const how = this.signal === null ? `with code ${this.code}` : `by ${this.signal}`
    const why = this.reason === undefined ? "" : ` (${this.reason})`
    return `Plugin ${this.plugin} ended ${how}${why} before it answered ${this.call}. In flight: ${this.inFlight.join(", ") || "nothing"}.`
  }
}

/** Fix the plugin: its process did not react to the host and was killed. Whether the call took effect is unknown. */
export class PluginStuck extends Data.TaggedError("PluginStuck")<{
  readonly plugin: string
  /** What the process did not react to, and for how long. */
  readonly reason: string
  /** All calls that were unanswered when the process was killed, such as `act text-room/go`. */
  readonly inFlight: ReadonlyArray<string>
  /** The call that this error answers. */
  readonly call: string
}> {
  override get message() {
    return `Plugin ${this.plugin} was stuck and was killed before it answered ${this.call}: ${this.reason}. In flight: ${this.inFlight.join(", ") || "nothing"}. Yield to the event loop during long computations.`
  }
}

/** Retry or raise the limit: no answer came in time. The call was cancelled. Whether it took effect is unknown. */
export class CallTimedOut extends Data.TaggedError("CallTimedOut")<{
  readonly plugin: string
  readonly call: string
  readonly afterMs: number
}> {
  override get message() {
    return `Plugin ${this.plugin} did not answer ${this.call} within ${this.afterMs} ms. The call was cancelled; whether it took effect is not known.`
  }
}

/** The plugin's function threw. This is an ordinary answer. */
export class CallFailed extends Data.TaggedError("CallFailed")<{
  readonly plugin: string
  readonly call: string
  /** The thrown error's message, and its `code` if that is a string, else its name. */
  readonly error: Failure
  /** The environment's state after the failure. Absent if the plugin has no environment. */
  readonly state?: Json
}> {
  override get message() {
    return visibleLines(`Plugin ${this.plugin} failed ${this.call}: ${this.error.code}: ${this.error.message}`)
  }
}

/** Fix the plugin: its answer is invalid. Effects of the call are not undone. */
export class AnswerInvalid extends Data.TaggedError("AnswerInvalid")<{
  readonly plugin: string
  readonly call: string
  /** What was expected, and what was found at which path. */
  readonly reason: string
  /** The environment's state afterwards. Present if the plugin has an environment and the state is valid. */
  readonly state?: Json
}> {
  override get message() {
    return visibleLines(`Plugin ${this.plugin} gave no valid answer to ${this.call}: ${this.reason}`)
  }
}

/** The errors of calling a component. */
export type CallError = PluginExited | PluginStuck | CallTimedOut | CallFailed | AnswerInvalid
