/** opencode: Hindcast's plugin (`install/OpencodePlugin`) tells its events in Claude Code's form. */

import * as ClaudeForm from "./ClaudeForm.ts"
import type { Client } from "./Client.ts"

export const client: Client = {
  name: "opencode",
  title: "opencode",
  tried: "1.18.33",
  read: (payload) => ClaudeForm.read(payload),
  answer: ClaudeForm.answer,
}
