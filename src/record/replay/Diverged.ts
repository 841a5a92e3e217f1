/** Where a replay diverged from what was recorded, and what it makes anew. */

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
 * `model`: the requests to models are made anew; all else is recorded, so that no tool is called: a regression test of a prompt.
 * `tools`: the models' answers are recorded; tools, sensors, other functions and other requests are called anew.
 */
export const Live = Schema.Literal("model", "tools")

export type Live = typeof Live.Type
