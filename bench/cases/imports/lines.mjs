/** What the writers of runs share: moments, texts as tools answer them, files of lines. */
import * as fs from "node:fs"
import * as path from "node:path"

/** A second of the first of January 2026. */
export const stamp = (second) => new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString()

/** An id of a run that differs from those of all other numbers. */
export const uuid = (number) => `0b5f3f3e-7a52-4a4e-9d57-${String(number).padStart(12, "0")}`

/** What a command printed. */
export const OUTPUT = "ok ".repeat(20)

/** Writes records, a line each. */
export const writeLines = (directory, name, records) => {
  let text = ""
  for (const record of records) text += `${JSON.stringify(record)}\n`
  const file = path.join(directory, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
}
