/** Rollouts of Codex. */
import { OUTPUT, stamp, uuid, writeLines } from "./lines.mjs"

const ROLLOUTS = 100
const CALLS = 1_670

export const what = "rollouts of Codex"

export const write = (directory) => {
  for (let rollout = 0; rollout < ROLLOUTS; rollout++)
    writeLines(directory, `rollout-2026-01-01T00-00-00-${uuid(rollout)}.jsonl`, linesOf(uuid(rollout)))
}

const line = (second, type, payload) => ({ timestamp: stamp(second), type, payload })

function* linesOf(id) {
  yield line(0, "session_meta", { id, timestamp: stamp(0), cwd: "/repo", cli_version: "0.80.0" })
  yield line(0, "turn_context", { model: "gpt-5", approval_policy: "never" })
  yield line(1, "event_msg", { type: "user_message", message: "Make the tests pass" })
  for (let call = 0; call < CALLS; call++) {
    const [at, call_id] = [2 + 2 * call, `call-${call}`]
    const command = JSON.stringify({ command: ["npm", "test", "--", String(call)] })
    yield line(at, "response_item", { type: "function_call", name: "shell", call_id, arguments: command })
    yield line(at, "event_msg", {
      type: "token_count",
      info: { last_token_usage: { input_tokens: 100, output_tokens: 20 } },
    })
    yield line(at + 1, "response_item", { type: "function_call_output", call_id, output: OUTPUT })
  }
  const content = [{ type: "output_text", text: "They pass." }]
  yield line(2 + 2 * CALLS, "response_item", { type: "message", role: "assistant", content })
}
