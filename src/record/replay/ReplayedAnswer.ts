/** Replays recorded answers of functions. */

import { ToolDenied } from "../Run.ts"
import * as Thrown from "../Thrown.ts"
import type { Answer, Interaction } from "./Recording.ts"
import type { Difference } from "./RequestDifference.ts"

export type Given = Extract<Answer, { readonly kind: "response" | "value" | "error" | "denied" }>

/** Returns the recorded value, or throws the recorded error or `ToolDenied`. */
export const of = (line: string, answer: Given): unknown => {
  switch (answer.kind) {
    case "response":
      // Unreachable: only requests have responses.
      return undefined
    case "value":
      return answer.value
    case "error":
      throw Thrown.errorOf(answer.failure)
    case "denied":
      throw new ToolDenied({ tool: line.replace(/^tool program\//, ""), ...answer })
  }
}

/** Why an answer cannot be replayed; undefined if it can. */
export const whyNot = (one: Interaction): Difference | undefined => {
  const { line, answer } = one
  switch (answer.kind) {
    case "none":
      return { where: line, recorded: "no answer: the recording ended first", now: "a call" }
    case "unrecorded":
      return missing(answer.reason, one)
    case "response": {
      const { omitted } = answer.response
      return omitted === undefined
        ? undefined
        : { where: "the response", recorded: `no body, because ${omitted}`, now: "a request" }
    }
    default:
      return undefined
  }
}

/** A call that succeeded but whose result was not recorded. It must not run a second time. */
const missing = (reason: string, { position, answeredAt }: Interaction): Difference => {
  // A call that is a single event has no position between call and answer.
  const before = answeredAt === position ? position - 1 : position
  return {
    where: "its result",
    recorded: "the value that the call returned",
    now: `none: the call succeeded, but its result was not recorded (${reason}), and a replay does not repeat it. Return a smaller value, or one that JSON can express, and record another run; or fork before the call with your own result: \`forked({ log, at: ${before}, set: { result } }, program)\``,
  }
}
