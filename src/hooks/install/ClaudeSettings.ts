/** Hindcast's hooks in Claude Code's settings. Pure: text in, text out. */

import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"

/** A hook's program and arguments, without a shell. */
export type HookCommand = readonly [program: string, ...args: ReadonlyArray<string>]

/**
 * The hooked events and their time-outs in seconds. `PreToolUse` may ask a person, and refuses on failure; Claude Code
 * cuts off `SessionEnd` hooks early unless they set a time-out.
 */
const EVENTS: ReadonlyArray<readonly [event: string, timeout: number]> = [
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
]

export interface Refused {
  readonly expected: string
  readonly found: string
}

/** Adds the hooks, once: a duplicate would record everything twice. */
export const installed = (text: string, command: HookCommand): string | Refused =>
  changed(text, (hooks) => {
    const without = removedFrom(hooks)
    let all: JsonObject = without
    for (const [event, timeout] of EVENTS) {
      const [program, ...args] = command
      const hook = { type: "command", command: program, args, timeout, ...(event === "PreToolUse" ? BLOCKS : {}) }
      const before = SafeRecord.get(all, event)
      all = { ...all, [event]: [...(Array.isArray(before) ? before : []), { hooks: [hook] }] }
    }
    return all
  })

/** What Claude Code does when the hook fails. Older versions ignore it: the command also refuses by its exit code. */
const BLOCKS = { onFailure: "block", statusMessage: "Hindcast's gate" }

export const uninstalled = (text: string): string | Refused => changed(text, removedFrom)

/** Tells whether the settings have the hooks. */
export const has = (text: string): boolean => {
  const without = uninstalled(text)
  return typeof without === "string" && without !== text
}

const changed = (text: string, change: (hooks: JsonObject) => JsonObject): string | Refused => {
  const settings = parsed(text)
  if ("expected" in settings) return settings as unknown as Refused
  const { value } = settings
  const before = SafeRecord.get(value, "hooks")
  if (before !== undefined && !isObject(before))
    return { expected: "an object as `hooks`", found: JSON.stringify(before).slice(0, 80) }
  const hooks = change(before ?? {})
  if (JSON.stringify(hooks) === JSON.stringify(before ?? {})) return text
  const { hooks: _, ...others } = value
  const next = Object.keys(hooks).length === 0 ? others : { ...others, hooks }
  return `${JSON.stringify(next, undefined, 2)}\n`
}

const parsed = (text: string): { readonly value: JsonObject } | Refused => {
  if (text.trim() === "") return { value: {} }
  try {
    const value: Json = JSON.parse(text)
    return isObject(value) ? { value } : { expected: "an object", found: JSON.stringify(value).slice(0, 80) }
  } catch (error) {
    // Claude Code silently ignores such a file as a whole.
    return { expected: "JSON", found: error instanceof Error ? error.message : "something else" }
  }
}

/** Removes Hindcast's hooks, and entries that this leaves empty. */
const removedFrom = (hooks: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(hooks).flatMap(([event, matchers]): ReadonlyArray<readonly [string, Json]> => {
      if (!Array.isArray(matchers) || !matchers.some(holdsOurs)) return [[event, matchers]]
      const left = matchers.flatMap((matcher) => {
        if (!isObject(matcher) || !holdsOurs(matcher)) return [matcher]
        const others = listOf(matcher).filter((hook) => !isOurs(hook))
        return others.length === 0 ? [] : [{ ...matcher, hooks: others }]
      })
      return left.length === 0 ? [] : [[event, left]]
    }),
  )

const listOf = (matcher: Json): ReadonlyArray<Json> => {
  const hooks = isObject(matcher) ? SafeRecord.get(matcher, "hooks") : undefined
  return Array.isArray(hooks) ? hooks : []
}

const holdsOurs = (matcher: Json): boolean => listOf(matcher).some(isOurs)

/** A hook whose first argument is this package's command. */
const isOurs = (hook: Json): boolean => {
  const args = isObject(hook) ? SafeRecord.get(hook, "args") : undefined
  const [file] = Array.isArray(args) ? args : []
  return typeof file === "string" && /[\\/]dist[\\/]hook\.js$/.test(file)
}
