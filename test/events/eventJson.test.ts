import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import * as EventJson from "../../src/events/vocabulary/EventJson.ts"
import type * as Vocabulary from "../../src/events/vocabulary/Vocabulary.ts"
import { event, place, unknownEvent } from "../projections/given.ts"

const golden = fileURLToPath(new URL("../golden", import.meta.url))
const goldenEvents = (file: string) =>
  fs
    .readFileSync(`${golden}/${file}`, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

const placed = () => place([event("KernelStopped", { reason: "done" }), unknownEvent()])
const parsed = (): Array<Record<string, unknown>> => JSON.parse(JSON.stringify(placed()))

const mistakeIn = (values: unknown, vocabulary?: Vocabulary.Vocabulary): string => {
  const error = Either.getOrThrow(Either.flip(EventJson.decode(values, vocabulary)))
  expect(error._tag).toBe("UndecodableEvent")
  return error.message
}

/** The message about the first of two events, of which these fields were replaced. */
const mistakeWith = (fields: Record<string, unknown>) => {
  const [first, ...others] = parsed()
  return mistakeIn([{ ...first, ...fields }, ...others])
}

describe("events as JSON", () => {
  it.each(["0.1.0.jsonl", "0.2.0.jsonl"])("are decoded to themselves, whatever version wrote them: %s", (file) => {
    const events = goldenEvents(file)
    expect(Either.getOrThrow(EventJson.decode(events))).toEqual(events)
  })

  it("may have types that the vocabulary does not know", () => {
    expect(Either.getOrThrow(EventJson.decode(parsed()))).toEqual(placed())
  })

  it("are a list", () => {
    expect(mistakeIn({ events: [] })).toMatch(
      /^Events: expected a list of events, found an object\. Nothing was decoded/,
    )
  })

  it("are each an event", () => {
    expect(mistakeIn([...parsed(), null])).toMatch(/^Event 2 of the list: the event: Expected Event, actual null/)
    expect(mistakeWith({ id: undefined })).toContain("Event 0 of the list: id: expected JSON, found undefined")
    expect(mistakeWith({ position: 0 })).toContain(
      "position: Expected Place in the log, 1 or more, without gaps, actual 0",
    )
    expect(mistakeWith({ payload: "\ud800" })).toContain("payload: expected JSON, found text with a lone surrogate")
  })

  it("have payloads of their types", () => {
    expect(mistakeWith({ payload: { reason: 7 } })).toContain(
      "Event 0 of the list: @1 KernelStopped: payload/reason: Expected string, actual 7",
    )
    expect(mistakeWith({ schemaVersion: 9 })).toContain(
      "@1 KernelStopped: schemaVersion: expected at most 1, found 9; a newer Hindcast wrote it",
    )
  })

  it("are named in a message that is short and on one line, whatever they hold", () => {
    const type = `\u001b[2J\u202e${"x".repeat(100_000)}`
    const [first, second] = parsed()
    const message = mistakeIn([
      { ...first, position: 1e6 },
      { ...second, type },
    ])
    expect(message.length).toBeLessThan(10_000)
    expect(message).toContain("\\u{1b}[2J\\u{202e}xxx")
  })

  it("come in the order of their positions, each once", () => {
    expect(mistakeIn(parsed().reverse())).toContain("@1 KernelStopped: position: expected one after @2, found @1")
    expect(mistakeIn([...parsed(), ...parsed().slice(1)])).toContain("Event 2 of the list: @2 acme/Unheard: position")
  })
})
