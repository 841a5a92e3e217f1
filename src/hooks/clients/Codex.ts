/** Codex. */

import * as ClaudeForm from "./ClaudeForm.ts"
import type { Client } from "./Client.ts"

export const client: Client = {
  name: "codex",
  title: "Codex",
  tried: "0.171.0",
  read: (payload) => ClaudeForm.read(payload),
  answer: ClaudeForm.answer,
}
