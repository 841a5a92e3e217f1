/** What was recorded for a call of a function, given again. */

import { ToolDenied } from "../Run.ts"
import * as Thrown from "../Thrown.ts"
import type { Difference } from "./RequestDifference.ts"
import type { Answer, Interaction } from "./Tape.ts"

/** An answer that can be given again. */
export type Given = Extract<Answer, { readonly kind: "value" | "error" | "denied" }>

/** The recorded value, or the recorded failure thrown: such an error, or `ToolDenied`. */
export const of = (line: string, answer: Given): unknown => {
  switch (answer.kind) {
    case "value":
      return answer.value
    case "error":
      throw Thrown.errorOf(answer.failure)
    case "denied":
      throw new ToolDenied({ tool: line.replace(/^tool program\//, ""), ...answer })
  }
}

/** Why a program does not get past a call that was made, and of which the result is missing. It must not be made again for that. */
export const missing = (reason: string, { position, answeredAt }: Interaction): Difference => {
  // What is its own answer has no moment between the two.
  const before = answeredAt === position ? position - 1 : position
  return {
    where: "its result",
    recorded: "what it returned",
    now: `nothing: it succeeded, and its result was not recorded (${reason}). It is not called again. Have it return less, or what JSON can express, and record another run; or go on from before it with a result that you give: \`forked({ log, at: ${before}, set: { result } }, program)\``,
  }
}
