/** The clients into whose settings Hindcast writes hooks. */

import * as ClaudeSettings from "./ClaudeSettings.ts"
import * as CodexHooks from "./CodexHooks.ts"
import * as CopilotHooks from "./CopilotHooks.ts"
import * as CursorHooks from "./CursorHooks.ts"
import * as GeminiSettings from "./GeminiSettings.ts"
import type { Installer } from "./Installer.ts"
import * as OpencodePlugin from "./OpencodePlugin.ts"
import * as QwenSettings from "./QwenSettings.ts"

export const all: ReadonlyArray<Installer> = [
  ClaudeSettings.installer,
  CodexHooks.installer,
  GeminiSettings.installer,
  CopilotHooks.installer,
  OpencodePlugin.installer,
  QwenSettings.installer,
  CursorHooks.installer,
]

export const named = (name: string): Installer | undefined => all.find((one) => one.name === name)
