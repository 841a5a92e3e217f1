/**
 * Finds the speakers in messages of role `user`. Claude Code also uses that role for its own commands, finished
 * background work, the editor and interruptions, alone or next to typed text.
 */

import type { Json } from "../../values/Json.ts"
import { field, isObject, textOf } from "../runs/Untrusted.ts"
import { blocksOf, contentParts } from "./Blocks.ts"

export type Speaker = "harness" | "notification" | "ide" | "interrupt"

const ELEMENTS: ReadonlyArray<readonly [RegExp, Speaker]> = [
  [/^(?:task|agent|background)-notification$|^teammate-message$|^cross-session-message$/, "notification"],
  [/^ide_|^ide-|^new-diagnostics$/, "ide"],
  [/^(?:command|local-command|bash)-|^system-reminder$|^user-prompt-submit-hook$|^session-start-hook$/, "harness"],
]

const INTERRUPTED = /^\[Request interrupted by user/

export interface Spoken {
  /** Content parts that the person typed or attached. */
  readonly person: ReadonlyArray<Json>
  readonly text: string
  readonly others: ReadonlySet<Speaker>
}

/** Splits a message by speaker. */
export const spokenIn = (message: unknown): Spoken => {
  const others = new Set<Speaker>()
  const person = contentParts(blocksOf(message)).flatMap((part): ReadonlyArray<Json> => {
    const text = textOf(part, "text")
    if (text === undefined) return [part]
    const typed = typedIn(text, others)
    return typed === "" ? [] : [{ type: "text", text: typed }]
  })
  return { person, text: person.flatMap((part) => textOf(part, "text") ?? []).join("\n"), others }
}

/** Strips the program's elements at the beginning and end of a text. */
const typedIn = (text: string, others: Set<Speaker>): string => {
  if (INTERRUPTED.test(text)) return none(others, "interrupt")
  if (text.startsWith("Caveat: ")) return none(others, "harness")
  let left = text
  for (let next = element(left, OPENING); next !== undefined; next = element(left, OPENING)) {
    others.add(next.speaker)
    const end = left.indexOf(`</${next.name}>`)
    left = end < 0 ? "" : left.slice(end + next.name.length + 3)
  }
  for (let last = element(left, CLOSING); last !== undefined; last = element(left, CLOSING)) {
    const begin = left.lastIndexOf(`<${last.name}`)
    if (begin < 0 || left.startsWith("</", begin)) break
    others.add(last.speaker)
    left = left.slice(0, begin)
  }
  return left === text ? text : left.trim()
}

const none = (others: Set<Speaker>, speaker: Speaker): string => {
  others.add(speaker)
  return ""
}

const OPENING = /^\s*<([a-z][\w-]*)(?:\s[^<>]*)?>/i
const CLOSING = /<\/([a-z][\w-]*)>\s*$/i

/** The program's element at the beginning or end of a text. */
const element = (text: string, pattern: RegExp): { readonly name: string; readonly speaker: Speaker } | undefined => {
  const [, name] = pattern.exec(text) ?? []
  if (name === undefined) return undefined
  const [, speaker] = ELEMENTS.find(([names]) => names.test(name)) ?? []
  return speaker === undefined ? undefined : { name, speaker }
}

/** The person's text in a record, if it can be the session's goal. */
export const goalIn = (value: unknown): string | undefined => {
  if (field(value, "type") !== "user" || !isObject(field(value, "message"))) return undefined
  if (field(value, "isMeta") === true || field(value, "isCompactSummary") === true) return undefined
  if (isNotification(value)) return undefined
  const { text } = spokenIn(field(value, "message"))
  return text === "" ? undefined : text
}

/** Whether a record marks itself as a notification of finished background work. */
export const isNotification = (value: unknown): boolean =>
  textOf(field(value, "origin"), "kind") === "task-notification" || textOf(value, "commandMode") === "task-notification"
