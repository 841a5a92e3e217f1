import { Data } from "effect"
import type { Failure } from "../events/EventType.ts"
import type { Json } from "../events/Json.ts"

/** Install or fix the path: the plugin's process could not even be tried. */
export class PluginUnavailable extends Data.TaggedError("PluginUnavailable")<{
  readonly plugin: string
  /** What was expected, what was found, what to do: one sentence or two. */
  readonly reason: string
}> {
  override get message() {
    return `Plugin ${this.plugin} is not available: ${this.reason}`
  }
}

/** Fix the plugin: its entry threw, has no fitting default export, or did not answer the handshake. */
export class PluginFailedToLoad extends Data.TaggedError("PluginFailedToLoad")<{
  readonly plugin: string
  readonly reason: string
  /** The last lines that the process wrote to its standard error. */
  readonly stderr: ReadonlyArray<string>
}> {
  override get message() {
    const lines = this.stderr.map((line) => `\n  | ${line}`).join("")
    return `Plugin ${this.plugin} did not load: ${this.reason}${lines}`
  }
}

/** Fix the manifest or the entry: what the one declares and the other exports must agree, both ways. */
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
    return `Plugin ${this.plugin}: its manifest and its entry disagree; ${parts.join("; ")}. Change either, so that both name the same.`
  }
}

/** What can go wrong when a plugin is started. */
export type PluginError = PluginUnavailable | PluginFailedToLoad | ExportsDisagree

/** Start it again: the process ended before it answered. Whether the call took effect is not known. */
export class PluginExited extends Data.TaggedError("PluginExited")<{
  readonly plugin: string
  readonly code: number | null
  readonly signal: string | null
  /** Every call that had no answer when the process ended, such as `act text-room/go`. */
  readonly inFlight: ReadonlyArray<string>
  /** The call that this error answers. */
  readonly call: string
  /** Why the host ended it, where it did. */
  readonly reason?: string
}> {
  override get message() {
    const how = this.signal === null ? `with code ${this.code}` : `by ${this.signal}`
    const why = this.reason === undefined ? "" : ` (${this.reason})`
    return `Plugin ${this.plugin} ended ${how}${why} before it answered ${this.call}. In flight: ${this.inFlight.join(", ") || "nothing"}.`
  }
}

/** Retry or raise the limit: no answer came in time. The call was cancelled; whether it took effect is not known. */
export class CallTimedOut extends Data.TaggedError("CallTimedOut")<{
  readonly plugin: string
  readonly call: string
  readonly afterMs: number
}> {
  override get message() {
    return `Plugin ${this.plugin} did not answer ${this.call} within ${this.afterMs} ms. The call was cancelled; whether it took effect is not known.`
  }
}

/** An ordinary answer: the plugin's function threw. */
export class CallFailed extends Data.TaggedError("CallFailed")<{
  readonly plugin: string
  readonly call: string
  /** What it threw: its `code` where that is text, else its name; and its message. */
  readonly error: Failure
  /** The environment's state after the failure, where the plugin has an environment. */
  readonly state?: Json
}> {
  override get message() {
    return `Plugin ${this.plugin} failed ${this.call}: ${this.error.code}: ${this.error.message}`
  }
}

/** Fix the plugin: it answered with something that is not an answer. What it did meanwhile is done. */
export class AnswerInvalid extends Data.TaggedError("AnswerInvalid")<{
  readonly plugin: string
  readonly call: string
  /** What was expected, and what was found where. */
  readonly reason: string
  /** The environment's state afterwards, where the plugin has an environment and its state is sound. */
  readonly state?: Json
}> {
  override get message() {
    return `Plugin ${this.plugin} gave no valid answer to ${this.call}: ${this.reason}`
  }
}

/** What can go wrong when a component is called. */
export type CallError = PluginExited | CallTimedOut | CallFailed | AnswerInvalid
