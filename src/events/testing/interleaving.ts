/** Conformance tests of concurrency: random schedules of several writers, compared with a sequential log. */

import { Effect, Either, FastCheck, Fiber, Stream } from "effect"
import { expect } from "vitest"
import {
  Any,
  type AppendRequest,
  CaughtUp,
  EventLog,
  Exact,
  Exists,
  type ExpectedVersion,
  type LogError,
  NoStream,
} from "../log/EventLog.ts"
import type { Event } from "../vocabulary/Event.ts"
import { identity, readAll, type Test } from "./given.ts"

/** Random schedules. */
const SCHEDULES = 20

/** An append: its writer, stream and number of events. `again` makes it twice concurrently. */
interface Step {
  readonly writer: number
  readonly stream: string
  readonly timeline: string
  readonly count: number
  readonly expected: ExpectedVersion
  readonly again: boolean
}

/** Rounds run in sequence, the steps of a round concurrently. */
type Schedule = ReadonlyArray<ReadonlyArray<Step>>

/** Any interleaving of appends is equivalent to a sequential order. */
export const interleaving = (test: Test): void => {
  test(
    "any interleaving of appends is gapless, every answer is correct, and a follower receives each event once",
    Effect.gen(function* () {
      const log = yield* EventLog
      yield* interleave([log], SCHEDULES)
    }),
    60_000,
  )
}

/** Runs random schedules on the writers of a log that nothing else uses, and compares every result with the log. */
export const interleave = (
  writers: ReadonlyArray<EventLog.Service>,
  schedules: number,
): Effect.Effect<void, LogError> => {
  let run = 0
  const property = FastCheck.asyncProperty(schedule(writers.length), (rounds) =>
    Effect.runPromise(runSchedule(writers, rounds, String(run++))),
  )
  return Effect.gen(function* () {
    yield* Effect.promise(() => FastCheck.assert(property, { numRuns: schedules, endOnFailure: true }))
    for (const { verify, head } of writers) {
      expect(yield* verify).toMatchObject({ _tag: "Intact", events: (yield* head).position })
    }
  })
}

const runSchedule = (writers: ReadonlyArray<EventLog.Service>, rounds: Schedule, run: string) =>
  Effect.gen(function* () {
    const [reader] = writers
    if (reader === undefined) return
    const before = (yield* reader.head).position
    const acknowledged: Array<Event> = []
    const followers: Array<Fiber.Fiber<ReadonlyArray<Event>, LogError>> = []
    for (const [round, steps] of rounds.entries()) {
      followers.push(yield* Effect.fork(followUntilLast(writers[round % writers.length] ?? reader, before, run)))
      const answers = yield* Effect.forEach(
        steps.entries(),
        ([index, step]) => take(writers, step, requestOf(step, run, round, index)),
        { concurrency: "unbounded" },
      )
      acknowledged.push(...answers.flat())
    }
    acknowledged.push(...(yield* reader.append(last(run))).events)
    const appended = yield* readAll(reader, { after: before })
    // The log has every acknowledged event once, at its position, and no other.
    const inOrder = [...acknowledged].sort((a, b) => a.position - b.position)
    expect(inOrder.map(identity)).toEqual(appended.map(identity))
    for (const follower of followers) {
      expect((yield* Fiber.join(follower)).map(identity)).toEqual(appended.map(identity))
    }
    expect(appended.map(({ position }) => position)).toEqual(appended.map((_, index) => before + index + 1))
    const versions = new Map<string, number>()
    for (const { timeline, stream, version } of appended) {
      expect(version).toBe((versions.get(`${timeline} ${stream}`) ?? 0) + 1)
      versions.set(`${timeline} ${stream}`, version)
    }
    expect((yield* reader.head).position).toBe(before + appended.length)
  })

const last = (run: string): AppendRequest => ({
  stream: `${run}/last`,
  actor: "human:test",
  events: [{ type: "TagAdded", payload: { about: run, tag: "last" } }],
})

/** What `follow` emits up to the end of a run, without the marker. */
const followUntilLast = (log: EventLog.Service, after: number, run: string) =>
  Effect.gen(function* () {
    const seen = yield* log.follow({ after }).pipe(
      Stream.takeUntil((item) => !(item instanceof CaughtUp) && item.stream === `${run}/last`),
      Stream.runCollect,
    )
    const events = [...seen].filter((item): item is Event => !(item instanceof CaughtUp))
    // The last event may come before the marker.
    expect([0, 1]).toContain(seen.length - events.length)
    return events
  })

/** Makes an append, or the same one twice concurrently, checks the result, and returns the appended events. */
const take = (writers: ReadonlyArray<EventLog.Service>, step: Step, request: AppendRequest) =>
  Effect.gen(function* () {
    const writer = writers[step.writer]
    const other = writers[(step.writer + 1) % writers.length]
    if (writer === undefined || other === undefined) return yield* Effect.dieMessage("there is no such writer")
    const tries = step.again ? [writer.append(request), other.append(request)] : [writer.append(request)]
    const answers = yield* Effect.forEach(tries, Effect.either, { concurrency: "unbounded" })
    const [appended, ...repeated] = answers.filter(Either.isRight).map(({ right }) => right)
    for (const answer of repeated) expect(answer).toEqual(appended)
    for (const { left } of answers.filter(Either.isLeft)) checkConflict(step, request, left)
    if (appended === undefined) return []
    const { events, position, version } = appended
    expect(events).toHaveLength(step.count)
    expect(events.map((event) => event.position)).toEqual(events.map((_, index) => position - step.count + index + 1))
    expect(meets(step.expected, version - step.count)).toBe(true)
    return events
  })

const checkConflict = ({ expected }: Step, { stream, timeline }: AppendRequest, error: unknown) => {
  expect(error).toMatchObject({ _tag: "VersionConflict", stream, expected })
  const { actual, missed } = error as { readonly actual: number; readonly missed: ReadonlyArray<Event> }
  expect(meets(expected, actual)).toBe(false)
  const from = expected._tag === "Exact" ? expected.version : 0
  expect(missed.map((event) => [event.timeline, event.stream, event.version])).toEqual(
    Array.from({ length: Math.max(0, actual - from) }, (_, index) => [timeline, stream, from + index + 1]),
  )
}

const meets = (expected: ExpectedVersion, version: number): boolean =>
  expected._tag === "Any" ||
  (expected._tag === "NoStream" && version === 0) ||
  (expected._tag === "Exists" && version > 0) ||
  (expected._tag === "Exact" && version === expected.version)

const requestOf = (step: Step, run: string, round: number, index: number): AppendRequest => ({
  timeline: step.timeline,
  stream: `${run}/${step.stream}`,
  actor: "human:test",
  expected: step.expected,
  events: Array.from({ length: step.count }, (_, at) => ({
    id: `00000000-0000-7000-8000-${[run, round, index, at].map((part) => Number(part).toString(16).padStart(3, "0")).join("")}`,
    type: "NoteAdded" as const,
    payload: { about: run, text: `${round} ${index} ${at}` },
  })),
})

const schedule = (writers: number): FastCheck.Arbitrary<Schedule> => {
  const step: FastCheck.Arbitrary<Step> = FastCheck.record({
    writer: FastCheck.nat(writers - 1),
    stream: FastCheck.constantFrom("a", "a", "b"),
    timeline: FastCheck.constantFrom("main", "main", "fork"),
    count: FastCheck.oneof(
      { weight: 9, arbitrary: FastCheck.integer({ min: 1, max: 3 }) },
      { weight: 1, arbitrary: FastCheck.integer({ min: 60, max: 130 }) },
    ),
    expected: FastCheck.oneof(
      FastCheck.constantFrom(Any, Any, NoStream, Exists),
      FastCheck.integer({ min: 0, max: 8 }).map(Exact),
    ),
    again: FastCheck.boolean(),
  })
  return FastCheck.array(FastCheck.array(step, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 })
}
