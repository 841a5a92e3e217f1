/** Shared by the writers of runs: times, outputs, and files of lines. */
import * as fs from "node:fs"
import * as path from "node:path"

/** A second of 1 January 2026. */
export const stamp = (second) => new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString()

/** A distinct id of a run. */
export const uuid = (number) => `0b5f3f3e-7a52-4a4e-9d57-${String(number).padStart(12, "0")}`

/** A command's output. */
export const OUTPUT = "ok ".repeat(20)

/** Writes one record per line. */
export const writeLines = (directory, name, records) => {
  let text = ""
  for (const record of records) text += `${JSON.stringify(record)}\n`
  const file = path.join(directory, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
}
