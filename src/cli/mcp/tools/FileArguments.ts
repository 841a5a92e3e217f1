/** Arguments of the tools about recorded files. */
import { Effect } from "effect"
import { MAIN } from "../../../events/log/EventLog.ts"
import * as RecordedFiles from "../../../workspace/questions/RecordedFiles.ts"
import { BadInput } from "../../command/BadInput.ts"
import * as Text from "../../terminal/Text.ts"
import type * as Answer from "../server/Answer.ts"
import * as TaskArgument from "../server/TaskArgument.ts"
import * as Tool from "../server/Tool.ts"

export const file = Tool.text("The file's path, relative to the recorded directory")

export const at = Tool.optional(Tool.moment("The moment; default: now"))

export const task = Tool.optional(Tool.task)

export const first = Tool.optional(Tool.wholeNumber("The first line to show, from 1 on"))

export const last = Tool.optional(Tool.wholeNumber("The last line to show"))

/** The recorded files at a moment, of a task or of the directory that the server runs in. */
export const open = ({ at, task }: { readonly at?: string; readonly task?: string }) =>
  Effect.gen(function* () {
    return yield* RecordedFiles.open({ at, taskId: yield* taskIdOf(task) })
  })

export const taskIdOf = (task: string | undefined) =>
  task === undefined ? Effect.succeed(undefined) : Effect.map(TaskArgument.named(task), ({ taskId }) => taskId)

/** The moment, for calls that continue: `now` may be another one by then. */
export const momentOf = ({ timeline, position }: RecordedFiles.RecordedFiles): string =>
  `${timeline === MAIN ? "" : timeline}@${position}`

interface Range {
  readonly first?: number
  readonly last?: number
}

/** The lines to show, checked against the file's. */
export const rangeOf = ({ first = 1, last }: Range, count: number) =>
  Effect.gen(function* () {
    const to = Math.min(last ?? count, count)
    if (count === 0 || (first >= 1 && first <= to)) return { from: first, to }
    return yield* new BadInput({
      input: first > count || first < 1 ? "first" : "last",
      expected: `a range within the lines 1 to ${count}`,
      found: `${first} to ${last ?? count}`,
    })
  })

interface Shown {
  /** The first line. */
  readonly from: number
  readonly shown: Answer.Cut
}

/** How an answer that shows some lines of a file continues. */
export const continued = (
  tool: string,
  args: Answer.Call["args"],
  { from, shown: { lines, remaining } }: Shown,
): Pick<Answer.Answer, "foot" | "next"> => {
  if (remaining === 0) return {}
  const next = from + lines.length
  return {
    foot: [`Lines ${from} to ${next - 1}; ${Text.count(remaining, "line")} left out.`],
    next: [[{ tool, args: { ...args, first: next } }, "the following lines"]],
  }
}
