/** The errors of starting a plugin and calling its components. Each doc comment begins with the remedy. */
import { Data } from "effect"
import type { Failure } from "../events/vocabulary/EventType.ts"
import type { Json } from "../values/Json.ts"
import { visibleLines } from "../values/PlainText.ts"

/** Install the program or correct the path: the plugin's process could not start. */
export class PluginUnavailable extends Data.TaggedError("PluginUnavailable")<{
  readonly plugin: string
  /** One or two sentences: expected, found, and what to do. */
  readonly reason: string
  /** Whether the named path does not exist. */
  readonly missing?: boolean
}> {
  override get message() {
    return visibleLines(`Plugin ${this.plugin} is not available: ${this.reason}`)
  }
}

/** Fix the plugin: its entry threw, lacks a valid default export, or did not answer the handshake. */
export class PluginFailedToLoad extends Data.TaggedError("PluginFailedToLoad")<{
  readonly plugin: string
  readonly reason: string
  /** The last lines of the process's standard error. */
  readonly stderr: ReadonlyArray<string>
}> {
  /** The reason and the first stack frame in the plugin. `details` and the log have the full traces. */
  override get message() {
    const reason = withoutStackFrames(this.reason).join("\n")
    const thrownAt = FRAME_LOCATION.exec(stackFrames(this.reason).find((line) => !OWN_FRAME.test(line)) ?? "")?.[1]
    const lines = this.stderr.flatMap(withoutStackFrames).map((line) => `\n  | ${line}`)
    const at = thrownAt === undefined ? "" : ` (at ${thrownAt})`
    return visibleLines(`Plugin ${this.plugin} did not load: ${reason}${at}${lines.join("")}`)
  }

  /** The reason and the whole standard error, for programs. */
  get details(): string {
    return [this.reason, ...this.stderr].join("\n")
  }
}

const FRAME = /^\s+at /

/** Matches file, line and column of a stack frame. */
const FRAME_LOCATION = /file:\/\/([^\s)]+:\d+:\d+)/

/** A frame of the host's own runner. It is never the cause, so the message skips it. */
const OWN_FRAME = /\/runner\/runner\.[jt]s:/

const stackFrames = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => FRAME.test(line))

const withoutStackFrames = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => !FRAME.test(line))

/** Make the manifest and the entry agree: one declares components that the other lacks. */
export class ExportsDisagree extends Data.TaggedError("ExportsDisagree")<{
  readonly plugin: string
  /** Exported only: `sensor look`, `actuator take`, `environment`. */
  readonly undeclared: ReadonlyArray<string>
  /** Declared only. */
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

/** Start the plugin again: its process ended before it answered. The call may have taken effect. */
export class PluginExited extends Data.TaggedError("PluginExited")<{
  readonly plugin: string
  readonly code: number | null
  readonly signal: string | null
  /** The calls without an answer when the process ended, such as `act text-room/go`. */
  readonly inFlight: ReadonlyArray<string>
  readonly call: string
  /** Why the host ended the process, if it did. */
  readonly reason?: string
}> {
  override get message() {
    const how = this.signal === null ? `with code ${this.code}` : `by ${this.signal}`
    const why = this.reason === undefined ? "" : ` (${this.reason})`
    return `Plugin ${this.plugin} ended ${how}${why} before it answered ${this.call}. In flight: ${this.inFlight.join(", ") || "nothing"}.`
  }
}

/** Fix the plugin: its process stopped reacting, and the host killed it. The call may have taken effect. */
export class PluginStuck extends Data.TaggedError("PluginStuck")<{
  readonly plugin: string
  /** The request without a reaction, and the time waited. */
  readonly reason: string
  /** The calls without an answer when the host killed the process, such as `act text-room/go`. */
  readonly inFlight: ReadonlyArray<string>
  readonly call: string
}> {
  override get message() {
    return `Plugin ${this.plugin} was stuck and was killed before it answered ${this.call}: ${this.reason}. In flight: ${this.inFlight.join(", ") || "nothing"}. Yield to the event loop during long computations.`
  }
}

/**
 * Retry or raise the time-out: the host cancelled the call, because no answer came in time. The call may have taken
 * effect.
 */
export class CallTimedOut extends Data.TaggedError("CallTimedOut")<{
  readonly plugin: string
  readonly call: string
  readonly afterMs: number
}> {
  override get message() {
    return `Plugin ${this.plugin} did not answer ${this.call} within ${this.afterMs} ms. The call was cancelled; whether it took effect is not known.`
  }
}

/** The plugin's function threw: an ordinary answer. */
export class CallFailed extends Data.TaggedError("CallFailed")<{
  readonly plugin: string
  readonly call: string
  /** The thrown error's message and its `code`; its name if `code` is not a string. */
  readonly error: Failure
  /** The environment's state after the failure; absent without an environment. */
  readonly state?: Json
}> {
  override get message() {
    return visibleLines(`Plugin ${this.plugin} failed ${this.call}: ${this.error.code}: ${this.error.message}`)
  }
}

/** Fix the plugin: its answer is invalid. Effects of the call remain. */
export class AnswerInvalid extends Data.TaggedError("AnswerInvalid")<{
  readonly plugin: string
  readonly call: string
  /** The expectation, the finding, and its path. */
  readonly reason: string
  /** The environment's state afterwards, if the plugin has an environment and its state is valid. */
  readonly state?: Json
}> {
  override get message() {
    return visibleLines(`Plugin ${this.plugin} gave no valid answer to ${this.call}: ${this.reason}`)
  }
}

/** The ways in which a call of a component fails. */
export type CallError = PluginExited | PluginStuck | CallTimedOut | CallFailed | AnswerInvalid
