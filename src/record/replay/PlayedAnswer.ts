/** What was recorded for a call of a function, given again. */

import { ToolDenied } from "../Run.ts"
import * as Thrown from "../Thrown.ts"
import type { Answer } from "./Tape.ts"

/** The recorded value, or the recorded failure thrown: such an error, or `ToolDenied`. */
export const of = (line: string, answer: Extract<Answer, { readonly kind: "value" | "error" | "denied" }>): unknown => {
  switch (answer.kind) {
    case "value":
      return answer.value
    case "error":
      throw Thrown.errorOf(answer.failure)
    case "denied":
      throw new ToolDenied({ tool: line.replace(/^tool program\//, ""), ...answer })
  }
}
