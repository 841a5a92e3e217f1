/** The coding agents whose log records Hindcast reads. */

import type { LogRecord } from "../otlp/LogRecord.ts"
import type { AgentLog } from "./AgentLog.ts"
import { claudeCode } from "./ClaudeCode.ts"
import { codex } from "./Codex.ts"
import { geminiCli } from "./GeminiCli.ts"

export const all: ReadonlyArray<AgentLog> = [claudeCode, codex, geminiCli]

export const agentOf = (record: LogRecord): AgentLog | undefined => all.find((agent) => agent.recognizes(record))
