/** The options of resuming a task. */

import { Schema } from "effect"
import * as Options from "../../values/Options.ts"
import { type LoopOptions, loopFields } from "../agents/AgentLoop.ts"
import type { RestoreOptions } from "../fork/WorldRestoration.ts"

/** Options of `tasks.resume`. `maxSteps` counts from the opening of the task. */
export interface ResumeOptions
  extends LoopOptions,
    Pick<RestoreOptions, "rewind" | "acceptUnrewound" | "restoreFiles"> {
  /** Time per recorded decision, in milliseconds. A slower agent fails with `ResumeDiverged`. Default: no limit. */
  readonly ledWithinMs?: number
}

/** Schema of `ResumeOptions`. */
export const ResumeOptions = Options.of<ResumeOptions>({
  optional: {
    ...loopFields,
    rewind: Schema.Literal("snapshot", "re-execution"),
    acceptUnrewound: Schema.Boolean,
    restoreFiles: Schema.Boolean,
    ledWithinMs: Options.Milliseconds,
  },
})
