/** Tasks as choices of a dialog: id, outcome, agent and score. */

import type { ComponentChildren } from "preact"
import { stateOf } from "../../../projections/summary/Activity.ts"
import type { TaskRow } from "../../wire/Task.ts"
import { nameOf, signed } from "./format.ts"

interface Props {
  readonly rows: ReadonlyArray<TaskRow>
  readonly onChoose: (timeline: string, task: string) => void
  /** The content before a choice. */
  readonly before?: (row: TaskRow) => ComponentChildren
}

export const TaskChoices = ({ rows, onChoose, before }: Props) => (
  <>
    {rows.map((row) => {
      const { timeline, id, agent, outcome, activity, score } = row
      return (
        <li key={id}>
          {before?.(row)}
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
      )
    })}
  </>
)
