/** The supported clients. */

import * as ClaudeCode from "./ClaudeCode.ts"
import type { Client } from "./Client.ts"
import * as Codex from "./Codex.ts"
import * as Copilot from "./Copilot.ts"
import * as Cursor from "./Cursor.ts"
import * as GeminiCli from "./GeminiCli.ts"
import * as Opencode from "./Opencode.ts"
import * as QwenCode from "./QwenCode.ts"

export const all: ReadonlyArray<Client> = [
  ClaudeCode.client,
  Codex.client,
  GeminiCli.client,
  Copilot.client,
  Opencode.client,
  QwenCode.client,
  Cursor.client,
]

export const named = (name: string): Client | undefined => all.find((client) => client.name === name)
