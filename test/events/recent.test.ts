import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, FastCheck, Layer } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite, type Query } from "../../src/events/index.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import { PersonalData } from "../../src/events/payload/PersonalData.ts"
import type { Json } from "../../src/values/Json.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"

const note = (stream: string, text: string, taskId: string | null = null) => ({
  stream,
  taskId,
  actor: "human:test",
  events: [{ type: "NoteAdded" as const, payload: { about: stream, text } }],
})

const opened = (filename: string, readonly = false) => Layer.build(layerSqlite({ filename, readonly }))

const inFile = Effect.gen(function* () {
  const filename = path.join(yield* temporaryDirectory, "log.db")
  const services = yield* opened(filename)
  return { filename, log: Context.get(services, EventLog), services }
})

const arbitraryQuery: FastCheck.Arbitrary<Query & { readonly limit: number }> = FastCheck.record(
  {
    after: FastCheck.integer({ min: 0, max: 130 }),
    until: FastCheck.integer({ min: 0, max: 130 }),
    stream: FastCheck.constantFrom("a", "b", "none"),
    taskId: FastCheck.constantFrom("t", null),
    types: FastCheck.subarray(["NoteAdded", "CommandDispatched", "TaskOpened"]),
    timeline: FastCheck.constantFrom("main", "other"),
    limit: FastCheck.integer({ min: 1, max: 40 }),
  },
  { requiredKeys: ["limit"] },
)

describe("events that this process has just appended", () => {
  it.scopedLive("read as they do for a process that reads the file", () =>
    Effect.gen(function* () {
      const { filename, log } = yield* inFile
      for (let index = 0; index < 60; index++) {
        yield* log.append(note(index % 3 === 0 ? "a" : "b", `${index} ø`, index % 2 === 0 ? "t" : null))
        yield* log.append({
          stream: "b",
          actor: "kernel",
          timeline: index % 5 === 0 ? "other" : "main",
          events: [{ type: "CommandDispatched", payload: { commandId: String(index) }, occurredAt: index }],
        })
      }
      const other = Context.get(yield* opened(filename, true), EventLog)
      yield* Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(arbitraryQuery, async ({ limit, ...query }) => {
            const read = (from: typeof log) => Effect.runPromise(from.readPage(query, limit))
            expect(await read(log)).toEqual(await read(other))
          }),
          { numRuns: 300 },
        ),
      )
      expect(yield* log.head).toEqual(yield* other.head)
    }),
  )

  it.scopedLive(
    "are answered as they are read, here and by a process that reads the file, whatever their payload",
    () =>
      Effect.gen(function* () {
        const { filename, log, services } = yield* inFile
        const other = Context.get(yield* opened(filename, true), EventLog)
        const reading = (value: unknown) => ({
          sensor: "room/sight",
          reading: value as Json,
          priority: -0,
          latencyMs: 1.5,
        })
        const sensed = (value: unknown) => ({
          stream: "a",
          taskId: "t",
          actor: "plugin:room@1",
          events: [{ type: "SensorRead" as const, payload: reading(value), occurredAt: 7 }],
        })
        const personal = (text: string) => ({ ...note("b", text), subject: "anna" })
        const large = (character: string) => sensed(character.repeat(300_000))
        const requests = FastCheck.oneof(
          { weight: 6, arbitrary: FastCheck.jsonValue({ noUnicodeString: false }).map(sensed) },
          {
            weight: 2,
            arbitrary: FastCheck.string().map((key) =>
              sensed(JSON.parse(`{"__proto__":{${JSON.stringify(key)}:[-0]}}`)),
            ),
          },
          { weight: 2, arbitrary: FastCheck.string().map(personal) },
          { weight: 1, arbitrary: FastCheck.constantFrom("x", "ø").map(large) },
        )
        const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)
        yield* Effect.promise(() =>
          FastCheck.assert(
            FastCheck.asyncProperty(FastCheck.array(requests, { minLength: 1, maxLength: 6 }), async (batch) => {
              const { position } = await run(log.head)
              const appends = await run(
                Effect.forEach(batch, (request) => log.append(request), { concurrency: "unbounded" }),
              )
              const answered = appends.flatMap(({ events }) => events)
              const read = await run(log.readPage({ after: position }, 100))
              expect(answered).toStrictEqual(read)
              expect(await run(other.readPage({ after: position }, 100))).toStrictEqual(read)
              expect(answered.map(({ payload }) => JSON.stringify(payload))).toEqual(
                batch.map(({ events }) => JSON.stringify(events[0]?.payload)),
              )
            }),
            { numRuns: 60 },
          ),
        )
        yield* log.append(personal("her secret"))
        yield* Context.get(services, PersonalData).shred({ subject: "anna", reason: "asked", actor: "human:test" })
        const after = yield* log.readPage({ stream: "b" }, 1000)
        expect(after.length).toBeGreaterThan(0)
        expect(
          after.every(({ payload, personal }) => payload.text === "[shredded]" && personal?.readable === false),
        ).toBe(true)
        expect(yield* other.readPage({ stream: "b" }, 1000)).toStrictEqual(after)
      }),
  )

  it.scopedLive("are followed by those of another process at once, and by one's own after these", () =>
    Effect.gen(function* () {
      const { filename, log } = yield* inFile
      const other = Context.get(yield* opened(filename), EventLog)
      const texts = (after: number) =>
        Effect.map(log.readPage({ after }, 10), (events) => events.map(({ payload }) => payload.text))
      yield* log.append(note("a", "one"))
      expect(yield* texts(0)).toEqual(["one"])
      yield* other.append(note("a", "two"))
      expect((yield* log.head).position).toBe(2)
      expect(yield* texts(1)).toEqual(["two"])
      yield* log.append(note("a", "three"))
      yield* other.append(note("a", "four"))
      yield* log.append(note("a", "five"))
      expect(yield* texts(0)).toEqual(["one", "two", "three", "four", "five"])
      expect(yield* texts(4)).toEqual(["five"])
      expect(yield* texts(5)).toEqual([])
    }),
  )

  it.scopedLive("are each reader's own", () =>
    Effect.gen(function* () {
      const { log } = yield* inFile
      const { events } = yield* log.append(note("a", "one"))
      const [read] = yield* log.readPage({}, 1)
      Object.assign(events[0] ?? {}, { type: "Other", payload: {} })
      Object.assign(read?.payload ?? {}, { text: "other" })
      expect((yield* log.readPage({}, 1))[0]).toMatchObject({ type: "NoteAdded", payload: { text: "one" } })
    }),
  )

  it.scopedLive("do not outlive the key of their subject", () =>
    Effect.gen(function* () {
      const { log, services } = yield* inFile
      yield* log.append({ ...note("a", "her secret"), subject: "anna" })
      expect((yield* log.readPage({}, 1))[0]?.payload).toMatchObject({ text: "her secret" })
      yield* Context.get(services, PersonalData).shred({ subject: "anna", reason: "asked", actor: "human:test" })
      expect(JSON.stringify(yield* log.readPage({}, 10))).not.toContain("her secret")
    }),
  )

  it.scopedLive("are read from their segment once they are archived", () =>
    Effect.gen(function* () {
      const { log, services } = yield* inFile
      for (const text of ["one", "two", "three"]) yield* log.append(note("a", text))
      const before = yield* log.readPage({}, 3)
      yield* Context.get(services, Archive).archive({ until: 2, actor: "human:test" })
      expect(yield* log.readPage({}, 3)).toEqual(before)
    }),
  )

  it.scopedLive("are no longer answered when the file was replaced", () =>
    Effect.gen(function* () {
      const { filename, log } = yield* inFile
      yield* log.append(note("a", "one"))
      fs.copyFileSync(filename, `${filename}.copy`)
      fs.renameSync(`${filename}.copy`, filename)
      expect(yield* Effect.flip(log.readPage({}, 1))).toMatchObject({ _tag: "LogUnavailable" })
    }),
  )

  it.scopedLive("are read from the file after what another connection wrote there, be it no event", () =>
    Effect.gen(function* () {
      const { filename, log } = yield* inFile
      yield* log.append(note("a", "one"))
      yield* log.append(note("a", "two"))
      const database = yield* Effect.acquireRelease(
        Effect.sync(() => new Database(filename)),
        (database) => Effect.sync(() => database.close()),
      )
      database.exec("DROP TRIGGER events_not_deleted; DELETE FROM events WHERE position = 2")
      expect((yield* log.head).position).toBe(1)
      expect(yield* log.readPage({ after: 1 }, 1)).toEqual([])
    }),
  )
})
