/** Hindcast's hooks in the settings of Gemini CLI. */

import * as GroupedHooks from "./GroupedHooks.ts"
import { type Installer, lineOf, placed } from "./Installer.ts"

export const installer: Installer = {
  name: "gemini-cli",
  file: (place) => placed(place, ".gemini", "settings.json"),
  ...GroupedHooks.of({
    events: [
      ["BeforeTool", 590],
      ["AfterTool", 60],
      ["BeforeAgent", 60],
      ["AfterAgent", 60],
      ["SessionStart", 60],
      ["SessionEnd", 20],
    ],
    // Gemini CLI counts in milliseconds.
    hook: (_, timeout, command) => ({
      type: "command",
      name: "hindcast",
      command: lineOf(command),
      timeout: timeout * 1000,
    }),
  }),
  limits: [
    "Gemini CLI runs no tool hook under ACP (--acp).",
    "Its hooks have no call ids: Hindcast ties a result to its call by tool and arguments, in order.",
    "Gemini CLI runs the tool if the hook is killed or its time is up.",
  ],
}
