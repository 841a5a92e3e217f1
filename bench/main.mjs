/**
 * Measures Hindcast, each figure as a ratio to a floor from the same run:
 * `npm run bench [-- --json] [-- --only PART[,PART …]] [-- --rounds N]`. `CASES` names the parts.
 */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: { json: { type: "boolean" }, only: { type: "string" }, rounds: { type: "string", default: "7" } },
})
const CASES = {
  bisect: "./cases/bisect.mjs",
  blame: "./cases/blame.mjs",
  workspace: "./cases/workspace.mjs",
  calls: "./cases/calls.mjs",
  client: "./cases/client.mjs",
  commands: "./cases/commands.mjs",
  conversation: "./cases/conversation.mjs",
  export: "./cases/export.mjs",
  failures: "./cases/failures.mjs",
  files: "./cases/files.mjs",
  hooks: "./cases/hooks.mjs",
  import: "./cases/import.mjs",
  kernel: "./cases/kernel.mjs",
  listen: "./cases/listen.mjs",
  log: "./cases/log.mjs",
  memories: "./cases/memories.mjs",
  million: "./cases/million.mjs",
  plugins: "./cases/plugins.mjs",
  proxy: "./cases/proxy.mjs",
  postgres: "./cases/postgres.mjs",
  python: "./cases/python.mjs",
  rescore: "./cases/rescore.mjs",
  replay: "./cases/replay.mjs",
  start: "./cases/start.mjs",
  studio: "./cases/studio.mjs",
  travel: "./cases/travel.mjs",
  turns: "./cases/turns.mjs",
  record: "./cases/record.mjs",
  rollouts: "./cases/rollouts.mjs",
  runners: "./cases/runners.mjs",
  worlds: "./cases/worlds.mjs",
}
const names = values.only === undefined ? Object.keys(CASES) : values.only.split(",")
const unknown = names.find((name) => !Object.hasOwn(CASES, name))
if (unknown !== undefined) {
  process.stderr.write(`--only: expected ${Object.keys(CASES).join(" or ")}, found ${unknown}\n`)
  process.exit(1)
}

/** Reports progress on stderr. */
const say = (what) => {
  if (values.json !== true) process.stderr.write(`${what} …\n`)
}

/** A bound limits the ratio, the figure itself (`of: "ours"`), or the ratio of processor time (`of: "cpu"`). */
const holds = ({ ours, ratio, cpuRatio, bound }) => {
  const held = bound.of === "ours" ? ours : bound.of === "cpu" ? cpuRatio : ratio
  return bound.at === "most" ? held <= bound.value : held >= bound.value
}
const boundOf = ({ unit, bound }) => `at ${bound.at} ${bound.value} ${bound.of === "ours" ? unit : "×"}`

const directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-bench-"))
const rows = []
try {
  for (const name of names) {
    say(`measuring ${name}`)
    const { run } = await import(CASES[name])
    // A case returns its rows, or yields each one when it has it.
    for await (const row of await run(directory, Number(values.rounds), (what) => say(`  ${what}`))) {
      rows.push(row)
      say(`  ${row.what}: ${row.ours.toFixed(1)} ${row.unit}, ${holds(row) ? "as wanted" : `wanted ${boundOf(row)}`}`)
    }
  }
} finally {
  fs.rmSync(directory, { recursive: true, force: true })
}

const machine = {
  date: new Date().toISOString().slice(0, 10),
  node: process.versions.node,
  cpus: `${os.cpus().length} × ${os.cpus()[0]?.model.trim() ?? "unknown"}`,
}
/** The ratio of processor time, if measured: other load on the machine affects it less. */
const times = (ratio) => (ratio === undefined ? "" : `${ratio.toFixed(2)} ×`)
if (values.json === true) {
  process.stdout.write(
    `${JSON.stringify({ machine, rows: rows.map((row) => ({ ...row, holds: holds(row) })) }, null, 2)}\n`,
  )
} else {
  const cells = rows.map((row) => [
    row.what,
    `${row.ours.toFixed(1)} ${row.unit}`,
    row.floor === undefined ? "" : `${row.floor.toFixed(1)} ${row.unit}`,
    times(row.ratio),
    times(row.cpuRatio),
    boundOf(row),
    holds(row) ? "yes" : "no",
    row.floorIs ?? "",
  ])
  const table = [["what", "ours", "floor", "ratio", "by CPU time", "goal", "met", "the floor is"], ...cells]
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
