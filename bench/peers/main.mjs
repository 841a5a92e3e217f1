/**
 * `npm run bench:peers [-- --json] [-- --rounds N]`: other SQLite stores next to Hindcast and raw better-sqlite3, with
 * the same payloads in the same run. Each file in `stores/` begins with a description of its append.
 */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { parseArgs } from "node:util"
import { interleave } from "../measure.mjs"
import { BATCH, payload } from "./payload.mjs"
import { document, page } from "./report.mjs"
import * as emmett from "./stores/emmett.mjs"
import * as hindcast from "./stores/hindcast.mjs"
import * as raw from "./stores/raw.mjs"
import * as saver from "./stores/saver.mjs"

/** The first one is the reference. */
const STORES = [raw, hindcast, emmett.asItComes, emmett.oneConnection, saver]

/** Sequential appends per round. */
const ONES = 1000
/** Batches per round. */
const BATCHES = 50
/** The share for a store whose appends take milliseconds. */
const SLOW = 1 / 5
/** Payloads to read. */
const READ = 20_000

const { values } = parseArgs({ options: { json: { type: "boolean" }, rounds: { type: "string", default: "5" } } })
const rounds = Number(values.rounds)
if (!Number.isInteger(rounds) || rounds < 1) {
  process.stderr.write(`--rounds: expected a whole number from 1 on, found ${values.rounds}\n`)
  process.exit(1)
}

const share = (store, count) => (store.slow === true ? count * SLOW : count)

/**
 * Microseconds per payload and store. `workOf` returns a store's run and its number of payloads; null if the store
 * cannot do it.
 */
const measure = async (what, opened, workOf) => {
  if (values.json !== true) process.stderr.write(`measuring: ${what} …\n`)
  const works = opened.map(({ store, log }) => ({ name: store.name, work: workOf(log, store) }))
  const able = works.filter(({ work }) => work !== null)
  const times = await interleave(Object.fromEntries(able.map(({ name, work }) => [name, work.run])), rounds)
  const cells = works.map(({ name, work }) => (work === null ? null : (times[name] / work.payloads) * 1000))
  const [floor] = cells
  return { what, unit: "µs", cells, ratios: cells.map((cell) => (cell && floor ? floor / cell : null)) }
}

/** Failed and repeated appends, by store. */
const failures = new Map()

/** Opens all stores in a directory, and closes them afterwards. */
const withStores = async (directory, body) => {
  fs.mkdirSync(directory)
  const opened = []
  try {
    for (const store of STORES) opened.push({ store, log: await store.open(directory) })
    return { rows: await body(opened), files: opened.map(({ log }) => log.filename) }
  } finally {
    for (const { store, log } of opened) {
      const failed = log.failed?.() ?? 0
      if (failed > 0) failures.set(store.name, (failures.get(store.name) ?? 0) + failed)
      await log.close()
    }
  }
}

const appending = async (opened) => [
  await measure("append, one awaited at a time", opened, (log, store) => {
    const count = share(store, ONES)
    return { run: () => log.appendOne(count), payloads: count }
  }),
  await measure(`append, batches of ${BATCH}`, opened, (log, store) => {
    const count = share(store, BATCHES)
    return { run: () => log.appendBatches(count), payloads: count * BATCH }
  }),
]

const reading = async (opened) => {
  for (const { log } of opened) await (log.fill === undefined ? log.appendBatches(READ / BATCH) : log.fill(READ))
  const all = (read, { name }) => ({
    run: async () => {
      const found = await read()
      if (found !== READ) throw new Error(`${name}: expected ${READ} payloads, found ${found}`)
    },
    payloads: READ,
  })
  return [
    await measure("read all and parse", opened, (log, store) => all(log.readAll, store)),
    await measure("verify that nothing was changed", opened, (log, store) =>
      log.verify === undefined ? null : all(log.verify, store),
    ),
  ]
}

/** Bytes on the disk per payload, after all have closed the file. */
const sizes = (files) => {
  const cells = files.map((file) => fs.statSync(file).size / READ)
  const bytes = JSON.stringify(payload(READ - 1)).length
  return { what: "file, a payload", unit: "B", cells, ratios: cells.map((cell) => cell / bytes) }
}

// Emmett writes errors to stdout, which is for the result.
console.log = console.error

const directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-peers-"))
const rows = []
try {
  rows.push(...(await withStores(path.join(directory, "append"), appending)).rows)
  const read = await withStores(path.join(directory, "read"), reading)
  rows.push(...read.rows, sizes(read.files))
} finally {
  fs.rmSync(directory, { recursive: true, force: true })
}

const { dependencies: versions } = JSON.parse(fs.readFileSync(new URL("package.json", import.meta.url), "utf8"))
const machine = {
  date: new Date().toISOString().slice(0, 10),
  node: process.versions.node,
  cpus: `${os.cpus().length} × ${os.cpus()[0]?.model.trim() ?? "unknown"}`,
}
const report = {
  machine,
  rounds,
  versions,
  stores: STORES.map(({ name, settings }) => ({ name, settings })),
  rows,
  failures: Object.fromEntries(failures),
}
process.stdout.write(
  values.json === true ? `${JSON.stringify(document(report), null, 2)}\n` : `${page(report).join("\n")}\n`,
)
