/** The export formats of transitions. */

import * as StepPosition from "../../events/steps/StepPosition.ts"
import type { Encoder } from "./Encoder.ts"
import * as ParquetRows from "./ParquetRows.ts"
import type { Transition } from "./Transitions.ts"

/** Encodes transitions as JSON Lines: one `Transition` per line. */
export const lines = (): Encoder<Transition> => ({
  add: (transitions) => transitions.map((transition) => `${JSON.stringify(transition)}\n`).join(""),
  end: () => "",
})

/**
 * Encodes transitions as a Parquet table: one row per step; states, arguments and the list of rewards are JSON text.
 */
export const table = (about: Readonly<Record<string, string>>): Encoder<Transition> => {
  const textOf = lastText()
  const rows = ParquetRows.encoder<Row>({ columns: COLUMNS, weigh }, about)
  return {
    add: (transitions) =>
      rows.add(transitions.map((of) => ({ ...of, stateText: textOf(of.state), nextText: textOf(of.nextState) }))),
    end: rows.end,
  }
}

interface Row extends Transition {
  readonly stateText: string
  readonly nextText: string
}

const weigh = ({ stateText, nextText }: Row): number => stateText.length + nextText.length

/** Caches the last text: a step's next state is the state of the following step. */
const lastText = () => {
  let last: { readonly state: Transition["state"]; readonly text: string } | undefined
  return (state: Transition["state"]): string => {
    if (last?.state !== state) last = { state, text: JSON.stringify(state) }
    return last.text
  }
}

const COLUMNS: ReadonlyArray<ParquetRows.Column<Row>> = [
  { name: "task_id", holds: "text", values: "few", of: ({ taskId }) => taskId },
  { name: "timeline", holds: "text", values: "few", of: ({ timeline }) => timeline },
  { name: "agent", holds: "text", values: "few", of: ({ agent }) => agent },
  { name: "goal", holds: "text", values: "few", of: ({ goal }) => goal },
  { name: "step", holds: "integer", of: ({ step }) => step },
  { name: "position", holds: "integer", of: ({ position }) => StepPosition.holder(position) },
  { name: "at", holds: "moment", of: ({ at }) => at },
  { name: "state", holds: "text", bounds: false, of: ({ stateText }) => stateText },
  { name: "actuator", holds: "text", values: "few", of: ({ action }) => action.actuator },
  { name: "args", holds: "text", bounds: false, of: ({ action }) => JSON.stringify(action.args) },
  { name: "outcome", holds: "text", values: "few", of: ({ outcome }) => outcome },
  { name: "reward", holds: "number", of: ({ reward }) => reward },
  { name: "rewards", holds: "text", bounds: false, of: ({ rewards }) => JSON.stringify(rewards) },
  { name: "next_state", holds: "text", bounds: false, of: ({ nextText }) => nextText },
  { name: "done", holds: "boolean", of: ({ done }) => done },
  { name: "truncated", holds: "boolean", of: ({ truncated }) => truncated },
  { name: "score_set_id", holds: "text", values: "few", optional: true, of: ({ scoreSetId }) => scoreSetId },
  { name: "unrecorded", holds: "text", values: "few", optional: true, of: ({ unrecorded }) => unrecorded },
  { name: "settled_by", holds: "text", values: "few", optional: true, of: ({ settledBy }) => settledBy },
]
