/** Claude Code. */

import * as ClaudeForm from "./ClaudeForm.ts"
import type { Client } from "./Client.ts"

export const client: Client = {
  name: "claude-code",
  title: "Claude Code",
  tried: "2.1.332",
  read: (payload) => ClaudeForm.read(payload),
  answer: ClaudeForm.answer,
}
