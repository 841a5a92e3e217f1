/** Hindcast's hooks in Codex's `hooks.json`. Codex skips each hook that the user has not trusted: see `CodexTrust`. */

import * as path from "node:path"
import * as GroupedHooks from "./GroupedHooks.ts"
import { type Installer, lineOf, placed } from "./Installer.ts"

export const installer: Installer = {
  name: "codex",
  file: (place) => {
    const own = place.project === undefined ? place.env("CODEX_HOME") : undefined
    return own === undefined ? placed(place, ".codex", "hooks.json") : path.join(own, "hooks.json")
  },
  ...GroupedHooks.of({
    // Codex limits `Interrupt` and `SessionEnd` to 3 s.
    events: [
      ["PreToolUse", 590],
      ["PostToolUse", 60],
      ["UserPromptSubmit", 30],
      ["SessionStart", 60],
      ["SubagentStart", 60],
      ["SubagentStop", 60],
      ["PreCompact", 60],
      ["Stop", 60],
      ["Interrupt", 3],
      ["SessionEnd", 3],
    ],
    // An unknown field would discard the whole file.
    hook: (_, timeout, command) => ({ type: "command", command: lineOf(command), timeout }),
  }),
  limits: [
    "Codex runs a hook only while it is trusted: another hook before it, or another command, ends the trust, and Codex says nothing.",
    "Text typed into a shell that was allowed once (write_stdin), hosted web searches and calls with invalid arguments reach no hook.",
    "Codex runs the tool if the hook is killed or its time is up.",
  ],
}
