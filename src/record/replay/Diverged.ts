/** What a playback of a recorded run found: where the program did otherwise, or that nothing was compared. */

import { Data, Schema } from "effect"
import type { Difference } from "./RequestDifference.ts"

/** The program did otherwise than was recorded, or goes on from what was not recorded. What would have followed, no log can tell. */
export class Diverged extends Data.TaggedError("Diverged")<{
  readonly taskId: string
  /** What it did: `fetch`, `tool program/add`, `io load`, `now`, `run.end`. */
  readonly call: string
  /** The position of the recorded call in whose place it came; null after the last one. */
  readonly position: number | null
  /** Where the two differ. */
  readonly difference: Difference
}> {
  override get message() {
    const { where, recorded, now } = this.difference
    const place = this.position === null ? "after all that is recorded" : `@${this.position}`
    return `The replay of ${this.taskId} diverged ${place}, by ${this.call}: expected in ${where} ${recorded}, found ${now}`
  }
}

/**
 * The program made no call that a replay sees, so that nothing was compared. Have it ask by what is recorded: `run.fetch` and
 * the other functions of a run, or the clients that `hindcast record` sees.
 */
export class NothingReplayed extends Data.TaggedError("NothingReplayed")<{
  readonly taskId: string
  /** How many calls the recording has up to where the replay ends, and the first of them. */
  readonly recorded: number
  readonly first: { readonly call: string; readonly position: number } | null
  /** How the program was recorded, where a proxy of another process answers it. */
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
 * `model`: the requests to models are made anew; all else is recorded, so that no tool is called: a regression test of a prompt.
 * `tools`: the models' answers are recorded; tools, sensors, other functions and other requests are called anew.
 */
export const Live = Schema.Literal("model", "tools")

export type Live = typeof Live.Type
