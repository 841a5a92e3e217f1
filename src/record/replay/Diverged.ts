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
  /** The moment of the fork that repeats the recording up to there. Absent in a replay. */
  readonly until?: number
}> {
  override get message() {
    const { where, recorded, now } = this.difference
    const place = this.position === null ? "" : ` @${this.position}`
    const [what, advice] =
      this.until === undefined ? ["replay", ""] : [`fork @${this.until}`, this.position === null ? "" : ADVICE]
    return `The ${what} of ${this.taskId} diverged${place} (${this.call}): in ${where}, expected ${recorded}, found ${now}${advice}`
  }
}

const ADVICE =
  ". Up to its moment, a fork repeats the recording: change the program only from there on, or fork from a moment before the change, such as the opening of the task."

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
        ? "a recording with calls, found none in the recording and none in the program"
        : `the ${recorded === 1 ? "recorded call" : `${recorded} recorded calls`}, the first of which is ${first.call} @${first.position}, found the end of the program without a call`
    return `The replay of ${taskId} compared nothing: expected ${expected}. ${means === undefined ? SEEN : SEEN_BY[means]}`
  }
}

const SEEN =
  "A replay sees calls of the run's functions (`run.fetch`, `run.tool` …). Under `hindcast record --` it sees requests by `fetch`, `node:http` and undici; with `--proxy`, requests of model clients. Use one of these in the program and record it again."

const SEEN_BY = {
  proxy:
    "The proxy saw no request: the program called no model, or its client did not use the proxy's address from variables such as OPENAI_BASE_URL. Run the program as it was recorded, and set no address in it. If its client reads no such variable, record it with --intercept.",
  intercept:
    "The proxy saw no request: the program sent none, its client ignores HTTPS_PROXY, or the request went to this machine, for which clients use no proxy. Run the program as it was recorded.",
} as const

/**
 * `model`: requests to models are made for real and all else in the recording is replayed; a regression test for
 * prompts. `tools`: models' answers are replayed; tools, sensors, io functions and other requests run for real.
 */
export const Live = Schema.Literal("model", "tools")

export type Live = typeof Live.Type
