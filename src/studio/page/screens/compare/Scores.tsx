/** The one rubric that both tasks are compared by, and what to do where it scores only one of them. */
import type { Comparison } from "../../../wire/Asking.ts"
import type { CommonScore } from "../../../wire/Scoring.ts"
import { useStudio } from "../../parts/context.ts"
import { number } from "../../parts/format.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useOrder } from "../../parts/useOrder.ts"
import { scoringOf } from "./scoringName.ts"

interface Props {
  readonly comparison: Comparison
  /** Asks for the comparison again. */
  readonly onScored: () => void
}

export const Scores = ({ comparison: { a, b, labels, scores, scored }, onScored }: Props) => {
  const studio = useStudio()
  const scoring = useOrder()
  if (scored === null) return null
  const heads = [a, b]
  const scoredSide = scored.sets.findIndex((set) => set !== null)
  const lacking = scored.sets.indexOf(null)
  const nets = heads.map((head, side) => head.sets.find(({ set }) => set === scored.sets[side])?.net)
  const score = () =>
    scoring.give(async () => {
      const from = heads[scoredSide]
      const set = scored.sets[scoredSide]
      if (from === undefined || set == null) return
      const { text: rubric } = await studio.source.ask("rubric", { timeline: from.timeline, task: from.id, set })
      // Both, so that one critic scores both.
      const tasks = heads.map(({ timeline, id }) => ({ timeline, task: id }))
      const [made] = await studio.source.order("rescores", { rubric, tasks })
      onScored()
      if (made !== undefined) studio.look({ scores: made.set })
    })
  return (
    <div class="common-score">
      <label>
        Compared by{" "}
        <select
          value={scoringOf(scored, scores)}
          onChange={({ currentTarget }) => studio.look({ scores: currentTarget.value })}
          disabled={scores.length < 2}
        >
          {scores.map((choice) => (
            <option key={choice.all[0]} value={scoringOf(choice, scores)}>
              {nameOf(choice, labels)}
            </option>
          ))}
        </select>
      </label>{" "}
      {nets.map((net, side) =>
        net === undefined ? null : (
          <span class="net-of" key={labels[side]}>
            <bdi>{labels[side]}</bdi> {number(net)}{" "}
          </span>
        ),
      )}
      {lacking < 0 ? null : studio.log.value.allows.write ? (
        <button type="button" onClick={score} disabled={scoring.isBusy}>
          {scoring.isBusy ? "scoring …" : `score ${labels[lacking]} by ${scored.rubric} too`}
        </button>
      ) : (
        <span class="note">
          To score {labels[lacking]} too, start Studio with <code>--write</code>, or use <code>hindcast rescore</code>.
        </span>
      )}
      <Problem text={scoring.problem} />
    </div>
  )
}

/** `mending: live, judged by rule@3 (only A)`. */
const nameOf = ({ labels: called, rubric, critic, sets }: CommonScore, labels: readonly [string, string]): string => {
  const only = sets.findIndex((set) => set !== null)
  const names = called.filter((label) => label !== rubric)
  return `${rubric === "" ? "a rubric without a name" : rubric}${names.length === 0 ? "" : `: ${names.join(", ")}`}, judged by ${critic}${
    sets.includes(null) ? ` (only ${labels[only]})` : ""
  }`
}
