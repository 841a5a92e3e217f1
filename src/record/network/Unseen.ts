/** What a recorder saw of a program and could not record: each kind and target once, with how often. */

import * as fs from "node:fs"
import { Schema } from "effect"

/** Something that was not recorded. */
export const Item = Schema.Struct({
  /** `a connection`, `an upgrade to websocket`, `a process`. */
  what: Schema.String,
  /** Where it went, or what was started. */
  target: Schema.String,
  count: Schema.Int,
})

export type Item = typeof Item.Type

/** Notes that something was not recorded. */
export type Note = (what: string, target: string) => void

/** The file of what was not recorded, beside the report of a process. */
export const fileBeside = (report: string): string => `${report}.unseen`

/** Notes it in a file, a line of JSON each: several processes may write to one. */
export const to =
  (file: string): Note =>
  (what, target) =>
    fs.appendFileSync(file, `${JSON.stringify({ what, target })}\n`)

/** What was noted in a file: each kind and target once. */
export const read = (file: string): ReadonlyArray<Item> => {
  const items = new Map<string, Item>()
  const lines = fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n") : []
  for (const line of lines) {
    if (line === "") continue
    const { what, target } = asNoted(line)
    const key = described({ what, target, count: 1 })
    items.set(key, { what, target, count: (items.get(key)?.count ?? 0) + 1 })
  }
  return [...items.values()]
}

// Written by this version.
const asNoted = Schema.decodeUnknownSync(Schema.parseJson(Item.pick("what", "target")))

/** An item in a few words. */
export const described = ({ what, target, count }: Item): string =>
  `${what}: ${target}${count === 1 ? "" : ` (${count} times)`}`
