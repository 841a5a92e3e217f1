/**
 * Hooks in groups by matcher, as Claude Code has them: `{ "hooks": { "PreToolUse": [{ "hooks": [{ "command": … }] }] } }`.
 * Codex, Gemini CLI and Qwen Code share this form.
 */

import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { type HookCommand, type Installer, isOurs, lineOf } from "./Installer.ts"
import * as JsonSettings from "./JsonSettings.ts"

/** A client's hooks: each event with its time-out in seconds, and one hook in its settings. */
export interface GroupedForm {
  readonly events: ReadonlyArray<readonly [event: string, timeout: number]>
  readonly hook: (event: string, timeout: number, command: HookCommand) => JsonObject
}

export const of = ({ events, hook }: GroupedForm): Pick<Installer, "installed" | "uninstalled"> => ({
  installed: (text, command) =>
    JsonSettings.changed(text, (hooks) => {
      let all: JsonObject = removedFrom(hooks)
      for (const [event, timeout] of events) {
        const before = SafeRecord.get(all, event)
        all = {
          ...all,
          [event]: [...(Array.isArray(before) ? before : []), { hooks: [hook(event, timeout, command)] }],
        }
      }
      return all
    }),
  uninstalled: (text) => JsonSettings.changed(text, removedFrom),
})

/** Without Hindcast's hooks, and without entries that this leaves empty. */
const removedFrom = (hooks: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(hooks).flatMap(([event, matchers]): ReadonlyArray<readonly [string, Json]> => {
      if (!Array.isArray(matchers) || !matchers.some(holdsOurs)) return [[event, matchers]]
      const left = matchers.flatMap((matcher) => {
        if (!isObject(matcher) || !holdsOurs(matcher)) return [matcher]
        const others = listOf(matcher).filter((hook) => !isOurHook(hook))
        return others.length === 0 ? [] : [{ ...matcher, hooks: others }]
      })
      return left.length === 0 ? [] : [[event, left]]
    }),
  )

const listOf = (matcher: Json): ReadonlyArray<Json> => {
  const hooks = isObject(matcher) ? SafeRecord.get(matcher, "hooks") : undefined
  return Array.isArray(hooks) ? hooks : []
}

const holdsOurs = (matcher: Json): boolean => listOf(matcher).some(isOurHook)

const isOurHook = (hook: Json): boolean => {
  if (!isObject(hook)) return false
  const [command, args] = [SafeRecord.get(hook, "command"), SafeRecord.get(hook, "args")]
  if (typeof command !== "string") return false
  return isOurs(Array.isArray(args) ? lineOf([command, ...args.map(String)]) : command)
}
