/** The difference between two requests, part by part. Pure. */

import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import { longestCommon } from "../timetravel/alignment/CommonSubsequence.ts"
import { messageLines, toolText } from "./MessageText.ts"
import { listOf, type SeenMessage } from "./RequestMessage.ts"
import type { Part, WholeRequest } from "./WholeRequest.ts"

/** One side of a part: its text, and the position of the event that records it. */
export interface Side {
  readonly text: string
  readonly at: number
}

/** A part of one or both requests. */
export interface PartChange {
  readonly part: "system" | "tool" | "setting" | "message"
  /** The name of a tool or a setting, the role of a message; empty for the system prompt. */
  readonly name: string
  /** `unknown`: the log does not have the part of one of the requests. */
  readonly change: "added" | "removed" | "changed" | "unchanged" | "unknown"
  readonly before: Side | null
  readonly after: Side | null
}

/**
 * Compares two requests. Messages are equal by meaning: ids of calls and signatures of providers do not count. The
 * system prompt comes first, then tools, settings and messages in their order.
 */
export const compare = (before: WholeRequest, after: WholeRequest): ReadonlyArray<PartChange> => [
  ...known("system", before.system, after.system, (value) => (value === "" ? [] : [["", value] as const])),
  ...known("tool", before.tools, after.tools, (tools) => tools.map((tool) => [tool.name, toolText(tool)] as const)),
  ...known("setting", before.settings, after.settings, (settings) =>
    Object.entries(settings).map(([name, value]) => [name, JSON.stringify(value)] as const),
  ),
  ...messages(before.messages, after.messages),
]

/** The number of parts by how they changed. */
export const countsOf = (changes: ReadonlyArray<PartChange>): { readonly [change in PartChange["change"]]: number } => {
  const counts = { added: 0, removed: 0, changed: 0, unchanged: 0, unknown: 0 }
  for (const { change } of changes) counts[change] += 1
  return counts
}

/** Compares named parts, such as tools. */
const known = <A>(
  part: PartChange["part"],
  before: Part<A>,
  after: Part<A>,
  named: (value: A) => ReadonlyArray<readonly [name: string, text: string]>,
): ReadonlyArray<PartChange> => {
  const sides = (one: Part<A>) =>
    new Map("value" in one ? named(one.value).map(([name, text]) => [name, { text, at: one.at }] as const) : [])
  const [a, b] = [sides(before), sides(after)]
  if ("notRecorded" in before && "notRecorded" in after) return []
  const isUnknown = "notRecorded" in before || "notRecorded" in after
  return [...new Set([...a.keys(), ...b.keys()])].map((name) => {
    const [inA, inB] = [a.get(name) ?? null, b.get(name) ?? null]
    return { part, name, change: isUnknown ? "unknown" : changeOf(inA?.text, inB?.text), before: inA, after: inB }
  })
}

const changeOf = (before: string | undefined, after: string | undefined): PartChange["change"] =>
  before === undefined ? "added" : after === undefined ? "removed" : before === after ? "unchanged" : "changed"

const messages = (before: ReadonlyArray<SeenMessage>, after: ReadonlyArray<SeenMessage>): ReadonlyArray<PartChange> => {
  const numbers = new Map<string, number>()
  const tokens = (all: ReadonlyArray<SeenMessage>) =>
    all.map((message) => {
      const meaning = meaningOf(message)
      const number = numbers.get(meaning) ?? numbers.size
      numbers.set(meaning, number)
      return number
    })
  const changes: Array<PartChange> = []
  let [i, j] = [0, 0]
  const common = longestCommon(tokens(before), tokens(after))
  for (const [nextI, nextJ] of [...common, [before.length, after.length] as const]) {
    changes.push(...paired(before.slice(i, nextI), after.slice(j, nextJ)))
    const [inA, inB] = [before[nextI], after[nextJ]]
    if (inA !== undefined && inB !== undefined) changes.push(changed("unchanged", inA, inB))
    ;[i, j] = [nextI + 1, nextJ + 1]
  }
  return changes
}

/** Between equal messages: pairs those of one role in order. */
const paired = (before: ReadonlyArray<SeenMessage>, after: ReadonlyArray<SeenMessage>): ReadonlyArray<PartChange> => {
  const changes: Array<PartChange> = []
  let next = 0
  for (const one of before) {
    const found = after.findIndex(({ role }, index) => index >= next && role === one.role)
    if (found < 0) {
      changes.push(changed("removed", one, null))
      continue
    }
    for (const added of after.slice(next, found)) changes.push(changed("added", null, added))
    changes.push(changed("changed", one, after[found] ?? null))
    next = found + 1
  }
  for (const added of after.slice(next)) changes.push(changed("added", null, added))
  return changes
}

const changed = (change: PartChange["change"], before: SeenMessage | null, after: SeenMessage | null): PartChange => ({
  part: "message",
  name: (after ?? before)?.role ?? "",
  change,
  before: before === null ? null : sideOf(before),
  after: after === null ? null : sideOf(after),
})

const sideOf = (message: SeenMessage): Side => ({ text: messageLines(message), at: message.at })

const meaningOf = ({ role, content }: SeenMessage): string =>
  JSON.stringify([role, Array.isArray(content) ? listOf(content).map(withoutIds) : content])

const withoutIds = (part: Json): Json => {
  if (!isObject(part)) return part
  const { callId: _, providerMetadata: __, ...others } = part as JsonObject
  return others
}
