/** Hindcast's hooks in Cursor's `hooks.json`: lists of commands by event, which block when they fail. */

import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { type Installer, isOurs, lineOf, placed } from "./Installer.ts"
import * as JsonSettings from "./JsonSettings.ts"

/** Each event with its time-out in seconds. */
const EVENTS = {
  preToolUse: 590,
  postToolUse: 60,
  postToolUseFailure: 60,
  beforeSubmitPrompt: 30,
  afterAgentResponse: 60,
  sessionStart: 60,
  sessionEnd: 20,
}

export const installer: Installer = {
  name: "cursor",
  file: (place) => placed(place, ".cursor", "hooks.json"),
  installed: (text, command) =>
    JsonSettings.changed(
      text,
      (hooks) => {
        let all = removedFrom(hooks)
        for (const [event, timeout] of Object.entries(EVENTS)) {
          const before = SafeRecord.get(all, event)
          const blocks = event === "preToolUse" ? { failClosed: true } : {}
          all = {
            ...all,
            [event]: [...(Array.isArray(before) ? before : []), { command: lineOf(command), timeout, ...blocks }],
          }
        }
        return all
      },
      { version: 1 },
    ),
  uninstalled: (text) => JsonSettings.changed(text, removedFrom),
  limits: [
    "Cursor's own program could not be tried: the hooks follow its documentation.",
    "Cursor runs the hooks of `.claude/settings.json`, too, if it is set to: then each call comes twice.",
  ],
}

const removedFrom = (hooks: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(hooks).flatMap(([event, list]): ReadonlyArray<readonly [string, Json]> => {
      if (!Array.isArray(list) || !list.some(isOurHook)) return [[event, list]]
      const left = list.filter((hook) => !isOurHook(hook))
      return left.length === 0 ? [] : [[event, left]]
    }),
  )

const isOurHook = (hook: Json): boolean => {
  const command = isObject(hook) ? SafeRecord.get(hook, "command") : undefined
  return typeof command === "string" && isOurs(command)
}
