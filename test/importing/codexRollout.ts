/** Lines of a rollout of Codex, as its versions write them. */

export const ID = "5f1d2c3b-0a0b-4c0d-8e0f-112233445566"

export const FILE = `rollout-2026-01-02T03-04-05-${ID}.jsonl`

let count = 0

const line = (type: string, payload: object) => {
  count += 1
  return { timestamp: new Date(Date.UTC(2026, 0, 2, 3, 4, count)).toISOString(), type, payload }
}

export const item = (payload: object) => line("response_item", payload)
export const event = (payload: object) => line("event_msg", payload)
export const other = line

export const meta = () => {
  count = 0
  return line("session_meta", {
    id: ID,
    timestamp: "2026-01-02T03:04:05.000Z",
    cwd: "/repo",
    cli_version: "0.80.0",
    model_provider: "openai",
  })
}

export const message = (role: string, text: string) =>
  item({ type: "message", role, content: [{ type: role === "user" ? "input_text" : "output_text", text }] })

export const tokens = (input: number, output: number) =>
  event({
    type: "token_count",
    info: {
      last_token_usage: {
        input_tokens: input,
        cached_input_tokens: 7,
        output_tokens: output,
        reasoning_output_tokens: 2,
      },
    },
  })

export const patch = (callId: string, text: string) =>
  item({
    type: "custom_tool_call",
    name: "apply_patch",
    call_id: callId,
    input: `*** Begin Patch\n${text}\n*** End Patch`,
  })

export const output = (callId: string, text: unknown, type = "function_call_output") =>
  item({ type, call_id: callId, output: text })

/** A rollout that lists, fails, adds a file, changes it, and says so. */
export const rollout = () => [
  meta(),
  other("turn_context", { model: "gpt-5", approval_policy: "never" }),
  message("user", "<environment_context>\n  <cwd>/repo</cwd>\n</environment_context>"),
  event({ type: "user_message", message: "Write a note" }),
  message("user", "Write a note"),
  event({ type: "agent_reasoning", text: "First I look." }),
  item({ type: "reasoning", summary: [{ type: "summary_text", text: "First I look." }], encrypted_content: "secret" }),
  item({ type: "function_call", name: "shell", call_id: "c1", arguments: '{"command":["ls"]}' }),
  tokens(100, 20),
  output("c1", '{"output":"nothing","metadata":{"exit_code":1,"duration_seconds":0.1}}'),
  patch("c2", "*** Add File: note.md\n+one\n+two"),
  tokens(120, 30),
  tokens(120, 30),
  output("c2", "Success.", "custom_tool_call_output"),
  patch("c3", "*** Update File: note.md\n*** Move to: notes.md\n@@\n one\n-two\n+three"),
  output("c3", "Success.", "custom_tool_call_output"),
  tokens(130, 10),
  event({ type: "agent_message", message: "It is written." }),
  message("assistant", "It is written."),
  event({ type: "task_complete", last_agent_message: "It is written." }),
]
