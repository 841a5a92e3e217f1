/**
 * `npm run bench [-- --json] [-- --only kernel|log] [-- --rounds N]`: what Hindcast costs, each figure as a ratio to a
 * floor measured in the same run.
 */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: { json: { type: "boolean" }, only: { type: "string" }, rounds: { type: "string", default: "7" } },
})
const CASES = { kernel: "./cases/kernel.mjs", log: "./cases/log.mjs" }
const names = values.only === undefined ? Object.keys(CASES) : [values.only]
const unknown = names.find((name) => !Object.hasOwn(CASES, name))
if (unknown !== undefined) {
  process.stderr.write(`--only: expected ${Object.keys(CASES).join(" or ")}, found ${unknown}\n`)
  process.exit(1)
}

const directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-bench-"))
const rows = []
try {
  for (const name of names) {
    if (values.json !== true) process.stderr.write(`measuring ${name} …\n`)
    const { run } = await import(CASES[name])
    rows.push(...(await run(directory, Number(values.rounds))))
  }
} finally {
  fs.rmSync(directory, { recursive: true, force: true })
}

const machine = {
  date: new Date().toISOString().slice(0, 10),
  node: process.versions.node,
  cpus: `${os.cpus().length} × ${os.cpus()[0]?.model.trim() ?? "unknown"}`,
}
const holds = ({ ratio, bound }) => (bound.at === "most" ? ratio <= bound.value : ratio >= bound.value)
if (values.json === true) {
  process.stdout.write(
    `${JSON.stringify({ machine, rows: rows.map((row) => ({ ...row, holds: holds(row) })) }, null, 2)}\n`,
  )
} else {
  const cells = rows.map((row) => [
    row.what,
    `${row.ours.toFixed(1)} ${row.unit}`,
    `${row.floor.toFixed(1)} ${row.unit}`,
    `${row.ratio.toFixed(2)} ×`,
    `at ${row.bound.at} ${row.bound.value} ×`,
    holds(row) ? "yes" : "no",
    row.floorIs,
  ])
  const table = [["what", "ours", "floor", "ratio", "goal", "met", "the floor is"], ...cells]
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)))
  process.stdout.write(`${machine.cpus}, Node ${machine.node}, ${machine.date}; medians of one run\n\n`)
  for (const row of table)
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join("  ")
        .trimEnd()}\n`,
    )
}
