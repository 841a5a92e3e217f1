import * as path from "node:path"
import { Effect, Stream } from "effect"
import { expect } from "vitest"
import { type AppendRequest, EventLog, layerSqlite } from "../../../src/events/index.ts"
import { examine } from "../../../src/events/sqlite/integrity/doctor.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { EVENTS, smallLog } from "../smallLog.ts"
import * as child from "./child.ts"

const idOf = (index: number) => `00000000-0000-7000-8000-${index.toString(16).padStart(12, "0")}`

/** A request for a stream, by an actor, that the log does not know yet. */
const request = (events: AppendRequest["events"]): AppendRequest => ({
  stream: "doomed",
  actor: "human:doomed",
  events: events.map((event, index) => ({ ...event, id: idOf(index) })),
})

const notes = (count: number, text = "x") =>
  Array.from({ length: count }, (_, index) => ({
    type: "NoteAdded" as const,
    payload: { about: String(index), text },
  }))

const dispatched = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    type: "CommandDispatched" as const,
    payload: { commandId: String(index) },
  }))

/** What is appended, by which path it is committed. */
const REQUESTS = {
  /** One transaction of an INSERT: the log knows its names. */
  known: { ...request(notes(1)), stream: "notes", actor: "human:eve" },
  /** One transaction of an INSERT and its new names. */
  one: request(notes(1)),
  /** One transaction of three INSERTs. */
  many: request(notes(150)),
  /** One transaction of an INSERT and its new names, flushed to the disk. */
  flushed: request(dispatched(1)),
  /** One transaction of three INSERTs, flushed to the disk. */
  "many flushed": request(dispatched(150)),
  /** One transaction of an INSERT and a payload that stands beside the events. */
  large: request(notes(1, "x".repeat(400_000))),
} as const

const INSERT = "INSERT INTO events"

/** The request, the step at which its writer is killed, and whether the request is in the log then. */
export type Step = readonly [
  request: keyof typeof REQUESTS,
  at: "before" | "after",
  statement: string,
  nth: number,
  committed: boolean,
]

/** One step of each kind. */
export const STEPS: ReadonlyArray<Step> = [
  ["known", "before", INSERT, 1, false],
  ["known", "after", INSERT, 1, false],
  ["known", "after", "COMMIT", 1, true],
  ["one", "before", "COMMIT", 1, false],
  ["one", "after", "COMMIT", 1, true],
  ["many", "after", INSERT, 2, false],
  ["many", "before", "COMMIT", 1, false],
  ["many", "after", "COMMIT", 1, true],
  ["flushed", "after", "COMMIT", 1, true],
  ["many flushed", "before", "COMMIT", 1, false],
]

/** All the others. */
export const MORE_STEPS: ReadonlyArray<Step> = [
  ["one", "before", "INSERT INTO names", 1, false],
  ["one", "after", "INSERT INTO names", 1, false],
  ["one", "after", "INSERT INTO names", 2, false],
  ["many", "before", "BEGIN", 1, false],
  ["many", "after", "BEGIN", 1, false],
  ["many", "before", INSERT, 1, false],
  ["many", "after", INSERT, 1, false],
  ["many", "after", INSERT, 3, false],
  ["many flushed", "after", "COMMIT", 1, true],
  ["large", "before", "INSERT INTO blobs", 1, false],
  ["large", "after", "INSERT INTO blobs", 1, false],
  ["large", "before", "COMMIT", 1, false],
  ["large", "after", "COMMIT", 1, true],
]

/** Kills a writer at a step of its one append. */
export const killAtStep = ([name, at, statement, nth, committed]: Step) =>
  killing(name, { first: { program: "killer", input: { at, statement, nth } } }, (lines, position) => {
    expect(lines).toEqual([])
    expect(position).toBe(committed ? EVENTS + REQUESTS[name].events.length : EVENTS)
  })

/** The statements in the middle of which a commit is killed, by the request. */
export const MIDDLES: ReadonlyArray<readonly [request: keyof typeof REQUESTS, statement: string]> = [
  ["known", INSERT],
  ["one", "COMMIT"],
  ["many", INSERT],
  ["many", "COMMIT"],
  ["flushed", "COMMIT"],
  ["many flushed", "COMMIT"],
  ["large", "COMMIT"],
]

/** Kills a writer while a statement runs, or at its end. */
export const killInTheMiddle = ([name, statement]: (typeof MIDDLES)[number]) =>
  killing(
    name,
    { first: { program: "killer", input: { at: "during", statement, nth: 1, share: 0.3 } } },
    (lines, position) => {
      expect(lines).toEqual([])
      expect([EVENTS, EVENTS + REQUESTS[name].events.length]).toContain(position)
    },
  )

/** The steps of writing the write-ahead log back, when the log is closed. */
export const CHECKPOINTS = ["before", "during", "after"] as const

/** Kills a writer that was acknowledged its append, while it writes the write-ahead log back. */
export const killAtCheckpoint = (at: (typeof CHECKPOINTS)[number]) =>
  killing(
    "many",
    { first: { program: "killer", input: { at, statement: "PRAGMA wal_checkpoint(TRUNCATE)", nth: 1, share: 0.5 } } },
    (lines, position) => {
      expect(lines).toEqual([String(EVENTS + REQUESTS.many.events.length)])
      expect(position).toBe(EVENTS + REQUESTS.many.events.length)
    },
  )

/** The steps of making a log. */
export const MAKING: ReadonlyArray<readonly [at: "before" | "after", statement: string]> = [
  ["before", "PRAGMA page_size = "],
  ["before", "BEGIN IMMEDIATE"],
  ["after", "CREATE TABLE names"],
  ["after", "CREATE TABLE events"],
  ["before", "PRAGMA application_id = "],
  ["after", "PRAGMA user_version = "],
  ["before", "COMMIT"],
  ["after", "COMMIT"],
  ["before", "PRAGMA journal_mode = WAL"],
  ["after", "PRAGMA journal_mode = WAL"],
  ["after", "CREATE TABLE IF NOT EXISTS snapshots"],
]

/** Kills a program while it makes a log, and lets another open what is left: a new, empty log. */
export const killWhileMaking = ([at, statement]: (typeof MAKING)[number]) =>
  Effect.gen(function* () {
    const filename = path.join(yield* temporaryDirectory, "log.db")
    const input = { filename, request: REQUESTS.one }
    const ended = yield* Effect.flatMap(
      child.start("one", input, { first: { program: "killer", input: { at, statement, nth: 1 } } }),
      (writer) => writer.ended,
    )
    expect(ended).toMatchObject({ signal: "SIGKILL", stderr: "", lines: [] })
    yield* Effect.gen(function* () {
      const log = yield* EventLog
      expect(yield* log.append(REQUESTS.one)).toMatchObject({ position: 1, version: 1 })
      expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 1 })
    }).pipe(Effect.provide(layerSqlite({ filename })))
    expect((yield* examine(filename)).findings).toEqual([])
  })

/** Kills a writer after its commit and before it tells of it. */
export const killUnacknowledged = (name: keyof typeof REQUESTS) =>
  killing(name, {}, (lines, position) => {
    expect(lines).toEqual([])
    expect(position).toBe(EVENTS + REQUESTS[name].events.length)
  })

/** Kills a writer at its one append to a log of seven events, and holds what is left against what is promised. */
const killing = (
  name: keyof typeof REQUESTS,
  starting: child.Starting,
  check: (acknowledged: ReadonlyArray<string>, position: number) => void,
) =>
  Effect.gen(function* () {
    const filename = yield* smallLog
    const doomed = REQUESTS[name]
    const input = { filename, request: doomed, unacknowledged: starting.first === undefined }
    const ended = yield* Effect.flatMap(child.start("one", input, starting), (writer) => writer.ended)
    expect(ended).toMatchObject({ signal: "SIGKILL", stderr: "" })

    yield* Effect.gen(function* () {
      const log = yield* EventLog
      const count = doomed.events.length
      const before = doomed === REQUESTS.known ? 2 : 0
      check(ended.lines, (yield* log.head).position)
      // Appended again, it is there once, where it was if it was there.
      expect(yield* log.append(doomed)).toMatchObject({ position: EVENTS + count, version: before + count })
      expect(yield* log.append({ ...doomed, events: notes(1) })).toMatchObject({ position: EVENTS + count + 1 })
      const events = [...(yield* Stream.runCollect(log.read()))]
      expect(events.map((event) => event.position)).toEqual(events.map((_, index) => index + 1))
      expect(events.slice(EVENTS, -1).map(({ id }) => id)).toEqual(doomed.events.map((_, index) => idOf(index)))
      expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: EVENTS + count + 1 })
    }).pipe(Effect.provide(layerSqlite({ filename })))
  })
