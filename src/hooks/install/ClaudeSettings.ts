/** Hindcast's hooks in Claude Code's settings. */

import * as path from "node:path"
import * as GroupedHooks from "./GroupedHooks.ts"
import { type Installer, placed } from "./Installer.ts"

/** What Claude Code does when the hook fails. Older versions ignore it: the command also refuses by its exit code. */
const BLOCKS = { onFailure: "block", statusMessage: "Hindcast's gate" }

export const installer: Installer = {
  name: "claude-code",
  file: (place) => {
    const own = place.project === undefined ? place.env("CLAUDE_CONFIG_DIR") : undefined
    return own === undefined ? placed(place, ".claude", "settings.json") : path.join(own, "settings.json")
  },
  ...GroupedHooks.of({
    // `PreToolUse` may ask a person. `SessionEnd` hooks are cut off early unless they set a time-out.
    events: [
      ["PreToolUse", 590],
      ["PostToolUse", 60],
      ["PostToolUseFailure", 60],
      ["PostToolBatch", 60],
      ["UserPromptSubmit", 30],
      ["SessionStart", 60],
      ["SubagentStart", 60],
      ["SubagentStop", 60],
      ["PreCompact", 60],
      ["ConfigChange", 60],
      ["Stop", 60],
      ["StopFailure", 60],
      ["SessionEnd", 20],
    ],
    hook: (event, timeout, [program, ...args]) => ({
      type: "command",
      command: program,
      args,
      timeout,
      ...(event === "PreToolUse" ? BLOCKS : {}),
    }),
  }),
  limits: [
    "--bare, --safe-mode and disableAllHooks turn off all hooks, the last also in mid-session.",
    "Web searches that the provider runs, and calls with invalid arguments, reach no hook before they end.",
    "Of a shell command that continues in the background, the hooks see only the start.",
  ],
}
