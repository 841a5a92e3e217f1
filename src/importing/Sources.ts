/** Every format that runs are imported from. */

import { claudeCode } from "./claude/ClaudeCode.ts"
import { codex } from "./codex/Codex.ts"
import { inspect } from "./inspect/Inspect.ts"
import type { Source } from "./Source.ts"

/** In the order in which messages name them. */
export const SOURCES: ReadonlyArray<Source> = [claudeCode, codex, inspect]
