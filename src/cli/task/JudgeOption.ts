/** The options `--judge` and `--rubric`: a language model judges tasks after they have closed. */

import { Effect, Option } from "effect"
import * as Models from "../../agents/models/index.ts"
import * as Judge from "../../agents/models/judge/JudgeModel.ts"
import type * as Hindcast from "../../kernel/Hindcast.ts"
import { Kernel } from "../../kernel/Kernel.ts"
import type { TaskAudit } from "../../projections/audit/TaskAudit.ts"
import { BadInput } from "../command/BadInput.ts"
import { optionalText } from "../command/CommonOptions.ts"

export const options = {
  judge: optionalText(
    "judge",
    "With --rubric: a language model, as provider/model, that judges the task after it has closed. The command waits for it",
  ),
  rubric: optionalText("rubric", "With --judge: the rubric, a YAML or JSON file"),
}

export interface Typed {
  readonly judge: Option.Option<string>
  readonly rubric: Option.Option<string>
}

/** The judge for a kernel, if one was named. A missing key or package fails here, before anything is recorded. */
export const of = ({ judge, rubric }: Typed) =>
  Effect.gen(function* () {
    if (Option.isNone(judge) && Option.isNone(rubric)) return {}
    if (Option.isNone(judge)) {
      return yield* new BadInput({ input: "--rubric", expected: "it with --judge", found: "no --judge" })
    }
    if (Option.isNone(rubric)) {
      return yield* new BadInput({ input: "--judge", expected: "it with --rubric", found: "no --rubric" })
    }
    const model = Judge.judge(yield* Models.load(judge.value))
    return { judge: { model, rubric: rubric.value } } satisfies Pick<Hindcast.HindcastOptions, "judge">
  })

/** The audit of a task once the kernel's judge is done with it; the same audit if nobody judges. */
export const judged = (judge: Hindcast.HindcastOptions["judge"], audit: TaskAudit) =>
  judge === undefined
    ? Effect.succeed(audit)
    : Effect.flatMap(Kernel, (kernel) => Effect.zipRight(kernel.judged, kernel.audit(audit.taskId)))
