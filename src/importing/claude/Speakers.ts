/**
 * Who says what in the name of the user: Claude Code tells the model of its own commands, of finished background work, of the editor
 * and of interruptions in messages of the role `user`, alone or next to what a person typed.
 */

import type { Json } from "../../values/Json.ts"
import { field, isObject, textOf } from "../runs/Untrusted.ts"
import { blocksOf, contentParts } from "./Blocks.ts"

/** Who said something that no person typed. */
export type Speaker = "harness" | "notification" | "ide" | "interrupt"

/** Elements of the program, by their names. */
const ELEMENTS: ReadonlyArray<readonly [RegExp, Speaker]> = [
  [/^(?:task|agent|background)-notification$|^teammate-message$|^cross-session-message$/, "notification"],
  [/^ide_|^ide-|^new-diagnostics$/, "ide"],
  [/^(?:command|local-command|bash)-|^system-reminder$|^user-prompt-submit-hook$|^session-start-hook$/, "harness"],
]

const INTERRUPTED = /^\[Request interrupted by user/

/** What is in a message. */
export interface Spoken {
  /** What a person typed, with pictures: content parts. Empty if there is nothing of a person in it. */
  readonly person: ReadonlyArray<Json>
  /** What a person typed, as text. */
  readonly text: string
  /** Who else said something in it. */
  readonly others: ReadonlySet<Speaker>
}

/** Takes apart who said what in a message. */
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

/** What a person typed of a text: what is left of it without the elements of the program before and after it. */
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

/** The element of the program that a text begins or ends with. */
const element = (text: string, pattern: RegExp): { readonly name: string; readonly speaker: Speaker } | undefined => {
  const [, name] = pattern.exec(text) ?? []
  if (name === undefined) return undefined
  const [, speaker] = ELEMENTS.find(([names]) => names.test(name)) ?? []
  return speaker === undefined ? undefined : { name, speaker }
}

/** The person's words of a record, if they can be what the session is about. */
export const goalIn = (value: unknown): string | undefined => {
  if (field(value, "type") !== "user" || !isObject(field(value, "message"))) return undefined
  if (field(value, "isMeta") === true || field(value, "isCompactSummary") === true) return undefined
  if (isNotification(value)) return undefined
  const { text } = spokenIn(field(value, "message"))
  return text === "" ? undefined : text
}

/** Whether a record says of itself that it tells of finished background work. */
export const isNotification = (value: unknown): boolean =>
  textOf(field(value, "origin"), "kind") === "task-notification" || textOf(value, "commandMode") === "task-notification"
