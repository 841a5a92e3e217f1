/** The options of scoring and of resuming a score set. */

import type { Effect } from "effect"
import * as Options from "../../values/Options.ts"
import * as Critics from "../critics/Critics.ts"
import { Rubric } from "../rules/Rubric.ts"
import * as TaskSelection from "./TaskSelection.ts"

/** Options of `rescore`: the tasks, and the rubric and critics to score them by. */
export interface RescoreOptions extends TaskSelection.TaskSelection {
  readonly rubric: Rubric
  /** Default: for each reward, the first critic that can decide it. */
  readonly critics?: Critics.CriticRequest
  /** Default: the rubric's name. */
  readonly label?: string
  /** The person who asks: the score set's first event has the actor `human:<by>`. Default: the critic. */
  readonly by?: string
  /** Called after each page of events. */
  readonly onProgress?: OnProgress
}

/** Schema of `RescoreOptions`. */
export const RescoreOptions = Options.of<RescoreOptions>({
  required: { rubric: Rubric },
  optional: {
    ...TaskSelection.selectionFields,
    critics: Critics.CriticRequest,
    label: Options.Name,
    by: Options.Name,
    onProgress: Options.callable<OnProgress>(),
  },
})

/** Options of resuming an unfinished score set. */
export interface ResumeOptions extends Pick<RescoreOptions, "onProgress"> {
  /** The model to ask, if a model decides and the log lacks its answers. */
  readonly model?: Critics.ModelOptions
}

/** Schema of `ResumeOptions`. */
export const ResumeOptions = Options.of<ResumeOptions>({
  optional: { onProgress: Options.callable<OnProgress>(), model: Critics.ModelOptions },
})

/** Progress of a scoring. `events` counts all events read, including those of other tasks. */
export interface Progress {
  readonly events: number
  readonly ofEvents: number
  readonly tasks: number
  readonly ofTasks: number
}

/** Receives progress. The scoring waits for it. */
export type OnProgress = (progress: Progress) => Effect.Effect<void>
