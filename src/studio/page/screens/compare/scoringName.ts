/** The name of a scoring for links, so that every screen shows each task by it. */
import type { CommonScore } from "../../../wire/Scoring.ts"

/**
 * The label that all score sets of this rubric and critic share, and no others: it names their scores on every screen. If
 * there is none, the id of one set, which names the score of one task.
 */
export const scoringOf = (score: CommonScore, among: ReadonlyArray<CommonScore>): string => {
  const [label = "", ...others] = score.labels
  const isAlone = others.length === 0 && among.filter(({ labels }) => labels.includes(label)).length === 1
  return label !== "" && isAlone ? label : (score.all[0] ?? "")
}
