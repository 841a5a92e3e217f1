/** The option `--scores`: which score a command shows of each task. */
import { Option } from "effect"
import * as SetScores from "../../projections/comparison/SetScores.ts"
import type { ScoreChoice } from "../../projections/report/ScoreChoice.ts"
import * as CommandHints from "../command/CommandHints.ts"
import { optionalText } from "../command/CommonOptions.ts"

export const scores = optionalText(
  "scores",
  "A pointer, a score set's id or the end of it, or a label. Default: for each task official, else live, else the newest",
)

export const resolve = (typed: Option.Option<string>) => SetScores.choice(Option.getOrUndefined(typed))

/** A sentence for tasks without any chosen score, so that they do not look like an empty log. Empty otherwise. */
export const noneScored = ({ name, isDefault }: ScoreChoice, tasks: number, scored: number): string => {
  if (tasks === 0 || scored > 0) return ""
  return CommandHints.inText(
    isDefault
      ? " None of them is scored: `hindcast rescore --rubric FILE` scores them."
      : ` None of them has a score by "${name}": \`hindcast score ls\` lists the score sets.`,
  )
}
