/** The commands that look at the log of the live demo. */
import type { User } from "../Stage.ts"
import { at, endOf, suggestions as onLog, type Suggestion } from "../Words.ts"
import * as Comparing from "./Comparing.ts"
import * as Mending from "./Mending.ts"

/** What the commands are about. */
export interface Story {
  readonly filename: string
  readonly taskId: string
  readonly timeline: string
  readonly cast: Mending.Cast
  /** The position of what the confirmed command came to. */
  readonly written: number
}

/** The commands to try. */
export const suggestions = (
  user: User,
  { filename, taskId, timeline, cast, written }: Story,
): ReadonlyArray<Suggestion> => {
  const { model, cassette } = cast
  const task = endOf(taskId)
  const guide = user.path(Mending.GUIDE)
  const played = cassette === null ? [] : ["--cassette", user.path(cassette)]
  return onLog(user, filename, [
    ["why the file was written: the decision, the question, the answer", "why", at(written)],
    ["what the agent took in, did and cost", "audit", task],
    ["the same of the fork", "audit", task, "--timeline", timeline],
    ["step through the task in the terminal, forward and back", "step", task],
    [
      "let the agent repeat it on its recording: no model is asked",
      "replay",
      task,
      "--model",
      model,
      ...played,
      "--guide",
      guide,
    ],
    ["where the two part, event by event", "align", task, `${timeline}@${task}`],
    ["both by the rubric", "compare", "main/mending", `${timeline}/mending`],
    ["score it again by another rubric; edit a copy of this one", "rescore", "--rubric", user.path(Comparing.RUBRIC)],
  ])
}
