import type { Effect } from "effect"
import * as Options from "../../values/Options.ts"
import * as Critics from "../critics/Critics.ts"
import { Rubric } from "../rules/Rubric.ts"
import * as TaskSelection from "./TaskSelection.ts"

/** What a re-scoring is asked for: tasks, and what they are scored by. */
export interface RescoreOptions extends TaskSelection.SelectedTask {
  readonly rubric: Rubric
  /** Who is to decide. Default: whoever can. */
  readonly critics?: Critics.CriticRequest
  /** Default: the rubric's name. */
  readonly label?: string
  /** Told after each page of events. */
  readonly onProgress?: OnProgress
}

/** Their schema. */
export const RescoreOptions = Options.of<RescoreOptions>({
  required: { rubric: Rubric },
  optional: {
    ...TaskSelection.askedFields,
    critics: Critics.CriticRequest,
    label: Options.Name,
    onProgress: Options.callable<OnProgress>(),
  },
})

/** How an unfinished score set is gone on with. */
export interface ResumeOptions extends Pick<RescoreOptions, "onProgress"> {
  /** The model, where one decides and is not recorded. */
  readonly model?: Critics.Asking
}

/** Their schema. */
export const ResumeOptions = Options.of<ResumeOptions>({
  optional: { onProgress: Options.callable<OnProgress>(), model: Critics.Asking },
})

/** How far a scoring is. Events count that were read, whoever's they are. */
export interface Progress {
  readonly events: number
  readonly ofEvents: number
  readonly tasks: number
  readonly ofTasks: number
}

export type OnProgress = (progress: Progress) => Effect.Effect<void>
