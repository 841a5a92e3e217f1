/** Imports 1,000,000 events of each agent format by the command line, each in its own process. */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as claudeCode from "./imports/claudeCode.mjs"
import * as codex from "./imports/codex.mjs"
import * as inspect from "./imports/inspect.mjs"
import * as mapped from "./imports/mapped.mjs"
import * as openHands from "./imports/openHands.mjs"
import * as piaAvt from "./imports/piaAvt.mjs"
import * as traces from "./imports/traces.mjs"
import * as trajectories from "./imports/trajectories.mjs"

/** Each writes files of some 1,000,000 events, Claude Code's 1,000,000 lines. */
const KINDS = { claudeCode, codex, openHands, traces, trajectories, inspect, piaAvt, mapped }

/** In bytes: a report names up to 100,000 runs. */
const LONGEST_REPORT = 256 * 1024 * 1024

const PROGRAM = fileURLToPath(new URL("../programs/measured.mjs", import.meta.url))
const INSERTING = fileURLToPath(new URL("../programs/inserting.mjs", import.meta.url))

export const run = async (directory, _rounds, say) => {
  const rows = []
  for (const [name, kind] of Object.entries(KINDS)) rows.push(...measured(path.join(directory, name), kind, say))
  return rows
}

const measured = (directory, { what, args = [], write }, say) => {
  const sources = path.join(directory, "sources")
  fs.mkdirSync(sources, { recursive: true })
  say(`writing ${what}`)
  write(sources)
  say("importing them")
  const log = path.join(directory, "imported.db")
  const command = ["import", sources, ...args, "--log", log, "--json"]
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...command], {
    encoding: "utf8",
    maxBuffer: LONGEST_REPORT,
  })
  if (status !== 0) throw new Error(`hindcast ${command.join(" ")} ended with ${status}: ${stderr}`)
  const { added } = JSON.parse(stdout)
  const { ms, cpuMs, peakMiB } = JSON.parse(stderr.trim().split("\n").at(-1))
  say(`${added.toLocaleString("en")} events in ${Math.round(ms / 1000)} s`)
  say("inserting the same events plainly")
  const plain = inserted(log, path.join(directory, "plain.db"))
  if (plain.count !== added) throw new Error(`${plain.count} events were inserted plainly of ${added}`)
  fs.rmSync(directory, { recursive: true })
  const events = { unit: "k/s", bound: { at: "least", value: 20, of: "ours" } }
  return [
    { what: `import ${what}: events`, ours: added / ms, ...events },
    { what: "the same, by processor time", ours: added / cpuMs, ...events },
    {
      what: "the same, against plain inserts",
      unit: "k/s",
      ours: added / cpuMs,
      floor: added / plain.cpuMs,
      ratio: plain.cpuMs / cpuMs,
      bound: { at: "least", value: 0.5, of: "ratio" },
      floorIs: "the same events into a table with text columns, a hundred in a commit",
    },
    { what: "most memory meanwhile", unit: "MiB", ours: peakMiB, bound: { at: "most", value: 250, of: "ours" } },
  ]
}

/** Inserts a log's events plainly. Returns their number and the processor time. */
const inserted = (log, file) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [INSERTING, log, file], { encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}
