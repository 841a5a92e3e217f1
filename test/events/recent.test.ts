import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, FastCheck, Layer } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite, type Query } from "../../src/events/index.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import { PersonalData } from "../../src/events/payload/PersonalData.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"

const note = (stream: string, text: string, taskId: string | null = null) => ({
  ...{ stream, taskId, actor: "human:test" },
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
          ...{ stream: "b", actor: "kernel", timeline: index % 5 === 0 ? "other" : "main" },
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
