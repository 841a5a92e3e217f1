/** Plugins: round trips, starts, a hundred at once, and busy neighbours. */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { EventLog, Hindcast, Kernel } from "../../dist/index.js"
import { catCalls, emptyModule } from "../floor.mjs"
import { inLanes, interleave, quantile, WARM_UP } from "../measure.mjs"
import { pluginHost, writePlugin } from "./plugins/host.mjs"

const SAMPLES = 1_000
const WINDOW = 64
const PIPELINED = 8_000

/** The larger frame of a reading in bytes, there and back. */
const FRAME = Buffer.from(
  `${"0".repeat(32)}${JSON.stringify({ type: "ok", id: 123456, value: { temperature: 21.5, room: "study" } })}\n`,
)

const LOOK = `{ sensors: { look: () => ({ temperature: 21.5, room: "study" }) } }`
const SPIN = `{ sensors: { look: () => { for (;;); } } }`

export const run = async (directory, rounds, say = () => undefined) => {
  const host = await pluginHost(directory)
  try {
    const rows = []
    for (const measure of [roundTrips, pipelining, starting, hundred, neighbours]) {
      say(measure.name)
      rows.push(...(await measure({ directory, host, rounds })))
    }
    return rows
  } finally {
    await host.close()
  }
}

/** Sequential calls, each timed. */
const roundTrips = async ({ host, rounds }) => {
  const { sequence } = await host.start("calm", LOOK)
  const cat = catCalls(FRAME)
  const times = { ours: [], floor: [] }
  const floor = async () => {
    for (let index = 0; index < SAMPLES; index++) {
      const startedAt = performance.now()
      await cat.call()
      times.floor.push((performance.now() - startedAt) * 1000)
    }
  }
  await interleave({ ours: () => sequence(SAMPLES, times.ours), floor }, rounds)
  cat.close()
  const [ours, floorUs] = [times.ours, times.floor].map((all) => quantile(all.slice(WARM_UP * SAMPLES), 0.5))
  return [
    {
      what: "round trip of one call, not logged (p50)",
      unit: "µs",
      ours,
      floor: floorUs,
      ratio: ours / floorUs,
      bound: { at: "most", value: 4 },
      floorIs: "the same bytes through cat (p50)",
    },
  ]
}

/** 64 calls in flight at any time. */
const pipelining = async ({ host, rounds }) => {
  const { pipelined } = await host.start("piped", LOOK)
  const cat = catCalls(FRAME)
  const mcp = await mcpClient()
  const ms = await interleave(
    {
      ours: () => pipelined(PIPELINED, WINDOW),
      floor: () => inLanes(cat.call, PIPELINED, WINDOW),
      ...(mcp === undefined ? {} : { mcp: () => inLanes(mcp.call, PIPELINED / 4, WINDOW) }),
    },
    rounds,
  )
  cat.close()
  await mcp?.close()
  const perSecond = (time, calls = PIPELINED) => calls / time
  const against = (what, floor, value, floorIs) => ({
    what,
    unit: "k/s",
    ours: perSecond(ms.ours),
    floor,
    ratio: perSecond(ms.ours) / floor,
    bound: { at: "least", value },
    floorIs,
  })
  return [
    against("pipelined calls, 64 at a time", perSecond(ms.floor), 0.3, "the same bytes through cat"),
    ...(mcp === undefined
      ? []
      : [
          against(
            "pipelined calls beside a tool server's",
            perSecond(ms.mcp, PIPELINED / 4),
            1.5,
            "the MCP TypeScript SDK over stdio",
          ),
        ]),
  ]
}

/** The peer, if `npm ci --prefix bench/peers` has installed it. */
const mcpClient = async () => {
  const peers = fileURLToPath(new URL("../peers", import.meta.url))
  if (!fs.existsSync(path.join(peers, "node_modules/@modelcontextprotocol/sdk"))) return undefined
  return (await import("../peers/mcp/client.mjs")).connect()
}

const starting = async ({ directory, host, rounds }) => {
  const contenders = {
    ours: () => host.startAndStop("started", LOOK),
    floor: emptyModule(host.deno, directory),
  }
  host.readyMs.length = 0
  const ms = await interleave(contenders, 3 * rounds)
  const ours = quantile(host.readyMs.slice(1), 0.5)
  return [
    {
      what: "start to ready",
      unit: "ms",
      ours,
      floor: ms.floor,
      ratio: ours / ms.floor,
      bound: { at: "most", value: 1.8 },
      floorIs: "deno run of an empty module, to its end",
    },
  ]
}

const HUNDRED = 100

/** One reading of each of a hundred plugins in one kernel, none of them started before. */
const hundred = async ({ directory }) => {
  const base = path.join(directory, "hundred")
  const plugins = Array.from({ length: HUNDRED }, (_, index) => {
    const place = path.join(base, `p${index}`)
    writePlugin(place, `p${index}`, LOOK)
    return place
  })
  const program = Effect.gen(function* () {
    const task = yield* (yield* Kernel.Kernel).tasks.open({ goal: "look at everything" })
    const startedAt = performance.now()
    const readings = yield* task.perceive()
    const ms = performance.now() - startedAt
    if (readings.length !== HUNDRED) throw new Error(`expected ${HUNDRED} readings, found ${readings.length}`)
    const started = yield* (yield* EventLog.EventLog).readPage({ types: ["PluginStarted"] }, HUNDRED)
    const mib = started.map(({ payload }) => proportionalMib(payload.pid))
    return { ms, mib: mib.reduce((sum, one) => sum + one, 0) / HUNDRED }
  })
  const layer = Hindcast.layer({ log: path.join(base, "log.db"), plugins, workspace: base, host: { consent: "flags" } })
  const { ms, mib } = await Effect.runPromise(Effect.provide(program, layer))
  const own = (what, unit, ours, value) => ({ what, unit, ours, bound: { of: "ours", at: "most", value } })
  return [
    own(`${HUNDRED} plugins from cold, one reading of each`, "ms", ms, 5_000),
    own("proportional memory of a started plugin", "MiB", mib, 15),
  ]
}

/** Proportional set size of a process tree: shared pages count in parts. Linux only. */
const proportionalMib = (pid) => {
  const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean)
  const [, kib] = /^Pss:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? []
  return children.reduce((sum, child) => sum + proportionalMib(child), Number(kib) / 1024)
}

const SPINNING = 4

/** Calls of one plugin while four others spin, and while those are held back. */
const neighbours = async ({ host, rounds }) => {
  const { sequence } = await host.start("neighbour", LOOK)
  const spinning = []
  for (let index = 0; index < SPINNING; index++) {
    const spinner = await host.start(`spinner${index}`, SPIN)
    spinner.read().catch(() => undefined)
    spinning.push(spinner.pid)
  }
  const all = (signal) => {
    for (const pid of spinning) process.kill(-pid, signal)
  }
  const times = { alone: [], beside: [] }
  const sample = (into, signal) => async () => {
    all(signal)
    await sequence(2 * SAMPLES, into)
  }
  await interleave({ alone: sample(times.alone, "SIGSTOP"), beside: sample(times.beside, "SIGCONT") }, rounds)
  const [alone, beside] = [times.alone, times.beside].map((all) => quantile(all.slice(2 * SAMPLES), 0.99))
  return [
    {
      what: `calls beside ${SPINNING} spinning plugins (p99)`,
      unit: "µs",
      ours: beside,
      floor: alone,
      ratio: beside / alone,
      bound: { at: "most", value: 3 },
      floorIs: "the same calls while those are held (p99)",
    },
  ]
}
