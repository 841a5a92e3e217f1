/** Hindcast's hooks for GitHub Copilot CLI: a file of their own in its directory of hooks. */

import { type Installer, lineOf, placed } from "./Installer.ts"
import * as OwnFile from "./OwnFile.ts"

/** Each event with its time-out in seconds. */
const EVENTS = {
  preToolUse: 590,
  postToolUse: 60,
  userPromptSubmitted: 30,
  sessionStart: 60,
  sessionEnd: 20,
}

export const installer: Installer = {
  name: "copilot",
  file: (place) => placed(place, place.project === undefined ? ".copilot" : ".github", "hooks", "hindcast.json"),
  // The payloads do not name their event: the command does.
  ...OwnFile.of((command) => {
    const hooks = Object.fromEntries(
      Object.entries(EVENTS).map(([event, timeoutSec]) => [
        event,
        [{ type: "command", bash: lineOf([...command, event]), timeoutSec }],
      ]),
    )
    return `${JSON.stringify({ version: 1, hooks }, undefined, 2)}\n`
  }),
  limits: [
    "Copilot runs the tool if the hook is killed or its time is up.",
    "Copilot skips a project's hooks in a folder that is not trusted, and says nothing.",
    "Its hooks have no call ids: Hindcast ties a result to its call by tool and arguments, in order.",
  ],
}
