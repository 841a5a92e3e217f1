/** All import formats. */

import { atif } from "./atif/Atif.ts"
import { agentTrace } from "./attributions/AgentTrace.ts"
import { gitAi } from "./attributions/GitAi.ts"
import { claudeCode } from "./claude/ClaudeCode.ts"
import { cline } from "./cline/Cline.ts"
import { codex } from "./codex/Codex.ts"
import { otlp } from "./collected/Otlp.ts"
import { copilotCli } from "./copilot/CopilotCli.ts"
import { geminiCli } from "./gemini/GeminiCli.ts"
import { inspect } from "./inspect/Inspect.ts"
import { messages } from "./messages/Messages.ts"
import { minari } from "./minari/Minari.ts"
import { miniSweAgent } from "./miniswe/MiniSweAgent.ts"
import { openCode } from "./opencode/OpenCode.ts"
import { openhands } from "./openhands/OpenHands.ts"
import { orcaTrace } from "./orca/OrcaTrace.ts"
import { piaAvt } from "./piaavt/PiaAvt.ts"
import type { Source } from "./Source.ts"
import { sweAgent } from "./sweagent/SweAgent.ts"
import { langfuse } from "./traces/Langfuse.ts"
import { langSmith } from "./traces/LangSmith.ts"
import { verifiers } from "./verifiers/Verifiers.ts"

export const SOURCES: ReadonlyArray<Source> = [
  ...[claudeCode, codex, geminiCli, copilotCli, openCode, cline],
  ...[
    inspect,
    atif,
    otlp,
    langSmith,
    langfuse,
    openhands,
    sweAgent,
    miniSweAgent,
    verifiers,
    minari,
    orcaTrace,
    messages,
    piaAvt,
  ],
  ...[agentTrace, gitAi],
]
