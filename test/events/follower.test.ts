import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, FastCheck, Fiber, Layer, Scope, Stream } from "effect"
import { describe, expect } from "vitest"
import { CaughtUp, type Committed, EventLog, layerSqlite, type Query } from "../../src/events/index.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import { temporaryDirectory } from "../temporary.ts"

const note = (stream: string, text: string, timeline = "main") => ({
  stream,
  timeline,
  actor: "human:test",
  events: [{ type: text === "tag" ? ("TagAdded" as const) : ("NoteAdded" as const), payload: payloadOf(stream, text) }],
})

const payloadOf = (about: string, text: string) => (text === "tag" ? { about, tag: text } : { about, text })

const opened = (filename: string, readonly = false) => Layer.build(layerSqlite({ filename, readonly }))

const logOf = (filename: string, readonly = false) => Effect.map(opened(filename, readonly), Context.get(EventLog))

const file = Effect.map(temporaryDirectory, (directory) => path.join(directory, "log.db"))

/** What a log tells of its commits. */
const listening = (log: EventLog.Service) => {
  const told: Array<ReadonlyArray<Committed> | undefined> = []
  const end = log.onCommit((events) => told.push(events))
  return { told, end, positions: () => told.flatMap((events) => events?.map(({ position }) => position) ?? [0]) }
}

/** Succeeds once a log has told of this position. */
const toldOf = (log: EventLog.Service, wanted: number) =>
  Effect.flatMap(Deferred.make<void>(), (done) => {
    const end = log.onCommit((events) => {
      if (events?.some(({ position }) => position === wanted) ?? false) Deferred.unsafeDone(done, Effect.void)
    })
    return Effect.ensuring(Deferred.await(done), Effect.sync(end))
  })

describe("one who listens for the commits of a log", () => {
  it.scopedLive("is told of each event once and in order, whichever process appended it", () =>
    Effect.gen(function* () {
      const filename = yield* file
      const [one, other] = [yield* logOf(filename), yield* logOf(filename)]
      yield* one.append(note("before", "0"))
      const { positions, told, end } = listening(one)
      const append = (log: typeof one) => (text: number) => log.append(note(`s${text % 3}`, String(text)))
      const numbers = Array.from({ length: 30 }, (_, index) => index)
      yield* Effect.all([Effect.forEach(numbers, append(one)), Effect.forEach(numbers, append(other))], {
        concurrency: 2,
      })
      yield* one.head
      expect(positions()).toEqual(Array.from({ length: 60 }, (_, index) => index + 2))
      const read = yield* one.readPage({ after: 1 }, 100)
      expect(told.flatMap((events) => events ?? [])).toMatchObject(
        read.map(({ position, timeline, stream, version, type, taskId, occurredAt }) => ({
          position,
          timeline,
          stream,
          version,
          type,
          taskId,
          occurredAt,
        })),
      )
      end()
      yield* other.append(note("after", "0"))
      yield* one.head
      expect(positions()).toHaveLength(60)
    }),
  )

  it.scopedLive("is told of what another process does while this one does nothing, also where it may only read", () =>
    Effect.gen(function* () {
      const filename = yield* file
      const other = yield* logOf(filename)
      for (const log of [yield* logOf(filename), yield* logOf(filename, true)]) {
        const { position } = yield* other.head
        const waiting = yield* Effect.fork(toldOf(log, position + 1))
        yield* Effect.yieldNow()
        yield* other.append(note("a", "x"))
        yield* waiting.await
      }
    }),
  )

  it.scopedLive("is told that something is new where too much is to be told of", () =>
    Effect.gen(function* () {
      const filename = yield* file
      const [one, other] = [yield* logOf(filename), yield* logOf(filename)]
      const { told } = listening(one)
      const events = Array.from(
        { length: 1001 },
        () => note("a", "x").events[0] ?? { type: "NoteAdded" as const, payload: {} },
      )
      yield* other.append({ ...note("a", "x"), events })
      yield* one.head
      expect(told).toEqual([undefined])
      expect(one.mayHave?.({ stream: "b", after: 0 })).toBe(true)
      expect(one.mayHave?.({ after: 1001 })).toBe(false)
    }),
  )

  it.scopedLive("may read, and append later, what it is told of", () =>
    Effect.gen(function* () {
      const log = yield* logOf(yield* file)
      const heads: Array<number> = []
      log.onCommit(() => heads.push(Effect.runSync(log.head).position))
      yield* log.append(note("a", "x"))
      yield* log.append(note("a", "y"))
      expect(heads).toEqual([1, 2])
    }),
  )
})

describe("one who follows a log", () => {
  it.scopedLive("fails when the log is closed, and does not wait for ever", () =>
    Effect.gen(function* () {
      const filename = yield* file
      const scope = yield* Scope.make()
      const log = Context.get(yield* Scope.extend(opened(filename), scope), EventLog)
      yield* log.append(note("a", "first"))
      const caughtUp = yield* Deferred.make<void>()
      const following = yield* log.follow().pipe(
        Stream.runForEach((item) => (item instanceof CaughtUp ? Deferred.succeed(caughtUp, undefined) : Effect.void)),
        Effect.fork,
      )
      yield* Deferred.await(caughtUp)
      yield* Scope.close(scope, Exit.void)
      expect(yield* Effect.flip(Fiber.join(following))).toMatchObject({ _tag: "LogUnavailable" })
    }),
  )
})

describe("what a log may have", () => {
  const step = FastCheck.oneof(
    FastCheck.record({
      who: FastCheck.constantFrom("one" as const, "other" as const),
      stream: FastCheck.constantFrom("a", "b"),
      text: FastCheck.constantFrom("note", "tag"),
      timeline: FastCheck.constantFrom("main", "fork"),
    }),
    FastCheck.constant("archive" as const),
  )
  const query: FastCheck.Arbitrary<Query> = FastCheck.record(
    {
      after: FastCheck.integer({ min: 0, max: 12 }),
      stream: FastCheck.constantFrom("a", "b", "none"),
      types: FastCheck.subarray(["NoteAdded", "TagAdded", "TaskOpened"], { minLength: 1 }),
      timeline: FastCheck.constantFrom("main", "fork"),
    },
    { requiredKeys: [] },
  )

  it.scopedLive("is never denied of an event that a read finds, and denied of most others, whoever wrote them", () =>
    Effect.gen(function* () {
      const filename = yield* file
      const services = yield* opened(filename)
      const [one, other, reader] = [
        Context.get(services, EventLog),
        yield* logOf(filename),
        yield* logOf(filename, true),
      ]
      const { archive } = Context.get(services, Archive)
      const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)
      let denied = 0
      yield* Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(
            FastCheck.array(step, { maxLength: 8 }),
            FastCheck.array(query, { minLength: 1, maxLength: 4 }),
            async (steps, queries) => {
              const { position } = await run(one.head)
              for (const step of steps) {
                if (step === "archive") {
                  const { position: until } = await run(one.head)
                  if (until > 0) await run(Effect.ignore(archive({ until, actor: "human:test" })))
                } else {
                  const log = step.who === "one" ? one : other
                  await run(log.append(note(step.stream, step.text, step.timeline)))
                }
                for (const asked of queries) {
                  const { after = 0 } = asked
                  const wanted = { ...asked, after: position + after }
                  for (const log of [one, other, reader]) {
                    const mayHave = log.mayHave?.(wanted) ?? true
                    const found = await run(log.readPage(wanted, 1))
                    if (found.length > 0) expect(mayHave).toBe(true)
                    if (!mayHave) denied += 1
                  }
                }
              }
            },
          ),
          { numRuns: 30 },
        ),
      )
      expect(denied).toBeGreaterThan(0)
    }),
  )
})
