/** Start-up in separate processes: importing Hindcast next to Effect, and the command line next to an empty program. */
import { spawnSync } from "node:child_process"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { median, started } from "../measure.mjs"

const built = (...names) => fileURLToPath(new URL(path.posix.join("../../dist", ...names), import.meta.url))

/** Entries of the package, and their maximum as a multiple of importing Effect. */
const ENTRIES = {
  hindcast: { module: "index.js", goal: 1.2 },
  "hindcast/promise": { module: "promise.js", goal: 1.2 },
  "hindcast/record": { module: "record/index.js", goal: 1.1 },
  "hindcast/events": { module: "events/index.js", goal: 1 },
}

const STARTS = {
  nothing: ["-e", "0"],
  effect: [fileURLToPath(import.meta.resolve("effect"))],
  ...Object.fromEntries(Object.entries(ENTRIES).map(([name, { module }]) => [name, [built(...module.split("/"))]])),
  version: [built("cli", "main.js"), "--version"],
  list: [built("cli", "main.js"), "task", "ls"],
}

export const run = async (directory, rounds, say) => {
  const env = { ...process.env, HINDCAST_LOG: path.join(directory, "started.db") }
  make(env)
  const spent = Object.fromEntries(Object.keys(STARTS).map((name) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    say(`starting each, round ${round}`)
    for (const [name, args] of Object.entries(STARTS)) {
      const one = started(args, env)
      // The first start reads the files from the disk.
      if (round > 0) spent[name].push(one)
    }
  }
  const middle = (name, of) => median(spent[name].map((one) => one[of]))
  const row = (what, name, floor, floorIs, of, unit, bound) => ({
    what,
    ours: middle(name, of),
    floor: middle(floor, of),
    ratio: middle(name, of) / middle(floor, of),
    unit,
    floorIs,
    bound,
  })
  const EFFECT = 'import "effect"'
  const atMost = (value) => ({ at: "most", value })
  return [
    ...Object.entries(ENTRIES).map(([name, { goal }]) =>
      row(`import "${name}", processor time`, name, "effect", EFFECT, "cpuMs", "ms", atMost(goal)),
    ),
    row('import "hindcast", peak memory', "hindcast", "effect", EFFECT, "megabytes", "MB", atMost(1.2)),
    row("hindcast --version, processor time", "version", "nothing", "node -e 0", "cpuMs", "ms", atMost(3)),
    row("hindcast task ls of a small log, processor time", "list", "nothing", "node -e 0", "cpuMs", "ms", atMost(3)),
  ]
}

/** A log with one plugin. */
const make = (env) => {
  const plugin = fileURLToPath(new URL("../../plugins/text-room", import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [built("cli", "main.js"), "plugin", "add", plugin], {
    env,
    encoding: "utf8",
  })
  if (status !== 0) throw new Error(stderr)
}
