/**
 * Simulates where runners saturate the log's server: `node bench/saturation.mjs`. Measures what an append and a look cost
 * on a server on this machine, and plays 1 to 1,000 runners with these costs on a simulated clock.
 *
 * The model: a runner has slots, and a task has steps. A step waits (for a model, a person, a world), and then appends
 * once. A process has one commit under way, and its next one brings all that gathered meanwhile. The log's lock lets in
 * one commit at a time. Each commit wakes the other runners, which look; a runner has one look under way, and at most
 * one to follow. Looks share the server's cores.
 */
import { randomBytes } from "node:crypto"
import { parseArgs } from "node:util"
import { Effect } from "effect"
import { EventLog } from "../dist/index.js"
import { quantile } from "./measure.mjs"
import { startServer } from "./postgres.mjs"

const { values } = parseArgs({
  options: {
    /** Of the server. */
    cores: { type: "string", default: "4" },
    slots: { type: "string", default: "4" },
    steps: { type: "string", default: "10" },
    /** Of a step, in milliseconds. */
    wait: { type: "string", default: "2000" },
    /** Of the server's disk, in milliseconds: added to each commit. */
    fsync: { type: "string", default: "1" },
    seconds: { type: "string", default: "30" },
  },
})
const given = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]))

/** The lowest tenth: other load on the machine only adds. */
const measured = async (run) => {
  const took = []
  for (let index = 0; index < 300; index++) {
    const startedAt = performance.now()
    await Effect.runPromise(run)
    took.push(performance.now() - startedAt)
  }
  return quantile(took, 0.1)
}

const costs = async () => {
  const server = await startServer()
  try {
    const url = `${server.url}?schema=bench_${randomBytes(4).toString("hex")}`
    const event = { type: "MessageSent", payload: { content: "x".repeat(200), format: "text" } }
    return await Effect.runPromise(
      Effect.provide(
        Effect.flatMap(EventLog.EventLog, (log) =>
          Effect.promise(async () => {
            const append = log.append({ stream: "bench", actor: "bench", events: [event] })
            await Effect.runPromise(append)
            return { appendMs: await measured(append), lookMs: await measured(log.head) }
          }),
        ),
        EventLog.layerPostgres({ url }),
      ),
    )
  } finally {
    await server.end()
  }
}

/** Plays some runners. Returns the tasks a second, and the parts of the time for which lock and cores are taken. */
const play = (runners, { appendMs, lookMs }) => {
  const { cores, slots, steps, wait, fsync, seconds } = given
  const end = seconds * 1_000
  /** A heap of what happens when. */
  const heap = []
  const at = (time, what) => {
    let index = heap.push({ time, what }) - 1
    for (; index > 0; ) {
      const above = (index - 1) >> 1
      if (heap[above].time <= heap[index].time) break
      ;[heap[above], heap[index]] = [heap[index], heap[above]]
      index = above
    }
  }
  const next = () => {
    const first = heap[0]
    const last = heap.pop()
    if (heap.length === 0) return first
    heap[0] = last
    for (let index = 0; ; ) {
      let least = index
      for (const below of [2 * index + 1, 2 * index + 2])
        if (below < heap.length && heap[below].time < heap[least].time) least = below
      if (least === index) return first
      ;[heap[least], heap[index]] = [heap[index], heap[least]]
      index = least
    }
  }
  let [now, lockFree, lockBusy, coresBusy, closed] = [0, 0, 0, 0, 0]
  const coreFree = new Array(cores).fill(0)
  const onCore = (time, ms) => {
    const core = coreFree.indexOf(Math.min(...coreFree))
    coreFree[core] = Math.max(time, coreFree[core]) + ms
    coresBusy += ms
    return coreFree[core]
  }
  const all = Array.from({ length: runners }, () => ({
    pending: [],
    isCommitting: false,
    isLooking: false,
    isStale: false,
  }))
  const commit = (runner) => {
    if (runner.isCommitting || runner.pending.length === 0) return
    runner.isCommitting = true
    const group = runner.pending.splice(0)
    // Next to others, a writer takes the lock first, reads, and appends in one transaction.
    const holds = (runners > 1 ? 2 : 1) * appendMs + fsync
    lockFree = Math.max(now, lockFree) + holds
    lockBusy += holds
    onCore(now, holds - fsync)
    at(lockFree, () => {
      runner.isCommitting = false
      for (const done of group) done()
      for (const other of all) if (other !== runner) look(other)
      commit(runner)
    })
  }
  const look = (runner) => {
    if (runner.isLooking) {
      runner.isStale = true
      return
    }
    runner.isLooking = true
    at(onCore(now, lookMs), () => {
      runner.isLooking = false
      if (!runner.isStale) return
      runner.isStale = false
      look(runner)
    })
  }
  const step = (runner, left) => {
    // Steps of many tasks do not end together.
    at(now + wait * (0.5 + Math.random()), () => {
      runner.pending.push(() => {
        if (left > 1) step(runner, left - 1)
        else {
          closed += 1
          step(runner, steps)
        }
      })
      commit(runner)
    })
  }
  for (const runner of all) for (let slot = 0; slot < slots; slot++) step(runner, 1 + Math.floor(Math.random() * steps))
  while (now < end && heap.length > 0) {
    const { time, what } = next()
    now = time
    what()
  }
  const ideal = (runners * slots * 1_000) / (steps * wait)
  return {
    runners,
    ideal,
    perSecond: (closed * 1_000) / now,
    lock: Math.min(1, lockBusy / now),
    cores: Math.min(1, coresBusy / now / cores),
  }
}

const found = await costs()
const part = (share) => `${Math.round(100 * share)} %`.padStart(7)
process.stdout.write(
  `an append ${found.appendMs.toFixed(2)} ms, a look ${found.lookMs.toFixed(2)} ms, a disk's flush ${given.fsync} ms; ` +
    `${given.slots} slots, ${given.steps} steps of ${given.wait} ms, ${given.cores} cores\n\n` +
    "runners  tasks/s  of ideal     lock    cores\n",
)
for (const runners of [1, 10, 30, 100, 300, 1_000]) {
  const { perSecond, ideal, lock, cores } = play(runners, found)
  process.stdout.write(
    `${String(runners).padStart(7)}  ${perSecond.toFixed(1).padStart(7)}   ${part(perSecond / ideal)}  ${part(lock)}  ${part(cores)}\n`,
  )
}
