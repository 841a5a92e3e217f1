/** Trajectories of ATIF and SWE-agent, one document each. */
import * as fs from "node:fs"
import * as path from "node:path"
import { OUTPUT, stamp, uuid } from "./lines.mjs"

const DOCUMENTS = 50
const STEPS = 1_670

export const what = "trajectories in ATIF and of SWE-agent"

export const write = (directory) => {
  for (let document = 0; document < DOCUMENTS; document++) {
    fs.writeFileSync(path.join(directory, `${document}.json`), JSON.stringify(atif(document)))
    fs.writeFileSync(path.join(directory, `${document}.traj`), JSON.stringify(sweAgent(document)))
  }
}

const steps = (step) => Array.from({ length: STEPS }, (_, index) => step(index))

const atif = (document) => ({
  schema_version: "ATIF-v1.7",
  session_id: uuid(document),
  agent: { name: "terminus", version: "2.0" },
  steps: [
    { step_id: 0, timestamp: stamp(0), source: "user", message: "Make the tests pass" },
    ...steps((index) => ({
      step_id: index + 1,
      timestamp: stamp(index + 1),
      source: "agent",
      message: "",
      model_name: "openai/gpt-5",
      tool_calls: [{ tool_call_id: "call", function_name: "bash", arguments: { command: `npm test -- ${index}` } }],
      observation: { results: [{ source_call_id: "call", content: OUTPUT }] },
      metrics: { prompt_tokens: 100, completion_tokens: 20 },
    })),
    { step_id: STEPS + 1, timestamp: stamp(STEPS + 1), source: "agent", message: "They pass." },
  ],
})

const sweAgent = (document) => ({
  environment: `repository-${document}`,
  trajectory: steps((index) => ({
    action: `npm test -- ${index}`,
    observation: OUTPUT,
    response: "I test.",
    thought: "I test.",
    state: JSON.stringify({ open_file: "a.js", working_dir: "/repo", step: index }),
  })),
  history: [
    { role: "system", content: "You are a programmer." },
    { role: "user", content: `Make the tests of repository ${document} pass` },
  ],
  info: { exit_status: "submitted" },
})
