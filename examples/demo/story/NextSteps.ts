/** The commands to type after the story. */
import type { User } from "../Stage.ts"
import { suggestions as onLog, type Suggestion } from "../Words.ts"
import * as LookingBack from "./LookingBack.ts"
import * as Mending from "./Mending.ts"

export interface Story extends LookingBack.Subject {
  readonly timeline: string
  readonly cast: Mending.Cast
}

export const suggestions = (user: User, { filename, taskId, timeline, cast }: Story): ReadonlyArray<Suggestion> => {
  const { model, cassette } = cast
  const played = cassette === null ? [] : ["--cassette", user.path(cassette)]
  const agent = ["--model", model, ...played, "--guide", user.path(Mending.GUIDE)]
  return [
    ...onLog(user, filename, [
      ["look at all of it in the browser", "studio"],
      ["step through the task in the terminal, forward and back", "step", taskId],
      ["what the agent saw, did, changed and scored", "audit", taskId],
      ["the same for the fork", "audit", taskId, "--timeline", timeline],
      ["run the agent on its recording again: no model is asked", "replay", taskId, ...agent],
      ["compare the two scorings", "compare", "main/mending", `${timeline}/mending`],
      ["score by your own rules: edit a copy of this rubric", "rescore", "--rubric", user.path(LookingBack.RUBRIC)],
    ]),
    {
      does: "record an agent of your own, in any language",
      command: `${user.command(["record", "--proxy", "--log", "agent.db"])} -- python agent.py`,
    },
  ]
}
