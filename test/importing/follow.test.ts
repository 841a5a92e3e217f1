import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Queue } from "effect"
import { describe, expect } from "vitest"
import type { EventLog } from "../../src/events/log/EventLog.ts"
import * as Follow from "../../src/importing/Follow.ts"
import type { ImportReport } from "../../src/importing/ImportReport.ts"
import * as Mapping from "../../src/importing/mapping/Mapping.ts"
import { temporaryDirectory, temporaryLog } from "../temporary.ts"
import { SESSION, session } from "./claudeSession.ts"
import * as Formats from "./formats.ts"
import { events, importing, lines, payloads, write } from "./given.ts"

const FILE = `${SESSION}.jsonl`

/** The records of a session whose last one was a minute ago. */
const live = () => {
  const records = session()
  return records.map((record, index) => ({
    ...record,
    timestamp: new Date(Date.now() - 60_000 - (records.length - index) * 1_000).toISOString(),
  }))
}

/** Follows a directory while a test runs, which takes the reports in turn. */
const following = <A, E>(
  files: Readonly<Record<string, string>>,
  test: (directory: string, next: Effect.Effect<ImportReport>) => Effect.Effect<A, E, EventLog>,
  options: Pick<Follow.FollowOptions, "format"> = {},
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      write(directory, files)
      return yield* Effect.gen(function* () {
        const reports = yield* Queue.unbounded<ImportReport>()
        const fiber = yield* Effect.fork(
          Follow.followFiles({
            paths: [directory],
            everyMs: 5,
            onReport: (report) => Queue.offer(reports, report),
            ...options,
          }),
        )
        const found = yield* test(directory, Queue.take(reports))
        yield* Fiber.interrupt(fiber)
        return found
      }).pipe(Effect.provide(temporaryLog()))
    }),
  )

describe("a directory that is followed", () => {
  it.live("is imported line by line while its sessions are written, without doubles, half lines or an end", () =>
    following({}, (directory, next) =>
      Effect.gen(function* () {
        expect(yield* next).toMatchObject({ files: [], added: 0 })
        const text = lines(live())
        const file = path.join(directory, FILE)
        // In three parts, of which the second ends within a line.
        const cuts = [0, text.indexOf("\n", text.length / 3) + 1, Math.floor((2 * text.length) / 3), text.length]
        for (const [index, from] of cuts.slice(0, 3).entries()) {
          fs.appendFileSync(file, text.slice(from, cuts[index + 1]))
          const report = yield* next
          expect(report.files[0]?.runs[0]?.ended).toBe(false)
          expect(report.added).toBeGreaterThan(0)
        }
        const all = yield* events
        expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
        expect(payloads(all, "TaskOpened")).toHaveLength(1)
        expect(payloads(all, "TaskClosed")).toEqual([])
        expect(payloads(all, "CommandSucceeded")).toHaveLength(3)
        const { added } = yield* importing(directory)
        expect(added).toBe(0)
      }),
    ),
  )

  it.live(
    "has new files, pieces of runs and small files beside them imported as they come; what is no run is passed over",
    () =>
      following({ "notes.json": "{}" }, (directory, next) =>
        Effect.gen(function* () {
          expect((yield* next).unknown).toHaveLength(1)
          write(directory, { "trial/agent/trajectory.json": JSON.stringify(Formats.trajectory(), null, 1) })
          expect((yield* next).files[0]?.scorers).toEqual([])
          write(directory, { "trial/verifier/reward.txt": "1" })
          expect((yield* next).files[0]?.scorers).toEqual(["verifier"])
          const [first, second, ...rest] = Formats.openHands().map((event) => JSON.stringify(event))
          write(directory, { "c/events/event-00000-a.json": first ?? "", "c/events/event-00001-b.json": second ?? "" })
          let count = (yield* next).added
          for (const [index, event] of rest.entries())
            write(directory, { [`c/events/event-000${index + 10}-x.json`]: event })
          while ((yield* events).filter(({ type }) => type === "SourceRecordKept").length < 4)
            count += (yield* next).added
          const all = yield* events
          expect(count).toBeGreaterThan(0)
          expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
        }),
      ),
  )

  it.live("goes on after a file that is damaged, which is named once", () =>
    following({ "a.json": '{"schema_version": "ATIF-v1.7", "steps": [' }, (directory, next) =>
      Effect.gen(function* () {
        expect((yield* next).refused).toHaveLength(1)
        write(directory, { [FILE]: lines(live()) })
        const report = yield* next
        expect(report.refused).toEqual([])
        expect(report.added).toBeGreaterThan(0)
      }),
    ),
  )

  it.live("that vanishes is reported once, and imported when it is there again", () =>
    following({ [FILE]: lines(live().slice(0, 2)) }, (directory, next) =>
      Effect.gen(function* () {
        yield* next
        fs.renameSync(directory, `${directory}.away`)
        expect((yield* next).refused).toMatchObject([{ file: directory, added: 0 }])
        fs.appendFileSync(path.join(`${directory}.away`, FILE), lines(live().slice(2)))
        fs.renameSync(`${directory}.away`, directory)
        const report = yield* next
        expect(report.refused).toEqual([])
        expect(report.added).toBeGreaterThan(0)
      }),
    ),
  )

  it.live("has a file imported that took the place of another of its size and time", () =>
    following({}, (directory, next) =>
      Effect.gen(function* () {
        yield* next
        const put = (text: string) => {
          const file = path.join(directory, FILE)
          fs.writeFileSync(`${file}.new`, text)
          fs.utimesSync(`${file}.new`, 1_000_000_000, 1_000_000_000)
          fs.renameSync(`${file}.new`, file)
        }
        const text = lines(live())
        put(text)
        expect((yield* next).added).toBeGreaterThan(0)
        put(text.replaceAll("uuid-", "uuie-"))
        expect((yield* next).added).toBeGreaterThan(0)
      }),
    ),
  )

  const step = (second: number, more: object = {}) => ({
    time: new Date(Date.now() - 60_000 + second * 1_000).toISOString(),
    text: `step ${second}`,
    ...more,
  })
  const texts = Effect.map(events, (all) => payloads(all, "InputReceived").map(({ content }) => content))

  it.live("has every line of a log that is rotated or cut off and begun anew, once, though lines have no ids", () =>
    Effect.gen(function* () {
      const mapping = { name: "mine", run: "/run", time: "/time", records: [{ is: "said", content: "/text" }] }
      const format = yield* Mapping.decode("m.yaml", mapping)
      const all = Array.from({ length: 7 }, (_, second) => step(second, { run: "r" }))
      yield* following(
        { "a.jsonl": lines(all.slice(0, 2)) },
        (directory, next) =>
          Effect.gen(function* () {
            yield* next
            const file = path.join(directory, "a.jsonl")
            // What was written since the last look is in the rotated file alone.
            fs.appendFileSync(file, lines(all.slice(2, 3)))
            fs.renameSync(file, `${file}.1`)
            fs.writeFileSync(file, lines(all.slice(3, 5)))
            while ((yield* texts).length < 5) yield* next
            fs.writeFileSync(file, lines(all.slice(5)))
            while ((yield* texts).length < 7) yield* next
            expect([...(yield* texts)].sort()).toEqual(all.map(({ text }) => text))
            expect(payloads(yield* events, "TaskOpened")).toHaveLength(1)
            expect((yield* importing(directory, { format })).added).toBe(0)
          }),
        { format },
      )
    }),
  )

  it.live("has a run of its own for a file that was begun anew, where no line names its run", () =>
    Effect.gen(function* () {
      const mapping = { name: "mine", time: "/time", records: [{ is: "said", content: "/text" }] }
      const format = yield* Mapping.decode("m.yaml", mapping)
      yield* following(
        { "a.jsonl": lines([step(0), step(1)]) },
        (directory, next) =>
          Effect.gen(function* () {
            yield* next
            fs.writeFileSync(path.join(directory, "a.jsonl"), lines([step(2)]))
            yield* next
            fs.appendFileSync(path.join(directory, "a.jsonl"), lines([step(3)]))
            yield* next
            const all = yield* events
            const ofTask = (index: number) =>
              all.flatMap(({ taskId, payload, type }) =>
                type === "InputReceived" && taskId === tasks[index] ? [payload.content] : [],
              )
            const tasks = [...new Set(all.flatMap(({ taskId }) => taskId ?? []))]
            expect(tasks.map((_, index) => ofTask(index))).toEqual([
              ["step 0", "step 1"],
              ["step 2", "step 3"],
            ])
            // The name of a file may change while its run goes on.
            fs.renameSync(path.join(directory, "a.jsonl"), path.join(directory, "b.jsonl"))
            expect((yield* importing(directory, { format })).added).toBe(0)
          }),
        { format },
      )
    }),
  )

  it.live("that is not there at the first look is an error", () =>
    Effect.gen(function* () {
      const report = () => Effect.void
      const failed = yield* Effect.flip(Follow.followFiles({ paths: ["/nowhere/at/all"], onReport: report }))
      expect(failed.message).toMatch(/expected a readable file, found .*no such file/)
    }).pipe(Effect.provide(temporaryLog()), Effect.scoped),
  )

  it.live("is imported on time though the clock jumps by a day at each look", () =>
    Effect.clockWith((clock) => {
      let looks = 0
      const now = () => clock.unsafeCurrentTimeMillis() + looks++ * 86_400_000
      return following({ [FILE]: lines(session().slice(0, 2)) }, (directory, next) =>
        Effect.gen(function* () {
          yield* next
          fs.appendFileSync(path.join(directory, FILE), lines(session().slice(2)))
          expect((yield* next).added).toBeGreaterThan(0)
        }),
      ).pipe(
        Effect.withClock({
          [Clock.ClockTypeId]: Clock.ClockTypeId,
          unsafeCurrentTimeMillis: now,
          currentTimeMillis: Effect.sync(now),
          unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
          currentTimeNanos: clock.currentTimeNanos,
          sleep: (duration) => clock.sleep(duration),
        } as Clock.Clock),
      )
    }),
  )

  it.live("has a trace that lost its root span imported once it is silent, though its file does not change", () =>
    Effect.clockWith((clock) => {
      let ahead = 0
      const millis = () => Date.UTC(2026, 0, 1, 12, 1) + ahead
      const nanos = () => BigInt(millis()) * 1_000_000n
      return following({ "t.jsonl": lines([Formats.exported(Formats.genAi()[0] ?? {})]) }, (_, next) =>
        Effect.gen(function* () {
          expect((yield* next).files).toMatchObject([{ waits: true, runs: [] }])
          ahead = 2 * 3_600_000
          expect((yield* next).files).toMatchObject([{ waits: false, runs: [{ ended: true }] }])
        }),
      ).pipe(
        Effect.withClock({
          [Clock.ClockTypeId]: Clock.ClockTypeId,
          sleep: () => clock.sleep(Duration.millis(5)),
          unsafeCurrentTimeMillis: millis,
          currentTimeMillis: Effect.sync(millis),
          unsafeCurrentTimeNanos: nanos,
          currentTimeNanos: Effect.sync(nanos),
        } as Clock.Clock),
      )
    }),
  )

  it.live("has a trajectory that is written anew with each step as one open task, until its trial has ended", () =>
    following({}, (directory, next) =>
      Effect.gen(function* () {
        yield* next
        const { steps } = Formats.trajectory()
        const whole = { subagent_trajectories: [], steps: steps.map((step) => ({ ...step, timestamp: undefined })) }
        for (const count of [3, 4, steps.length]) {
          const now = Formats.trajectory({ ...whole, steps: whole.steps.slice(0, count) })
          write(directory, { "trial/agent/trajectory.json": JSON.stringify(now) })
          expect((yield* next).files[0]?.runs).toMatchObject([{ ended: false }])
        }
        write(directory, { "trial/verifier/reward.txt": "1" })
        expect((yield* next).files[0]?.runs).toMatchObject([{ ended: true }])
        const all = yield* events
        expect(payloads(all, "TaskOpened")).toHaveLength(1)
        expect(payloads(all, "TaskClosed")).toMatchObject([{ outcome: "achieved" }])
      }),
    ),
  )
})
