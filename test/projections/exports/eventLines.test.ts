import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, Either, Layer, Stream } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../../src/events/index.ts"
import * as Chain from "../../../src/events/integrity/Chain.ts"
import type { StoredEvent } from "../../../src/events/read/Records.ts"
import { Records } from "../../../src/events/read/Records.ts"
import { importEvents } from "../../../src/events/sqlite/import.ts"
import * as EventLines from "../../../src/projections/exports/EventLines.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { all, encoded, hardLog, LONG, readable, SECRET, stored } from "./given.ts"

/** The lines of the hard log, exported; and what wrote them. */
const exported = Effect.gen(function* () {
  const given = yield* hardLog
  const text = (yield* encoded(EventLines.encoder(), yield* stored(given.records))).toString()
  return { ...given, text, lines: text.split("\n").slice(0, -1) }
})

const decoded = (lines: ReadonlyArray<string>) => lines.map((line) => Either.getOrThrow(EventLines.decode(line)))

/** Imports events in pages of two; answers the file, and the head or why not. */
const imported = (events: ReadonlyArray<StoredEvent>) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const filename = path.join(directory, "copy.db")
    const pages: Array<ReadonlyArray<StoredEvent>> = []
    for (let start = 0; start < events.length; start += 2) pages.push(events.slice(start, start + 2))
    const answer = yield* Effect.either(importEvents({ filename, events: Stream.fromIterable(pages) }))
    return { directory, filename, answer }
  })

describe("events as JSON Lines", () => {
  it.scopedLive("are one JSON object a line, decrypted by nobody, blobs included", () =>
    Effect.gen(function* () {
      const { log, lines, text } = yield* exported
      const parsed = lines.map((line) => JSON.parse(line))
      expect(parsed.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
      expect(text).not.toContain(SECRET)
      const events = yield* all(log)
      // What is not personal reads as the log reads it.
      for (const [index, event] of events.entries()) {
        if (event.personal === undefined)
          expect(parsed[index]).toEqual({ ...event, ...(index === 3 ? { blob: true } : {}) })
      }
      expect(parsed[2]).toMatchObject({ keyId: events[2]?.personal?.keyId, payload: { open: { about: "x" } } })
      expect(Object.keys(parsed[2].payload)).toEqual(["open", "sealed"])
      expect(parsed[3].payload.text).toBe(LONG)
      expect(parsed[5]).toMatchObject({ blob: true, payload: { open: { text: "[shredded]" } } })
    }),
  )

  it.scopedLive("decode to what they were encoded from", () =>
    Effect.gen(function* () {
      const { records, lines } = yield* exported
      expect(decoded(lines)).toEqual(yield* stored(records))
    }),
  )

  it.scopedLive("give the same chain when they are imported, and the same lines when that is exported again", () =>
    Effect.gen(function* () {
      const { log, text, lines } = yield* exported
      const { filename, answer } = yield* imported(decoded(lines))
      expect(Either.getOrThrow(answer)).toEqual(yield* log.head)
      const context = yield* Layer.build(layerSqlite({ filename }))
      const copy = Context.get(context, EventLog)
      expect(yield* copy.verify).toMatchObject({ _tag: "Intact", events: lines.length, head: yield* log.head })
      const again = yield* encoded(EventLines.encoder(), yield* stored(Context.get(context, Records)))
      expect(again.toString()).toBe(text)
      // The log goes on where it ended.
      const appended = yield* copy.append({
        stream: "task/t1",
        taskId: "t1",
        actor: "human:ada",
        events: [{ type: "NoteAdded", payload: { about: "", text: "on" } }],
      })
      expect(appended).toMatchObject({ position: lines.length + 1, version: 6 })
      expect(yield* copy.verify).toMatchObject({ _tag: "Intact" })
    }),
  )

  it.scopedLive(
    "read as the log reads them where they are exported decrypted, and say what no key opens where they are not",
    () =>
      Effect.gen(function* () {
        const { log, records } = yield* hardLog
        const payloads = (lines: Buffer) =>
          lines
            .toString()
            .split("\n")
            .slice(0, -1)
            .map((line) => JSON.parse(line).payload)
        const clear = payloads(yield* encoded(EventLines.decodedEncoder(), yield* readable(records, true)))
        expect(clear).toEqual((yield* all(log)).map(({ payload }) => payload))
        expect(clear[2].text).toBe(SECRET)
        const closed = payloads(yield* encoded(EventLines.decodedEncoder(), yield* readable(records, false)))
        expect(closed[2].text).toBe("[shredded]")
        expect(closed[5].text).toBe("[shredded]")
        expect(closed[7]).toEqual(clear[7])
      }),
  )
})

describe("an import", () => {
  const refusals: ReadonlyArray<
    readonly [what: string, change: (events: Array<StoredEvent>) => Array<StoredEvent>, line: number, reason: RegExp]
  > = [
    [
      "an altered payload",
      at(3, (event) => ({ ...event, blob: null, stored: '{"about":"x","text":"other"}' })),
      4,
      /@4 does not match its hash: it was altered/,
    ],
    [
      "an altered time",
      at(1, (event) => ({ ...event, link: { ...event.link, recordedAt: 5 } })),
      2,
      /@2 does not match its hash/,
    ],
    ["another key", at(2, (event) => ({ ...event, keyId: "another" })), 3, /@3 does not match its hash/],
    [
      "a missing line",
      (events) => events.toSpliced(4, 1),
      5,
      /expected @5, found @6: events are missing or not in order/,
    ],
    ["a line twice", (events) => events.toSpliced(4, 0, ...events.slice(3, 4)), 5, /expected @5, found @4/],
    [
      "a lone surrogate whose hash holds",
      at(0, (event) => {
        const link = { ...event.link, stream: "s\ud800" }
        return { ...event, link, hash: Chain.link(Chain.GENESIS, link, event.stored, event.keyId) }
      }),
      1,
      /@1\/stream: expected what an append accepts, found text with a lone surrogate/,
    ],
    ["the beginning missing", (events) => events.slice(2), 1, /it is @3, and a log begins at @1/],
  ]

  it.scopedLive.each(refusals)(
    "an import of %s is refused with its line, and leaves nothing",
    ([, change, line, reason]) =>
      Effect.gen(function* () {
        const { lines } = yield* exported
        const { directory, filename, answer } = yield* imported(change(decoded(lines)))
        expect(answer).toMatchObject({ _tag: "Left", left: { _tag: "NotImported", line, log: filename } })
        expect(Either.isLeft(answer) && answer.left.message).toMatch(reason)
        expect(fs.readdirSync(directory)).toEqual([])
      }),
  )

  it.scopedLive("an import of an id twice is refused, also where all hashes hold, and leaves nothing", () =>
    Effect.gen(function* () {
      const { lines } = yield* exported
      const [first, second] = decoded(lines) as [StoredEvent, StoredEvent]
      const link = { ...second.link, id: first.link.id }
      const again = { ...second, link, hash: Chain.link(first.hash, link, second.stored, second.keyId) }
      const { directory, answer } = yield* imported([first, again])
      expect(answer).toMatchObject({ _tag: "Left", left: { _tag: "NotImported" } })
      expect(Either.isLeft(answer) && answer.left.message).toMatch(/up to @2, .*UNIQUE constraint failed: events\.id/)
      expect(fs.readdirSync(directory)).toEqual([])
    }),
  )

  it.scopedLive("an import over a log that is there is refused, and changes nothing of it", () =>
    Effect.gen(function* () {
      const { filename, lines } = yield* exported
      const before = fs.statSync(filename).mtimeMs
      const events = Stream.succeed(decoded(lines))
      const error = yield* Effect.flip(importEvents({ filename, events }))
      expect(error).toMatchObject({ _tag: "NotImported", line: null })
      expect(error.message).toContain("expected no log there yet, found")
      expect(fs.statSync(filename).mtimeMs).toBe(before)
    }),
  )

  it.scopedLive("an import of no events makes an empty log", () =>
    Effect.gen(function* () {
      const { filename, answer } = yield* imported([])
      expect(Either.getOrThrow(answer).position).toBe(0)
      const log = Context.get(yield* Layer.build(layerSqlite({ filename })), EventLog)
      expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 0 })
    }),
  )
})

describe("a line that is no event", () => {
  const good = {
    position: 1,
    id: "01890000-0000-7000-8000-000000000001",
    timeline: "main",
    stream: "s",
    version: 1,
    type: "T",
    schemaVersion: 1,
    taskId: null,
    causationId: null,
    actor: "kernel",
    occurredAt: 0,
    recordedAt: 0,
    payload: {},
    hash: "0".repeat(64),
  }
  const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`
  const withPayload = (payload: string) => JSON.stringify(good).replace('"payload":{}', `"payload":${payload}`)

  it.each<[string, string, RegExp]>([
    ["no JSON", '{"position":1,', /^it is not JSON \(/],
    ["empty", "", /^it is not JSON \(/],
    ["another document", "[1]", /^expected an exported event, found the line: /],
    ["without a field", JSON.stringify({ ...good, actor: undefined }), /found actor: is missing/],
    ["with one too many", JSON.stringify({ ...good, extra: 1 }), /found extra: is unexpected/],
    ["with a wrong id", JSON.stringify({ ...good, id: "x" }), /found id: /],
    ["with a hash that is none", JSON.stringify({ ...good, hash: "abc" }), /found hash: /],
    ["at no position", JSON.stringify({ ...good, position: 0 }), /found position: /],
    ["with a payload that is no object", JSON.stringify({ ...good, payload: [] }), /found payload: /],
    [
      "with a payload of 201 levels",
      withPayload(nested(201)),
      /found payload(\/a){200}: a cycle or more than 200 levels/,
    ],
    ["with a payload of 3,000 levels", withPayload(nested(3000)), /found payload.*: a cycle or more than 200 levels/],
    ["with a payload of 100,000 levels", withPayload(nested(100_000)), /found payload.*: a cycle or more than 200/],
    [
      "with a position of 100,000 levels",
      `{"position":${nested(100_000)}}`,
      /found position.*: a cycle or more than 200/,
    ],
    ["that is 100,000 lists in one another", "[".repeat(100_000) + "]".repeat(100_000), /^expected an exported event/],
    [
      "with a lone surrogate",
      JSON.stringify({ ...good, stream: "s\ud800" }),
      /found stream: text with a lone surrogate/,
    ],
  ])("(%s) is refused with what is wrong", (_what, line, reason) => {
    const answer = EventLines.decode(line)
    expect(Either.isLeft(answer) && answer.left).toMatch(reason)
  })

  it("is one that differs in nothing else from one that is", () => {
    expect(Either.isRight(EventLines.decode(JSON.stringify(good)))).toBe(true)
    expect(Either.isRight(EventLines.decode(withPayload(nested(200))))).toBe(true)
  })
})

function at(index: number, change: (event: StoredEvent) => StoredEvent) {
  return (events: Array<StoredEvent>): Array<StoredEvent> =>
    events.map((event, place) => (place === index ? change(event) : event))
}
