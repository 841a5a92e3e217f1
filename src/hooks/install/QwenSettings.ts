/** Hindcast's hooks in the settings of Qwen Code. */

import * as GroupedHooks from "./GroupedHooks.ts"
import { type Installer, lineOf, placed } from "./Installer.ts"

export const installer: Installer = {
  name: "qwen",
  file: (place) => placed(place, ".qwen", "settings.json"),
  ...GroupedHooks.of({
    events: [
      ["PreToolUse", 590],
      ["PostToolUse", 60],
      ["PostToolUseFailure", 60],
      ["PostToolBatch", 15],
      ["UserPromptSubmit", 30],
      ["SessionStart", 60],
      ["SubagentStart", 60],
      ["SubagentStop", 60],
      ["PreCompact", 60],
      ["Stop", 60],
      ["SessionEnd", 20],
    ],
    hook: (_, timeout, command) => ({ type: "command", name: "hindcast", command: lineOf(command), timeout }),
  }),
  limits: [
    "--bare, --safe-mode and disableAllHooks turn off all hooks.",
    "Qwen Code runs the tool if the hook is killed or its time is up.",
  ],
}
