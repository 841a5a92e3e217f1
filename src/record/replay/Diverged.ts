/** Errors of a replay that differs from its recording. */
import { Data, Schema } from "effect"
import type { Difference } from "./RequestDifference.ts"

/**
 * The program differs from its recording, or continues from something unrecorded. No log can tell what would have
 * followed.
 */
export class Diverged extends Data.TaggedError("Diverged")<{
  readonly taskId: string
  /** The call: `fetch`, `tool program/add`, `io load`, `now`, `run.end`. */
  readonly call: string
  /** Position of the recorded call in its place; null after the last one. */
  readonly position: number | null
  readonly difference: Difference
}> {
  override get message() {
    const { where, recorded, now } = this.difference
    const place = this.position === null ? "after all that is recorded" : `@${this.position}`
    return `The replay of ${this.taskId} diverged ${place}, by ${this.call}: expected in ${where} ${recorded}, found ${now}`
  }
}

/**
 * The program made no call that a replay can see, so nothing was compared. Make its calls through `run.fetch` and the
 * other functions of a run, or through clients that `hindcast record` observes.
 */
export class NothingReplayed extends Data.TaggedError("NothingReplayed")<{
  readonly taskId: string
  /** Number of calls in the replayed part of the recording, and the first of them. */
  readonly recorded: number
  readonly first: { readonly call: string; readonly position: number } | null
  /** How the program was recorded, if a proxy answers it. */
  readonly means?: "proxy" | "intercept"
}> {
  override get message() {
    const { taskId, recorded, first, means } = this
    const expected =
      first === null
        ? "a recording with calls, found none in it, and none by the program"
        : `the ${recorded === 1 ? "recorded call" : `${recorded} recorded calls`}, the first of which is ${first.call} @${first.position}, found the end of the program without a call`
    return `The replay of ${taskId} compared nothing: expected ${expected}. ${means === undefined ? SEEN : SEEN_BY[means]}`
  }
}

const SEEN =
  "A replay sees what a program asks by the functions of its run (`run.fetch`, `run.tool` …), and under `hindcast record --` its requests by `fetch`, `node:http` and undici, or with `--proxy` those of its models' clients. Have it ask by one of these, and record it again."

const SEEN_BY = {
  proxy:
    "The proxy saw no request: the program asked no model, or its client did not ask the proxy, whose address is in variables such as OPENAI_BASE_URL. See that the program runs as it did when it was recorded, and sets no address itself; a client without such a variable is recorded with --intercept.",
  intercept:
    "The proxy saw no request: the program asked nothing, or its client does not heed HTTPS_PROXY, or asked this machine, for which clients use no proxy. See that the program runs as it did when it was recorded.",
} as const

/**
 * `model`: requests to models are made for real and all else is replayed, so no tool runs; a regression test for
 * prompts. `tools`: models' answers are replayed; tools, sensors, io functions and other requests run for real.
 */
export const Live = Schema.Literal("model", "tools")

export type Live = typeof Live.Type
