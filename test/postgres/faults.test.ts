import * as net from "node:net"
import { Context, Effect, Either, Fiber, Layer, Option, Stream } from "effect"
import { describe, expect, it, vi } from "vitest"
import { CaughtUp, EventLog, Exact } from "../../src/events/log/EventLog.ts"
import { Lease } from "../../src/events/log/Lease.ts"
import { provenanceOf } from "../../src/events/log/Ownership.ts"
import { BEGIN } from "../../src/events/postgres/append.ts"
import { layer } from "../../src/events/postgres/PostgresEventLog.ts"
import * as Address from "../../src/events/postgres/server/address.ts"
import * as Connection from "../../src/events/postgres/server/connection.ts"
import * as Driver from "../../src/events/postgres/server/driver.ts"
import * as Session from "../../src/events/postgres/server/session.ts"
import { interleave } from "../../src/events/testing/interleaving.ts"
import { defined } from "../../src/values/defined.ts"
import { open } from "./backend.ts"
import { server } from "./cluster.ts"
import { ofSession, schema, sql, urlOf } from "./server.ts"

const run = <A, E>(effect: Effect.Effect<A, E, import("effect").Scope.Scope>) =>
  Effect.runPromise(Effect.scoped(effect))

const note = (stream: string, text: string) => ({
  stream,
  actor: "human:test",
  events: [{ type: "NoteAdded" as const, payload: { about: stream, text } }],
})

const logOf = (name: string) => Effect.map(Layer.build(open(name)), Context.get(EventLog))

/** Ends connections of a log's processes, as a network or an administrator does. */
const cut = (name: string) => Effect.promise(() => sql(`SELECT pg_terminate_backend(pid) ${ofSession(name)}`))

/**
 * Stands between a log and the server. Once told to, it cuts the connection when the server has committed and answers, or
 * passes nothing more on over its connections, without a word to either side.
 */
const losingProxy = Effect.acquireRelease(
  Effect.promise(async () => {
    const to = new URL((await server()).url)
    let isArmed = false
    let lost = 0
    const sockets = new Set<net.Socket>()
    const pairs: Array<{ isSilent: boolean }> = []
    const proxy = net.createServer((client) => {
      const upstream = net.connect(Number(to.port === "" ? 5432 : to.port), to.hostname)
      const own = { isSilent: false }
      pairs.push(own)
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        sockets.add(socket)
        socket.on("error", () => {}).on("close", () => other.destroy())
      }
      client.on("data", (bytes) => own.isSilent || upstream.write(bytes))
      upstream.on("data", (bytes) => {
        if (own.isSilent) return
        // The name of the column with which the function answers.
        if (!isArmed || !bytes.includes("placed")) return void client.write(bytes)
        isArmed = false
        lost += 1
        client.destroy()
      })
    })
    await new Promise<void>((resolve) => {
      proxy.listen(0, "127.0.0.1", resolve)
    })
    const address = proxy.address()
    const close = () => {
      for (const socket of sockets) socket.destroy()
      proxy.close()
    }
    const loseNextAnswer = () => {
      isArmed = true
    }
    const silence = () => pairs.splice(0).map((pair) => Object.assign(pair, { isSilent: true })).length
    return { port: typeof address === "object" ? address?.port : 0, loseNextAnswer, silence, lost: () => lost, close }
  }),
  ({ close }) => Effect.sync(close),
)

const texts = (log: EventLog.Service) =>
  Effect.map(Stream.runCollect(log.read()), (events) => [...events].map(({ payload }) => payload.text))

describe("broken connections", () => {
  it("while connections break in the middle of appends, each event is stored once, and every append succeeds", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const [one, two] = [yield* logOf(name), yield* logOf(name)]
        const appending = yield* Effect.fork(
          Effect.all(
            [one, two].map((log, writer) =>
              Effect.forEach(
                Array.from({ length: 60 }, (_, index) => `${writer}/${index}`),
                (text) => log.append(note(`s${writer}`, text)),
                { concurrency: 3 },
              ),
            ),
            { concurrency: "unbounded" },
          ),
        )
        let cuts = 0
        for (let seen = 0; Option.isNone(yield* Fiber.poll(appending)); ) {
          const [[stored] = []] = yield* Effect.promise(() => sql(`SELECT count(*) FROM ${name}.events`))
          if (Number(stored) < seen + 4) continue
          seen = Number(stored)
          cuts += (yield* cut(name)).length
        }
        const answers = (yield* Fiber.join(appending)).flat()
        expect(cuts).toBeGreaterThan(10)
        const stored = yield* texts(one)
        expect(stored.toSorted()).toEqual(
          [0, 1].flatMap((writer) => Array.from({ length: 60 }, (_, index) => `${writer}/${index}`)).toSorted(),
        )
        for (const { position, events } of answers) {
          expect(stored[position - 1]).toBe(events[0]?.payload.text)
        }
        expect(yield* two.verify).toMatchObject({ _tag: "Intact", events: 120 })
      }),
    ))

  it("a commit whose answer is lost is found again by its ids: it is stored once, and its append succeeds", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const log = yield* logOf(name)
        yield* log.append(note("s", "before"))
        const { port, loseNextAnswer, lost } = yield* losingProxy
        const url = new URL(yield* Effect.promise(() => urlOf(name)))
        url.port = String(port)
        const through = Context.get(yield* Layer.build(layer({ url: url.href })), EventLog)
        loseNextAnswer()
        const requests = [note("s", "one"), { ...note("t", "two"), with: [note("u", "three")] }]
        const answers = yield* Effect.all(
          requests.map((request) => through.append(request)),
          { concurrency: "unbounded" },
        )
        expect(lost()).toBe(1)
        expect(answers.map(({ position }) => position)).toEqual([2, 3])
        expect(yield* texts(log)).toEqual(["before", "one", "two", "three"])
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 4 })
      }),
    ))

  it("a log is one's own if the answer to its first append was lost, unless the event's id was given", () =>
    run(
      Effect.gen(function* () {
        for (const [given, kind] of [
          [undefined, "own"],
          ["0192d3a4-0000-7000-8000-000000000001", "foreign"],
        ] as const) {
          const name = yield* schema
          const { port, loseNextAnswer, lost } = yield* losingProxy
          const url = new URL(yield* Effect.promise(() => urlOf(name)))
          url.port = String(port)
          const through = Context.get(yield* Layer.build(layer({ url: url.href })), EventLog)
          loseNextAnswer()
          const { events } = note("s", "first")
          const request = {
            ...note("s", "first"),
            events: events.map((event) => ({ ...event, ...defined({ id: given }) })),
          }
          expect(yield* through.append(request)).toMatchObject({ position: 1 })
          expect({ given, lost: lost(), kind: (yield* provenanceOf(through)).kind }).toEqual({ given, lost: 1, kind })
        }
      }),
    ))

  it("connections that fall silent are replaced: each event is stored once, and a follower misses none", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const log = yield* logOf(name)
        yield* log.append(note("s", "before"))
        const { port, silence } = yield* losingProxy
        const url = new URL(yield* Effect.promise(() => urlOf(name)))
        url.port = String(port)
        const through = Context.get(yield* Layer.build(layer({ url: url.href, deadlineMs: 400 })), EventLog)
        const seen = yield* Effect.fork(
          through.follow({ after: 0 }).pipe(
            Stream.filter((item) => !(item instanceof CaughtUp)),
            Stream.take(4),
            Stream.runCollect,
          ),
        )
        yield* through.append(note("s", "spoken"))
        expect(silence()).toBeGreaterThan(1)
        expect(yield* through.append(note("s", "heard"))).toMatchObject({ position: 3 })
        yield* log.append(note("s", "by another"))
        expect([...(yield* Fiber.join(seen))].map(({ position }) => position)).toEqual([1, 2, 3, 4])
        expect(yield* texts(through)).toEqual(["before", "spoken", "heard", "by another"])
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 4 })
      }),
    ))

  it("a follower gets each event once and in order, although its connections break", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const [one, two] = [yield* logOf(name), yield* logOf(name)]
        const seen = yield* Effect.fork(
          two.follow().pipe(
            Stream.filter((item) => !(item instanceof CaughtUp)),
            Stream.take(100),
            Stream.runCollect,
          ),
        )
        for (let index = 0; index < 100; index++) {
          if (index % 25 === 10) yield* cut(name)
          yield* one.append(note("s", String(index)))
        }
        const positions = [...(yield* Fiber.join(seen))].map((item) => item.position)
        expect(positions).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
      }),
    ))

  it("a kernel whose connection broke keeps its lease, and a kernel whose log was closed leaves it", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const [one, two] = [yield* Layer.build(open(name)), yield* Layer.build(open(name))]
        const held = yield* Context.get(one, Lease).acquire("first")
        yield* cut(name)
        const refused = yield* Effect.flip(Effect.scoped(Context.get(two, Lease).acquire("second")))
        expect(refused).toMatchObject({ _tag: "LeaseHeld", holder: { owner: "first" } })
        yield* held.check
      }),
    ))
})

describe("scarce and old connections", () => {
  it("opening fails, and ends, when the server has too few connections", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const user = `${name}_u`
        yield* logOf(name)
        yield* Effect.acquireRelease(
          Effect.promise(async () => {
            await sql(`CREATE ROLE ${user} LOGIN PASSWORD 'pw' CONNECTION LIMIT 2`)
            await sql(`SELECT ${name}.grant_access('${user}', 'writer')`)
          }),
          () => Effect.promise(() => sql(`DROP OWNED BY ${user}; DROP ROLE ${user}`)),
        )
        const url = new URL(yield* Effect.promise(() => urlOf(name)))
        url.username = user
        url.password = "pw"
        const refused = yield* Effect.flip(Effect.scoped(Layer.build(layer({ url: url.href }))))
        expect(refused.message).toContain("no room for another connection")
      }),
    ))

  it("events get the server's time after this machine slept", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const log = yield* logOf(name)
        const [first] = (yield* log.append(note("s", "before"))).events
        const monotonic = performance.now.bind(performance)
        const leap = vi.spyOn(performance, "now").mockImplementation(() => monotonic() + 3_600_000)
        yield* Effect.addFinalizer(() => Effect.sync(() => leap.mockRestore()))
        const [second] = (yield* log.append(note("s", "after"))).events
        expect((second?.recordedAt ?? 0) - (first?.recordedAt ?? 0)).toBeLessThan(1_800_000)
      }),
    ))

  it("a writer's lock that another session still held is taken by a later heartbeat", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        yield* logOf(name)
        const address = yield* Effect.flatMap(
          Effect.promise(() => urlOf(name)),
          Address.parse,
        )
        const database = yield* Connection.make(address, yield* Driver.load(address.name))
        const [former, session] = [Session.make(database), Session.make(database)]
        for (const { end } of [former, session]) yield* Effect.addFinalizer(() => Effect.promise(end))
        const isHeld = async () => (await sql(`SELECT ${Session.isHeld("4711::bigint")}`))[0]?.[0]
        yield* Effect.promise(async () => {
          await former.hold("4711")
          await session.hold("4711")
          await former.release("4711")
          expect(await isHeld()).toBe(false)
          await session.retake("4711")
          expect(await isHeld()).toBe(true)
          await session.release("4711")
          expect(await isHeld()).toBe(false)
        })
      }),
    ))

  it("full durability waits for the disk in a database that does not", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        yield* logOf(name)
        const { default: pg } = yield* Effect.promise(() => import("pg"))
        const client = new pg.Client({
          connectionString: (yield* Effect.promise(() => urlOf("x"))).split("?")[0] ?? "",
        })
        yield* Effect.acquireRelease(
          Effect.promise(() => client.connect()),
          () => Effect.promise(() => client.end()),
        )
        const settingAfter = async (call: string) => {
          await client.query("BEGIN; SET LOCAL synchronous_commit = off")
          await client.query(`SELECT ${name}.${call}`)
          const { rows } = await client.query("SHOW synchronous_commit")
          await client.query("ROLLBACK")
          return rows[0]?.synchronous_commit
        }
        for (const [synced, setting] of [
          [true, "on"],
          [false, "off"],
        ] as const) {
          const group = `append(5, '', ${synced}, ${Array(16).fill("'{}'").join(", ")})`
          const single = `append_event(5, '', ${synced}, ${Array(14).fill("NULL").join(", ")})`
          for (const call of [group, single]) expect(yield* Effect.promise(() => settingAfter(call))).toBe(setting)
        }
      }),
    ))
})

describe("several writers", () => {
  it("any interleaving of two processes' appends is equivalent to a sequence", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        yield* interleave([yield* logOf(name), yield* logOf(name)], 15)
      }),
    ))

  it("a client that stops while it holds the log's lock delays others for some seconds, and then they append", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const log = yield* logOf(name)
        yield* log.append(note("s", "before"))
        // As a writer does, and then nothing more.
        const { default: pg } = yield* Effect.promise(() => import("pg"))
        const frozen = new pg.Client({
          connectionString: yield* Effect.promise(() => urlOf("x").then((url) => url.split("?")[0] ?? "")),
          options: `-c search_path=${name},pg_temp`,
        })
        frozen.on("error", () => {})
        yield* Effect.promise(() => frozen.connect())
        yield* Effect.promise(() => frozen.query(BEGIN))
        expect(yield* log.append(note("s", "after"))).toMatchObject({ position: 2 })
        yield* Effect.promise(() => frozen.end().catch(() => {}))
      }),
    ))
})

describe("lost commits", () => {
  it("a writer whose last events are gone from the server says so, and appends nothing more", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const log = yield* logOf(name)
        for (const text of ["one", "two", "three"]) yield* log.append(note("s", text))
        // As a fail-over to a replica without the tail does.
        yield* Effect.promise(() =>
          sql(
            `BEGIN; SET LOCAL session_replication_role = replica; DELETE FROM ${name}.events WHERE position > 1; COMMIT`,
          ),
        )
        for (const stream of ["s", "other"]) {
          const error = yield* Effect.flip(log.append(note(stream, "four")))
          expect(error).toMatchObject({ _tag: "LogCorrupt", position: 3 })
          expect(error.message).toContain("Acknowledged events are lost")
        }
        const later = yield* logOf(name)
        expect(yield* later.head).toMatchObject({ position: 1 })
        expect(yield* later.append({ ...note("s", "two again"), expected: Exact(1) })).toMatchObject({ position: 2 })
      }),
    ))
})

describe("lost commits that a process has only read", () => {
  it("fail its reads, also once others have appended in their place, until it opens the log again", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const writer = yield* logOf(name)
        const reader = yield* logOf(name)
        for (const text of ["one", "two", "three"]) yield* writer.append(note("s", text))
        expect(yield* reader.head).toMatchObject({ position: 3 })
        const following = yield* Effect.fork(Effect.flip(Stream.runDrain(reader.follow())))
        yield* Effect.promise(() =>
          sql(
            `BEGIN; SET LOCAL session_replication_role = replica; DELETE FROM ${name}.events WHERE position > 1; COMMIT`,
          ),
        )
        const lost = { _tag: "LogCorrupt", position: 3 }
        expect(yield* Effect.flip(reader.head)).toMatchObject(lost)
        expect(yield* Fiber.join(following)).toMatchObject(lost)
        const later = yield* logOf(name)
        for (const text of ["2", "3", "4"]) yield* later.append(note("s", text))
        expect(yield* Effect.flip(reader.head)).toMatchObject(lost)
        expect(yield* texts(yield* logOf(name))).toEqual(["one", "2", "3", "4"])
      }),
    ))
})

describe("options", () => {
  it("mistakes in a URL are told without its password", async () => {
    for (const [url, found] of [
      ["postgres://u:s3cret@h/db?shcema=x", 'found "shcema"'],
      ["postgres://u:s3cret@h/db?schema=public", 'found "public"'],
      ["postgres://u:s3cret@h/db?schema=A%20b", 'found "A b"'],
      ["postgres://u:s3cret@h/db?sslmode=prefer", 'found "prefer"'],
      ["postgres://u:s3cret@h:99999/db", "cannot be read"],
      ["postgres://u:s3cret%ZZ@h/db", "%-escapes"],
    ] as const) {
      const error = await run(Effect.flip(Layer.build(layer({ url }))))
      expect(error.message).toContain(found)
      expect(error.message).not.toContain("s3cret")
    }
  })

  it("a log that is opened for reading only refuses appends, and makes nothing in an empty database", () =>
    run(
      Effect.gen(function* () {
        const name = yield* schema
        const url = yield* Effect.promise(() => urlOf(name))
        const reading = Effect.map(Layer.build(layer({ url, readonly: true })), Context.get(EventLog))
        const missing = yield* Effect.either(reading)
        expect(Either.isLeft(missing) && missing.left).toMatchObject({ _tag: "LogUnavailable", missing: true })
        expect(yield* Effect.promise(() => sql("SELECT 1 FROM pg_namespace WHERE nspname = $1", [name]))).toEqual([])
        yield* (yield* logOf(name)).append(note("s", "one"))
        const log = yield* reading
        expect(yield* texts(log)).toEqual(["one"])
        expect(yield* Effect.flip(log.append(note("s", "two")))).toMatchObject({ _tag: "LogUnavailable" })
      }),
    ))
})
