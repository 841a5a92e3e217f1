import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as AwsEvents from "../../src/providers/AwsEvents.ts"
import { bytesOf, cases } from "../record/proxy/exchanges.ts"

const EVENTS = [
  ["messageStart", { role: "assistant" }],
  ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Grüße 北京 😀" } }],
  ["messageStop", { stopReason: "end_turn" }],
] as const

const read = EVENTS.map(([type, payload]) => ({ ...payload, type }))

describe("the event stream of AWS", () => {
  it("is read as Bedrock sent it", () => {
    const sent = bytesOf(cases["boto3-converse-stream"]?.exchanges[0]?.answer ?? "")
    const events = AwsEvents.eventsOf(sent)
    expect(events).toHaveLength(7)
    expect(events.at(-1)).toMatchObject({ type: "metadata", usage: { inputTokens: 11, outputTokens: 7 } })
  })

  it("is read up to where it was cut", () => {
    const body = AwsEvents.bodyOf(EVENTS)
    expect(AwsEvents.eventsOf(body)).toEqual(read)
    fc.assert(
      fc.property(fc.nat(body.length - 1), (length) => {
        const events = AwsEvents.eventsOf(body.subarray(0, length))
        expect(events).toEqual(read.slice(0, events.length))
        expect(events.length).toBeLessThan(read.length)
      }),
    )
  })

  it("is read up to the first event with a wrong checksum", () => {
    const body = AwsEvents.bodyOf(EVENTS)
    fc.assert(
      fc.property(fc.nat(body.length - 1), fc.integer({ min: 1, max: 255 }), (at, flipped) => {
        const changed = body.slice()
        changed[at] = (changed[at] ?? 0) ^ flipped
        const events = AwsEvents.eventsOf(changed)
        expect(events).toEqual(read.slice(0, events.length))
        expect(events.length).toBeLessThan(read.length)
      }),
    )
  })

  it("may be anything: no bytes let the reading throw", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(AwsEvents.eventsOf(bytes)).toEqual([])
      }),
    )
  })
})
