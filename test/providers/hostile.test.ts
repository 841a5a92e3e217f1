import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as AwsEvents from "../../src/providers/AwsEvents.ts"
import { answeredBy, askedBy } from "../../src/providers/WireFormats.ts"
import { findNonJson, type Json, type JsonObject } from "../../src/values/Json.ts"
import { type Fixture, fixtures } from "./fixtures.ts"

/** A value that nobody expects in its place. */
const strange: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(null, "", -1, 1e300, true, [], {}, [null], { type: "text" }, "constructor", "__proto__"),
  fc.jsonValue({ maxDepth: 3 }).map((value) => value as Json),
)

/** JSON with another value in one of its places. */
const changed = (value: Json, places: ReadonlyArray<number>, other: Json): Json => {
  const [place, ...further] = places
  if (place === undefined || typeof value !== "object" || value === null) return other
  const keys = Object.keys(value)
  const key = keys[place % Math.max(1, keys.length)]
  if (key === undefined) return other
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === key ? changed(item, further, other) : item))
  const object = value as JsonObject
  return { ...object, [key]: changed(object[key] ?? null, further, other) }
}

const change = fc.tuple(fc.array(fc.nat(8), { maxLength: 7 }), strange)

/** An answer with another value in one of its pieces. */
const changedAnswer = (
  { answer }: Fixture,
  at: number,
  places: ReadonlyArray<number>,
  other: Json,
): string | Uint8Array => {
  if (typeof answer !== "string") {
    const events = AwsEvents.eventsOf(answer)
    return AwsEvents.bodyOf(
      events.map((event, index) => {
        const { type, ...payload } = event as JsonObject
        const sent = index === at % events.length ? changed(payload, places, other) : payload
        return [typeof type === "string" ? type : "chunk", sent] as const
      }),
    )
  }
  const lines = answer.split("\n")
  const holding = lines.flatMap((line, index) => (line.includes("{") ? [index] : []))
  const chosen = holding[at % Math.max(1, holding.length)] ?? 0
  const line = lines[chosen] ?? ""
  const start = line.indexOf("{")
  lines[chosen] = line.slice(0, start) + JSON.stringify(changed(JSON.parse(line.slice(start)), places, other))
  return lines.join("\n")
}

const some = fc.constantFrom(...fixtures)

describe("whatever a provider sends or a program asks", () => {
  it("is read without an exception, as parts that a log can hold", () => {
    fc.assert(
      fc.property(some, fc.nat(20), change, (fixture, at, [places, other]) => {
        const asked = askedBy("POST", { host: "localhost", path: fixture.path }, fixture.body)
        if (asked === undefined) throw new Error("expected a request to a model")
        const answer = changedAnswer(fixture, at, places, other)
        const body = Buffer.from(answer).toString("utf8")
        const came = { status: 200, headers: { "content-type": fixture.contentType }, body }
        const bytes = () => new Uint8Array(Buffer.from(answer))
        const answered = answeredBy(asked, { ...came, bytes, end: "clean" }, String, 0)
        const parts = "turn" in answered ? answered.turn.parts : answered.parts
        expect(findNonJson(parts)).toBeUndefined()
        for (const part of parts) if (part.type === "call" || part.type === "hosted") expect(part.callId).not.toBe("")
      }),
      { numRuns: 2_000 },
    )
  })

  it("is asked in a format that is recognised, or in none, and never throws", () => {
    fc.assert(
      fc.property(some, change, ({ path, body }, [places, other]) => {
        const sent = changed(body, places, other)
        const asked = askedBy("POST", { host: "localhost", path }, sent)
        if (asked !== undefined) expect(findNonJson(asked.request)).toBeUndefined()
      }),
      { numRuns: 2_000 },
    )
  })
})
