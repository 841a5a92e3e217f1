/** Qwen Code: Claude Code's format, with a call id of its own in addition to the model's. */

import * as ClaudeForm from "./ClaudeForm.ts"
import type { Client } from "./Client.ts"
import * as Payload from "./Payload.ts"

export const client: Client = {
  name: "qwen",
  title: "Qwen Code",
  tried: "0.24.4",
  read: (payload) =>
    ClaudeForm.read(payload, (from) => Payload.text(from, "tool_call_id") ?? Payload.text(from, "tool_use_id")),
  answer: ClaudeForm.answer,
}
