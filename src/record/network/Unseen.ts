/** Activity of a program that a recorder saw but could not record, counted by kind and target. */

import * as fs from "node:fs"
import { Schema } from "effect"

export const Item = Schema.Struct({
  /** `a connection`, `an upgrade to websocket`, `a process`. */
  what: Schema.String,
  /** The server, or the program that was started. */
  target: Schema.String,
  count: Schema.Int,
})

export type Item = typeof Item.Type

export type Note = (what: string, target: string) => void

export const fileBeside = (report: string): string => `${report}.unseen`

/** Appends one JSON line per item, so that several processes can share the file. */
export const to =
  (file: string): Note =>
  (what, target) =>
    fs.appendFileSync(file, `${JSON.stringify({ what, target })}\n`)

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

// This version wrote it.
const asNoted = Schema.decodeUnknownSync(Schema.parseJson(Item.pick("what", "target")))

export const described = ({ what, target, count }: Item): string =>
  `${what}: ${target}${count === 1 ? "" : ` (${count} times)`}`
