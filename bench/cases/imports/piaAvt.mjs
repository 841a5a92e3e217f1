/** Lines of PiaAVT, half of them actions. */
import { stamp, writeLines } from "./lines.mjs"

const FILES = 10
const LINES = 40_000

export const what = "lines of PiaAVT"

export const write = (directory) => {
  for (let file = 0; file < FILES; file++) writeLines(directory, `simulation-${file}.jsonl`, linesOf(file))
}

function* linesOf(file) {
  const line = (second, event_type, event_data) => ({
    timestamp: stamp(second),
    simulation_run_id: `simulation-${file}`,
    experiment_id: "e",
    agent_id: "pia",
    source_component_id: "core",
    event_type,
    event_data,
  })
  yield line(0, "GOAL_CREATED", { goal_id: "g", description: "Tidy the room", initial_status: "ACTIVE" })
  for (let second = 1; second < LINES; second++)
    yield second % 2 === 0
      ? line(second, "EMOTION_UPDATED", { joy: 0.5, second })
      : line(second, "AGENT_ACTION_EXECUTED", {
          action_details: { type: "lift", parameters: { thing: "cup", second } },
          outcome: { status: "SUCCESS", message: "lifted" },
        })
  yield line(LINES, "GOAL_STATUS_CHANGED", { new_state: "ACHIEVED" })
}
