/**
 * A log on a PostgreSQL server on this machine: appends against plain INSERTs of the same rows into a table with the same
 * indexes, and the time until a follower in another process has seen an event. The server flushes each commit.
 */
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import * as readline from "node:readline"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { EventLog } from "../../dist/index.js"
import { quantile, spend } from "../measure.mjs"
import { payload } from "../peers/payload.mjs"
import { clientOf, startServer } from "../postgres.mjs"

const FOLLOWER = fileURLToPath(new URL("../programs/follower.mjs", import.meta.url))

const GROUP = 100
const GROUPS = 20
const SINGLES = 40
const WRITERS = 4
/** Commits before, of both contenders, while V8 learns the code. */
const WARM_UP = 2_000
const FOLLOWED = 300

export const run = async function* (_, rounds) {
  const server = await startServer()
  const sql = await clientOf(server.url)
  try {
    // The configuration of tests does not wait for disks.
    await sql.query("ALTER SYSTEM SET fsync = on")
    await sql.query("SELECT pg_reload_conf()")
    for (const measure of [appends, following]) yield* measure(server.url, sql, rounds)
  } finally {
    await sql.end()
    await server.end()
  }
}

/** Opens a log of its own while `body` runs. */
const onLog = (url, body) =>
  Effect.runPromise(
    Effect.flatMap(EventLog.EventLog, (log) => Effect.promise(() => body(log))).pipe(
      Effect.provide(EventLog.layerPostgres({ url })),
    ),
  )

const schema = () => `bench_${randomBytes(4).toString("hex")}`

const appends = async function* (url, sql, rounds) {
  const name = schema()
  const spent = await onLog(`${url}?schema=${name}`, async (log) => {
    const append = (stream, events) =>
      Effect.runPromise(log.append({ stream, actor: "bench", events: Array.from({ length: events }, eventOf) }))
    await append("warm", 1)
    const clients = []
    while (clients.length < WRITERS) clients.push(await plainOf(url, sql, name))
    const [first] = clients
    const inTurn = async (times, call) => {
      for (let time = 0; time < times; time++) await call()
    }
    await inTurn(WARM_UP, () => append("warm", 1))
    await inTurn(WARM_UP, () => first.insert(1))
    const ofAll = (call) => Promise.all(clients.map((_, index) => inTurn(SINGLES, () => call(index))))
    try {
      return await spend(
        {
          groups: () => inTurn(GROUPS, () => append("groups", GROUP)),
          plainGroups: () => inTurn(GROUPS, () => first.insert(GROUP)),
          single: () => inTurn(SINGLES, () => append("single", 1)),
          plainSingle: () => inTurn(SINGLES, () => first.insert(1)),
          // Four writers in one process share a connection and commit together, as four requests of a program do.
          four: () => ofAll((index) => append(`four-${index}`, 1)),
          plainFour: () => ofAll((index) => clients[index].insert(1)),
        },
        rounds,
      )
    } finally {
      for (const { end } of clients) await end()
    }
  })
  const row = (what, ours, floor, events, value) => ({
    what,
    unit: "events/s",
    ours: (events / ours.ms) * 1000,
    floor: (events / floor.ms) * 1000,
    ratio: floor.ms / ours.ms,
    bound: { at: "least", value },
    floorIs: "plain INSERT of the same rows",
  })
  yield row(
    "PostgreSQL: append groups of 100 over one connection",
    spent.groups,
    spent.plainGroups,
    GROUPS * GROUP,
    0.5,
  )
  yield row("single synced appends, 1 writer", spent.single, spent.plainSingle, SINGLES, 0.7)
  yield row("single synced appends, 4 writers", spent.four, spent.plainFour, SINGLES * WRITERS, 0.7)
}

const eventOf = () => ({ type: "SensorRead", payload: payload(1) })

/** A connection that inserts rows like those of events by a prepared statement, into a table with the same indexes. */
const plainOf = async (url, sql, log) => {
  const client = await clientOf(url)
  const table = `${log}_plain_${randomBytes(4).toString("hex")}`
  await sql.query(`CREATE TABLE public.${table} (LIKE ${log}.events INCLUDING ALL)`)
  let position = 0
  const text = `INSERT INTO public.${table} SELECT p, i::uuid, 'main', 'stream', p, 'SensorRead', 1, NULL, NULL, 'bench', o, o, t, NULL, decode(h, 'hex')
    FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[]) AS a(p, i, o, t, h)`
  return {
    insert: async (count) => {
      const rows = Array.from({ length: count }, () => {
        position += 1
        return [
          position,
          crypto.randomUUID(),
          Date.now(),
          JSON.stringify(eventOf().payload),
          randomBytes(32).toString("hex"),
        ]
      })
      const columns = [0, 1, 2, 3, 4].map((column) => rows.map((row) => row[column]))
      await client.query({ name: "plain", text, values: columns })
    },
    end: async () => {
      await client.end()
      await sql.query(`DROP TABLE public.${table}`)
    },
  }
}

const following = async function* (url) {
  const log = `${url}?schema=${schema()}`
  const waits = await onLog(log, async (events) => {
    const append = (text) =>
      Effect.runPromise(
        events.append({ stream: "s", actor: "bench", events: [{ type: "NoteAdded", payload: { about: "s", text } }] }),
      )
    await append("first")
    const child = spawn(process.execPath, [FOLLOWER], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, BENCH_LOG: log },
    })
    const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    await lines.next()
    const waits = []
    for (let index = 0; index < FOLLOWED; index++) {
      await append(String(index))
      const appendedAt = performance.timeOrigin + performance.now()
      const { value } = await lines.next()
      const [seenAt, text] = value.split(" ")
      if (text !== String(index)) throw new Error(`the follower saw ${text}, expected ${index}`)
      waits.push(Math.max(0, Number(seenAt) - appendedAt))
    }
    child.kill()
    return waits
  })
  const row = (part, value) => ({
    what: `appended → seen by a follower in another process, p${part * 100}`,
    unit: "ms",
    ours: quantile(waits, part),
    bound: { at: "most", value, of: "ours" },
  })
  yield row(0.5, 10)
  yield row(0.99, 60)
}
