import { Context, Effect, Layer, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { layer } from "../../src/events/postgres/PostgresEventLog.ts"
import { baseBackup, clientAt, configure, type OwnServer, startFrom } from "../postgres/baseBackup.ts"
import { control, ownServer } from "../postgres/cluster.ts"

const note = (text: string) => ({
  stream: "s",
  actor: "human:test",
  events: [{ type: "NoteAdded" as const, payload: { about: "s", text } }],
})

const logAt = (url: string, readonly = false) =>
  Effect.map(Layer.build(layer({ url, readonly })), Context.get(EventLog))

const texts = (log: EventLog.Service) =>
  Effect.map(Stream.runCollect(log.read()), (events) => [...events].map(({ payload }) => payload.text))

/** A streaming replica of a server on another port. */
const replicaOf = (primary: OwnServer, port: number) =>
  Effect.gen(function* () {
    const client = yield* clientAt(primary.url)
    yield* Effect.promise(() => client.query("CREATE ROLE replicator REPLICATION LOGIN PASSWORD 'pw'"))
    const place = yield* baseBackup(primary, `${primary.directory}-replica`)
    yield* startFrom(primary, place, "standby.signal", [
      `port = ${port}`,
      `primary_conninfo = 'host=127.0.0.1 port=${new URL(primary.url).port} user=replicator password=pw'`,
    ])
    return place
  })

describe("a streaming replica", () => {
  it(
    "is read while it follows; after a fail-over to it without the tail, the writer and the anchor say what is lost",
    () =>
      Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const primary = yield* ownServer()
            const at = (port: number | string) => {
              const changed = new URL(primary.url)
              changed.port = String(port)
              return changed.href
            }
            const { port } = new URL(primary.url)
            const other = Number(port) === 65_535 ? 65_534 : Number(port) + 1
            const log = yield* logAt(primary.url)
            for (const text of ["one", "two"]) yield* log.append(note(text))
            const place = yield* replicaOf(primary, other)

            // It has the log, follows its appends, and takes none.
            const reader = yield* logAt(at(other), true)
            yield* log.append(note("three"))
            const seen = yield* Stream.runCollect(
              reader.follow().pipe(
                Stream.filter((event) => !("_tag" in event)),
                Stream.take(3),
              ),
            )
            expect(seen.length).toBe(3)
            expect(yield* texts(reader)).toEqual(["one", "two", "three"])
            const refused = yield* Effect.flip(Effect.flatMap(logAt(at(other)), ({ append }) => append(note("there"))))
            expect(refused.message).toContain("the server is read-only, as a replica is")

            // The replica falls behind, the primary dies, and the replica takes its place.
            yield* Effect.sync(() => control(place, "stop"))
            for (const text of ["four", "five"]) yield* log.append(note(text))
            const anchor = yield* log.head
            yield* Effect.sync(() => {
              control(primary.directory, "stop", "immediate")
              configure(place, [`port = ${port}`])
              control(place, "start")
            })
            const client = yield* clientAt(primary.url)
            yield* Effect.promise(() => client.query("SELECT pg_promote(true)"))

            const lost = yield* Effect.flip(log.append(note("six")))
            expect(lost).toMatchObject({ _tag: "LogCorrupt", position: 5 })
            expect(lost.message).toContain("Acknowledged events are lost")
            const later = yield* logAt(primary.url)
            expect(yield* texts(later)).toEqual(["one", "two", "three"])
            // By itself, it is a whole log.
            expect(yield* later.verify).toMatchObject({ _tag: "Intact", events: 3 })
            expect(yield* later.verifyWith({ anchor })).toMatchObject({ _tag: "Tampered" })
            expect(yield* later.append(note("four again"))).toMatchObject({ position: 4 })
            yield* later.append(note("five again"))
            expect(yield* later.verifyWith({ anchor })).toMatchObject({ _tag: "Tampered", position: 5 })
          }),
        ),
      ),
    240_000,
  )
})
