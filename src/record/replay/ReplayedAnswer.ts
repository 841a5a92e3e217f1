/** What was recorded for a call of a function, given again. */

import { ToolDenied } from "../Run.ts"
import * as Thrown from "../Thrown.ts"
import type { Answer, Interaction } from "./Recording.ts"
import type { Difference } from "./RequestDifference.ts"

/** An answer that can be given again. */
export type Given = Extract<Answer, { readonly kind: "response" | "value" | "error" | "denied" }>

/** What a function returned, given again: the recorded value, or the recorded failure thrown, such an error or `ToolDenied`. */
export const of = (line: string, answer: Given): unknown => {
  switch (answer.kind) {
    case "response":
      // Only requests have responses, and requests are no functions.
      return undefined
    case "value":
      return answer.value
    case "error":
      throw Thrown.errorOf(answer.failure)
    case "denied":
      throw new ToolDenied({ tool: line.replace(/^tool program\//, ""), ...answer })
  }
}

/** Why the answer to a call cannot be given again; undefined if it can. */
export const whyNot = (one: Interaction): Difference | undefined => {
  const { line, answer } = one
  switch (answer.kind) {
    case "none":
      return { where: line, recorded: "no answer: the recording ended before", now: "a call" }
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

/** Why a program does not get past a call that was made, and of which the result is missing. It must not be made again for that. */
const missing = (reason: string, { position, answeredAt }: Interaction): Difference => {
  // What is its own answer has no moment between the two.
  const before = answeredAt === position ? position - 1 : position
  return {
    where: "its result",
    recorded: "what it returned",
    now: `nothing: it succeeded, and its result was not recorded (${reason}). It is not called again. Have it return less, or what JSON can express, and record another run; or go on from before it with a result that you give: \`forked({ log, at: ${before}, set: { result } }, program)\``,
  }
}
