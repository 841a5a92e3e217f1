/**
 * Runners on a PostgreSQL server on this machine: empty tasks from submission to close, two runners whose tasks mostly
 * wait against one, an idle runner's queries, and the time until another runner continues the tasks of a dead one.
 */
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import * as readline from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Effect, Stream } from "effect"
import { EventLog, Hindcast, TaskQueue } from "../../dist/index.js"
import { median } from "../measure.mjs"
import { clientOf, startServer } from "../postgres.mjs"

const RUNNER = fileURLToPath(new URL("../programs/runner.mjs", import.meta.url))

/** Tasks before, while V8 learns the code. */
const WARM_UP = 500
const EMPTY_TASKS = 1_500
const EMPTY_SLOTS = 32
const WAITING_TASKS = 32
const WAITING_SLOTS = 4
const WAITS_MS = 2_000
const IDLE_SECONDS = 10
/** A connection that rests tells the server's statistics of its last statements only after ten seconds. */
const SETTLE_MS = 12_000
const DEATHS = 3

export const run = async function* (directory) {
  const server = await startServer()
  const sql = await clientOf(server.url)
  try {
    for (const measure of [empty, waiting, idle, killed, frozen]) yield* measure({ url: server.url, sql, directory })
  } finally {
    await sql.end()
    await server.end()
  }
}

/** Runs a case on a log of its own, with its queue and events. */
const onLog = async ({ url, directory }, body) => {
  const log = `${url}?schema=bench_${randomBytes(4).toString("hex")}`
  const given = Effect.all({ queue: TaskQueue.TaskQueue, events: EventLog.EventLog })
  const layer = Hindcast.layerLog({ log, workspace: directory })
  return Effect.runPromise(
    Effect.provide(
      Effect.flatMap(given, (services) => Effect.promise(() => body({ log, ...services }))),
      layer,
    ),
  )
}

/** Starts a runner in a process of its own. */
const startRunner = async (log, name, slots) => {
  const child = spawn(process.execPath, [RUNNER, log, name, String(slots)], { stdio: ["ignore", "pipe", "inherit"] })
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  await lines.next()
  const ended = new Promise((resolve) => child.once("exit", resolve))
  return {
    signal: (signal) => child.kill(signal),
    /** Drains it. Returns its processor time. */
    drain: async () => {
      child.kill("SIGTERM")
      const { value } = await lines.next()
      await ended
      return JSON.parse(value).cpuMs
    },
    kill: async () => {
      child.kill("SIGKILL")
      await ended
    },
  }
}

const submit = (queue, tasks, goal) =>
  Effect.runPromise(
    Effect.forEach(Array.from({ length: tasks }), () => queue.submit({ agent: "desk", goal }), {
      concurrency: 64,
      discard: true,
    }),
  )

/** Waits for further events of a type that fit. */
const seen = (events, after, type, count, fits = () => true) =>
  Effect.runPromise(
    events.follow({ after, types: [type] }).pipe(
      Stream.filter((item) => "type" in item && fits(item)),
      Stream.take(count),
      Stream.runDrain,
    ),
  )

const empty = async function* (given) {
  const found = await onLog(given, async ({ log, queue, events }) => {
    const runners = await Promise.all(["one", "two"].map((name) => startRunner(log, name, EMPTY_SLOTS)))
    const work = async (tasks) => {
      const { position } = await Effect.runPromise(events.head)
      const closed = seen(events, position, "TaskClosed", tasks)
      await submit(queue, tasks, "0")
      await closed
    }
    await work(WARM_UP)
    for (const { signal } of runners) signal("SIGUSR2")
    const startedAt = performance.now()
    await work(EMPTY_TASKS)
    const seconds = (performance.now() - startedAt) / 1_000
    const cpuMs = await Promise.all(runners.map(({ drain }) => drain()))
    return { perSecond: EMPTY_TASKS / seconds, cpuMs: cpuMs.reduce((sum, ms) => sum + ms, 0) / EMPTY_TASKS }
  })
  yield {
    what: `empty tasks through submit, claim and close, 2 runners of ${EMPTY_SLOTS} slots`,
    unit: "tasks/s",
    ours: found.perSecond,
    bound: { at: "least", value: 300, of: "ours" },
  }
  yield {
    what: "processor time of the runners for such a task",
    unit: "ms",
    ours: found.cpuMs,
    bound: { at: "most", value: 5, of: "ours" },
  }
}

const waiting = async function* (given) {
  const rateOf = (names) =>
    onLog(given, async ({ log, queue, events }) => {
      const runners = await Promise.all(names.map((name) => startRunner(log, name, WAITING_SLOTS)))
      const startedAt = performance.now()
      const closed = seen(events, 0, "TaskClosed", WAITING_TASKS)
      await submit(queue, WAITING_TASKS, String(WAITS_MS))
      await closed
      const seconds = (performance.now() - startedAt) / 1_000
      for (const runner of runners) await runner.drain()
      return WAITING_TASKS / seconds
    })
  const one = await rateOf(["one"])
  const two = await rateOf(["one", "two"])
  yield {
    what: `tasks that wait ${WAITS_MS} ms, on 2 runners of ${WAITING_SLOTS} slots`,
    unit: "tasks/s",
    ours: two,
    floor: one,
    ratio: two / one,
    bound: { at: "least", value: 1.8 },
    floorIs: "one runner",
  }
}

/** Transactions of the whole server, which are its statements outside of appends. */
const transactions = async (sql) => {
  const { rows } = await sql.query(
    "SELECT sum(xact_commit + xact_rollback)::int AS count FROM pg_stat_database WHERE datname = current_database()",
  )
  return rows[0].count
}

const idle = async function* (given) {
  for (const others of [0, 1]) {
    const perSecond = await onLog(given, async ({ log }) => {
      const runners = []
      for (let index = 0; index <= others; index++) runners.push(await startRunner(log, `r${index}`, 4))
      await sleep(SETTLE_MS)
      const before = await transactions(given.sql)
      await sleep(IDLE_SECONDS * 1_000)
      const after = await transactions(given.sql)
      for (const runner of runners) await runner.drain()
      return (after - before) / IDLE_SECONDS / runners.length
    })
    yield {
      what: others === 0 ? "an idle runner, alone" : "an idle runner next to another",
      unit: "queries/s",
      ours: perSecond,
      bound: { at: "most", value: 5, of: "ours" },
    }
  }
}

/** The median time until another runner claims the task of a runner that was ended so. */
const takeover = async (given, end) => {
  const took = []
  for (let death = 0; death < DEATHS; death++)
    took.push(
      await onLog(given, async ({ log, queue, events }) => {
        const victim = await startRunner(log, "victim", 1)
        await submit(queue, 1, "600000")
        await seen(events, 0, "TaskOpened", 1)
        const other = await startRunner(log, "other", 1)
        const { position } = await Effect.runPromise(events.head)
        await end(victim)
        const startedAt = performance.now()
        await seen(events, position, "TaskResumed", 1)
        const ms = performance.now() - startedAt
        victim.signal("SIGKILL")
        await other.kill()
        return ms
      }),
    )
  return median(took)
}

const killed = async function* (given) {
  yield {
    what: "a killed runner's task continues on another",
    unit: "ms",
    ours: await takeover(given, ({ kill }) => kill()),
    bound: { at: "most", value: 3_000, of: "ours" },
  }
}

const frozen = async function* (given) {
  yield {
    what: "a frozen runner's task continues on another",
    unit: "ms",
    ours: await takeover(given, ({ signal }) => signal("SIGSTOP")),
    bound: { at: "most", value: 8_000, of: "ours" },
  }
}
