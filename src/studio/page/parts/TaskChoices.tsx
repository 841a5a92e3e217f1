/** Tasks as choices of a dialog: id, outcome, agent and score. */

import { stateOf } from "../../wire/Activity.ts"
import type { TaskRow } from "../../wire/Task.ts"
import { nameOf, signed } from "./format.ts"

interface Props {
  readonly rows: ReadonlyArray<TaskRow>
  readonly onChoose: (timeline: string, task: string) => void
}

export const TaskChoices = ({ rows, onChoose }: Props) => (
  <>
    {rows.map(({ timeline, id, agent, outcome, activity, score }) => (
      <li key={id}>
        <button type="button" onClick={() => onChoose(timeline, id)}>
          {[
            id,
            stateOf({ outcome, activity }),
            agent === null ? "" : nameOf(agent),
            score === null ? "" : signed(score.net),
          ]
            .filter((part) => part !== "")
            .join(" · ")}
        </button>
      </li>
    ))}
  </>
)
